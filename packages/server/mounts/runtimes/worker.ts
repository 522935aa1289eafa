import { DurableObject } from 'cloudflare:workers'
import { handler } from '../handler.ts'

/** Holds the answers in progress: workers alone share no memory between requests. */
export class Chat extends DurableObject {
  override fetch(request: Request): Promise<Response> {
    return handler(request)
  }
}

export default {
  fetch: (request: Request, env: { CHAT: DurableObjectNamespace<Chat> }): Promise<Response> =>
    // In your code: one object per user, named by the session.
    env.CHAT.getByName(request.headers.get('authorization') ?? 'nobody').fetch(request),
}
