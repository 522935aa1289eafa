import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'

/**
 * Replaces a model of the AI SDK in every runtime: it says hello. Asked to wait, it streams without an end.
 */
export const model: LanguageModelV4 = {
  specificationVersion: 'v4',
  provider: 'example',
  modelId: 'hello',
  supportedUrls: {},
  async doGenerate() {
    throw new Error('The examples stream.')
  },
  async doStream({ prompt, abortSignal }) {
    const waits = JSON.stringify(prompt.at(-1)).includes('Wait')
    return { stream: ReadableStream.from(answer(waits ? abortSignal : undefined)) }
  },
}

async function* answer(waitFor: AbortSignal | undefined): AsyncGenerator<LanguageModelV4StreamPart> {
  yield { type: 'text-start', id: 'text' }
  yield { type: 'text-delta', id: 'text', delta: 'Hello ' }
  yield { type: 'text-delta', id: 'text', delta: 'Ada' }
  if (waitFor) {
    await new Promise((resolve) => waitFor.addEventListener('abort', resolve, { once: true }))
    throw waitFor.reason
  }
  yield { type: 'text-end', id: 'text' }
  yield {
    type: 'finish',
    finishReason: { unified: 'stop', raw: undefined },
    usage: {
      inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: 2, text: 2, reasoning: undefined },
    },
  }
}
