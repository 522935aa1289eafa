import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogle } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test'

/** What a provider package puts into the body of a request for a file. */
export interface Received {
  readonly provider: string
  /** A text that the package decoded, or passed on. */
  readonly text?: string
  /** Base64 that the package passed on, with its media type. */
  readonly base64?: string
  readonly mediaType?: string
}

/** A model that passes its prompt to real provider packages and records what each would send. */
export function receivers(received: Received[]): LanguageModelV4 {
  let body: unknown
  const fetch = async (_: unknown, init?: { body?: unknown }): Promise<Response> => {
    body = JSON.parse(String(init?.body))
    return new Response('{}', { status: 400 })
  }
  const shared = { apiKey: 'test', baseURL: 'http://127.0.0.1', fetch: fetch as typeof globalThis.fetch }
  const models = [
    createAnthropic(shared)('claude-sonnet-4-5'),
    createOpenAICompatible({ ...shared, name: 'acme' })('acme-1'),
    createGoogle(shared)('gemini-2.5-flash'),
    createOpenAI(shared)('gpt-5-mini'),
  ]
  const providerOptions = { openai: { passThroughUnsupportedFiles: true } }
  const receive = async (options: LanguageModelV4CallOptions): Promise<void> => {
    for (const model of models) {
      body = undefined
      // A package that cannot convert a file sends nothing. What was sent is answered with an error.
      await model.doGenerate({ ...options, providerOptions }).then(
        () => {},
        () => {},
      )
      for (const each of filesIn(body)) received.push({ provider: model.provider, ...each })
    }
  }
  return new MockLanguageModelV4({
    doGenerate: async (options) => {
      await receive(options)
      return { content: [{ type: 'text', text: 'ok' }], finishReason: FINISH, usage: USAGE, warnings: [] }
    },
    doStream: async (options) => {
      await receive(options)
      return {
        stream: convertArrayToReadableStream<LanguageModelV4StreamPart>([
          { type: 'stream-start', warnings: [] },
          { type: 'finish', finishReason: FINISH, usage: USAGE },
        ]),
      }
    },
  })
}

const FINISH = { unified: 'stop', raw: 'stop' } as const
const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

/** The files in a body: all strings of it that are not the prompt's own. */
function filesIn(body: unknown): Omit<Received, 'provider'>[] {
  if (typeof body !== 'object' || body === null) return []
  const { mimeType, media_type: mediaType, type, data, text } = body as Record<string, unknown>
  if (typeof data === 'string') {
    const stated = String(mimeType ?? mediaType ?? '')
    return [type === 'text' ? { text: data } : { base64: data, mediaType: stated }]
  }
  if (type === 'text' && typeof text === 'string') return text === PROMPT ? [] : [{ text }]
  return Object.values(body).flatMap((each) => {
    const url = typeof each === 'string' ? /^data:(.*?);base64,(.*)$/s.exec(each) : null
    return url ? [{ mediaType: url[1] as string, base64: url[2] as string }] : filesIn(each)
  })
}

export const PROMPT = 'Read this.'
