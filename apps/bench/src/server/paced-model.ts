import { setTimeout as wait } from 'node:timers/promises'
import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'

/** Milliseconds between two chunks of an answer. */
const PACE = 250
const FINISH = {
  type: 'finish',
  finishReason: { unified: 'stop', raw: undefined },
  usage: {
    inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 5, text: 5, reasoning: 0 },
  },
} as const satisfies LanguageModelV4StreamPart

/** Emits the first chunk immediately, then one per interval until the reader leaves. */
export const pacedModel: LanguageModelV4 = {
  specificationVersion: 'v4',
  provider: 'bench',
  modelId: 'paced',
  supportedUrls: {},
  doGenerate: () => Promise.reject(new Error('Only streams are measured.')),
  doStream: async ({ abortSignal }) => ({ stream: ReadableStream.from(pieces(abortSignal)) }),
}

async function* pieces(signal: AbortSignal | undefined): AsyncGenerator<LanguageModelV4StreamPart> {
  yield { type: 'stream-start', warnings: [] }
  yield { type: 'text-start', id: '1' }
  for (let count = 0; count < 1_000; count++) {
    yield { type: 'text-delta', id: '1', delta: 'A piece of an answer. ' }
    await wait(PACE, undefined, signal && { signal })
  }
  yield { type: 'text-end', id: '1' }
  yield FINISH
}
