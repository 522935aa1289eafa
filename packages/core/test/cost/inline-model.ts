import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'

/**
 * Gives these answers in turn, from the first again after the last, as fast as a stream can: whatever a model does
 * besides would hide the cost.
 */
export function inlineModel(...answers: readonly (readonly LanguageModelV4StreamPart[])[]): LanguageModelV4 {
  let calls = 0
  return {
    specificationVersion: 'v4',
    provider: 'inline',
    modelId: 'inline',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('The agent streams.')),
    doStream: async () => {
      const parts = answers[calls++ % answers.length] ?? []
      let position = 0
      const stream = new ReadableStream<LanguageModelV4StreamPart>(
        {
          pull(controller) {
            const part = parts[position++]
            if (part) controller.enqueue(part)
            else controller.close()
          },
        },
        { highWaterMark: 16 },
      )
      return { stream }
    },
  }
}

/** An answer of so many pieces of text. */
export function textAnswer(chunks: number): LanguageModelV4StreamPart[] {
  return [
    { type: 'stream-start', warnings: [] },
    { type: 'text-start', id: 't' },
    ...Array.from({ length: chunks }, () => ({ type: 'text-delta', id: 't', delta: 'word ' }) as const),
    { type: 'text-end', id: 't' },
    finish('stop'),
  ]
}

/** An answer that calls a tool once. */
export function toolAnswer(
  toolName: string,
  input: unknown,
  toolCallId = 'call',
): LanguageModelV4StreamPart[] {
  return [
    { type: 'stream-start', warnings: [] },
    { type: 'tool-call', toolCallId, toolName, input: JSON.stringify(input) },
    finish('tool-calls'),
  ]
}

/** The end of an answer. */
export function finish(unified: 'stop' | 'tool-calls'): LanguageModelV4StreamPart {
  return {
    type: 'finish',
    finishReason: { unified, raw: undefined },
    usage: {
      inputTokens: { total: 1, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: 1, text: undefined, reasoning: undefined },
    },
  }
}
