import { Agent, type AgentOptions } from '@millrace/core'
import { InMemoryStore } from '@millrace/core/storage'
import { Memory } from '@millrace/memory'
import { createHandler, type Handler, type HandlerOptions } from '@millrace/server'

/** A handler with one agent, `support`. A header names the caller. */
export function scene(
  agent: Partial<AgentOptions> & Pick<AgentOptions, 'model'>,
  options: Partial<HandlerOptions> = {},
): { handler: Handler; memory: Memory; errors: unknown[] } {
  const memory = options.memory ?? new Memory({ storage: new InMemoryStore() })
  const errors: unknown[] = []
  const handler = createHandler({
    agents: { support: new Agent({ memory, storage: memory.storage, ...agent }) },
    memory,
    authenticate: (request) => {
      const user = request.headers.get('x-user')
      return user ? { resourceId: user } : undefined
    },
    onError: (error) => errors.push(error),
    ...options,
  })
  return { handler, memory, errors }
}

export function request(
  path: string,
  {
    user = 'ada',
    method,
    body,
    signal,
  }: { user?: string | null; method?: string; body?: unknown; signal?: AbortSignal } = {},
): Request {
  return new Request(`https://chat.example.com${path}`, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { ...(user !== null && { 'x-user': user }), 'content-type': 'application/json' },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
  })
}

export function userMessage(text: string, id: string = crypto.randomUUID()): object {
  return { id, role: 'user', parts: [{ type: 'text', text }] }
}

/** The request of a chat client. */
export function chatRequest(
  text: string,
  { thread = 'thread-1', ...rest }: { thread?: string; user?: string } = {},
): Request {
  return request('/agents/support/chat', { ...rest, body: { id: thread, messages: [userMessage(text)] } })
}

/** The chunks of a UI stream. */
export async function chunksOf(response: Response): Promise<{ type: string; [field: string]: unknown }[]> {
  return events(await response.text())
}

export function events(text: string): { type: string; [field: string]: unknown }[] {
  const lines = text.split('\n\n').filter((line) => line.startsWith('data: ') && line !== 'data: [DONE]')
  return lines.map((line) => JSON.parse(line.slice('data: '.length)))
}

export function textIn(chunks: readonly { type: string; [field: string]: unknown }[]): string {
  return chunks.map((chunk) => (chunk.type === 'text-delta' ? chunk.delta : '')).join('')
}
