import { DurableObject } from 'cloudflare:workers'
import { handler } from '../handler.ts'

/** Holds the answers that are being made: a worker alone shares nothing between requests. */
export class Chat extends DurableObject {
  override fetch(request: Request): Promise<Response> {
    return handler(request)
  }
}

export default {
  fetch: (request: Request, env: { CHAT: DurableObjectNamespace<Chat> }): Promise<Response> =>
    // In your code: an object for each person, named by your session.
    env.CHAT.getByName(request.headers.get('authorization') ?? 'nobody').fetch(request),
}
