import { DurableObject } from 'cloudflare:workers'
import { createOpenAI } from '@ai-sdk/openai'
import { Memory } from '@millrace/memory'
import { createHandler, type Handler } from '@millrace/server'
import { createAgent } from './agent.ts'
import { demoModel } from './demo-model.ts'
import { durableStore } from './durable-store.ts'

export interface Env {
  CHATS: DurableObjectNamespace<Chats>
  /**
   * Set it with `npx wrangler secret put OPENAI_API_KEY`, or in `.dev.vars` for development. Without it, the
   * agent uses the rule-based demo model.
   */
  OPENAI_API_KEY?: string
  /** API keys of clients with their owners, as JSON: `{ "key-of-jo": "jo" }`. */
  CLIENTS?: string
}

/**
 * The conversations and running answers of one person. They are in a Durable Object, because workers share
 * nothing between requests.
 */
export class Chats extends DurableObject<Env> {
  readonly #handler: Handler

  constructor(context: DurableObjectState, env: Env) {
    super(context, env)
    const memory = new Memory({ storage: durableStore(context.storage) })
    const model = env.OPENAI_API_KEY
      ? createOpenAI({ apiKey: env.OPENAI_API_KEY })('gpt-5-mini')
      : demoModel()
    this.#handler = createHandler({
      agents: { shop: createAgent(model, memory) },
      memory,
      // Only the worker below can reach an object, and it uses the person's name as its id.
      authenticate: () => ({ resourceId: 'owner' }),
      basePath: '/api',
    })
  }

  override fetch(request: Request): Promise<Response> {
    return this.#handler(request)
  }
}

export default {
  async fetch(request, env) {
    const person = personOf(request, env)
    if (person === undefined)
      return Response.json({ error: { message: 'Send your key: authorization: Bearer …' } }, { status: 401 })
    return env.CHATS.getByName(person).fetch(request)
  },
} satisfies ExportedHandler<Env>

/** Identifies the person. Replace it by your sign-in. */
function personOf(request: Request, env: Env): string | undefined {
  const clients = new Map(Object.entries(JSON.parse(env.CLIENTS ?? '{}') as Record<string, string>))
  const [, key = ''] = /^Bearer (.+)$/.exec(request.headers.get('authorization') ?? '') ?? []
  return clients.get(key)
}
