import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogle } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import type { EmbeddingModelV4, LanguageModelV4 } from '@ai-sdk/provider'
import { onTestFinished } from 'vitest'

/** What the provider does with a request. */
export type Answer =
  | { status: number; body: unknown; headers?: Record<string, string> }
  /** Events of a stream. After them the connection is closed, destroyed, or kept open. */
  | { events: readonly unknown[]; ending: 'end' | 'destroy' | 'hang' }
  | 'destroy'
  | 'hang'

export type ProviderName = 'openai' | 'responses' | 'anthropic' | 'google'

export interface FakeProvider {
  model: (name: ProviderName, options?: { fetch?: typeof fetch }) => LanguageModelV4
  embeddings: () => EmbeddingModelV4
  /** Number of requests so far. */
  requests: () => number
  /** Texts that clients must not see. */
  secrets: readonly string[]
  close: () => Promise<void>
}

const apiKey = 'sk-proj-of-the-server-0123456789'

/** A provider on loopback that answers every request alike, reached by the AI SDK's own provider packages. */
export async function fakeProvider(answer: Answer): Promise<FakeProvider> {
  let count = 0
  const server = createServer((request, response) => {
    count++
    request.resume().on('end', () => respond(response, answer))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  onTestFinished(close)
  const { port } = server.address() as AddressInfo
  const baseURL = `http://127.0.0.1:${port}/v1`
  return {
    model: (name, options = {}) => {
      const settings = { baseURL, apiKey, ...options }
      if (name === 'anthropic') return createAnthropic(settings)('claude-test')
      if (name === 'google') return createGoogle(settings)('gemini-test')
      const openai = createOpenAI(settings)
      return name === 'openai' ? openai.chat('gpt-test') : openai.responses('gpt-test')
    },
    embeddings: () => createOpenAI({ baseURL, apiKey }).embedding('embedding-test'),
    requests: () => count,
    secrets: ['127.0.0.1', `${port}`, apiKey, 'sk-', 'org-', 'https:', 'example.com', '1b9d6bcd'],
    close,
  }
}

function respond(response: ServerResponse, answer: Answer): void {
  if (answer === 'hang') return
  if (answer === 'destroy') {
    response.destroy()
    return
  }
  if ('events' in answer) {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(answer.events.map(frame).join(''))
    if (answer.ending === 'end') response.end()
    // After what was written has left.
    if (answer.ending === 'destroy') response.write('', () => setImmediate(() => response.destroy()))
    return
  }
  const { status, body, headers } = answer
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const type = typeof body === 'string' ? 'text/html' : 'application/json'
  response.writeHead(status, { 'content-type': type, ...headers }).end(text)
}

/** A server-sent event, with its type as name, as Anthropic and OpenAI's responses send it. */
function frame(event: unknown): string {
  const { type } = event as { type?: string }
  return `${type === undefined ? '' : `event: ${type}\n`}data: ${JSON.stringify(event)}\n\n`
}

/** The events with which each provider begins the answer "Half an". */
export const BEGINNINGS: Readonly<Record<ProviderName, readonly unknown[]>> = {
  openai: [
    {
      id: 'c',
      created: 1,
      model: 'gpt-test',
      choices: [{ index: 0, delta: { role: 'assistant', content: 'Half an' }, finish_reason: null }],
    },
  ],
  responses: [
    { type: 'response.created', response: { id: 'r', created_at: 1, model: 'gpt-test' } },
    { type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'm' } },
    { type: 'response.output_text.delta', item_id: 'm', delta: 'Half an' },
  ],
  anthropic: [
    {
      type: 'message_start',
      message: {
        id: 'm',
        type: 'message',
        role: 'assistant',
        model: 'claude-test',
        content: [],
        stop_reason: null,
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Half an' } },
  ],
  google: [{ candidates: [{ content: { role: 'model', parts: [{ text: 'Half an' }] } }] }],
}

/** An error in the middle of a stream, as each provider sends it: overloaded. */
export const STREAM_ERRORS: Readonly<Record<ProviderName, unknown>> = {
  openai: {
    error: {
      message: 'Overloaded at https://api.example.com',
      type: 'overloaded_error',
      param: null,
      code: 'overloaded',
    },
  },
  responses: {
    type: 'error',
    sequence_number: 3,
    error: {
      type: 'overloaded',
      code: 'overloaded',
      message: 'Overloaded at https://api.example.com',
      param: null,
    },
  },
  anthropic: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded at api.example.com' } },
  google: {
    error: {
      code: 503,
      message: 'The model is overloaded at https://api.example.com.',
      status: 'UNAVAILABLE',
    },
  },
}
