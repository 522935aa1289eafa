import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'
// The answers of core's cost tests.
import { finish, textAnswer } from '../../../packages/core/test/cost/inline-model.ts'

export { textAnswer }

/**
 * A model with minimal overhead, so that it does not hide what is measured. Each call plays the next list of parts, and
 * starts again after the last.
 */
export class StreamModel implements LanguageModelV4 {
  readonly specificationVersion = 'v4'
  readonly provider = 'bench'
  readonly modelId = 'bench'
  readonly supportedUrls = {}
  /** The number of parts that were read, over all answers. */
  pulled = 0
  readonly #answers: readonly (readonly LanguageModelV4StreamPart[])[]
  #call = 0

  constructor(...answers: readonly (readonly LanguageModelV4StreamPart[])[]) {
    this.#answers = answers
  }

  doGenerate(): Promise<never> {
    return Promise.reject(new Error('Only streams are measured.'))
  }

  async doStream(): Promise<{ stream: ReadableStream<LanguageModelV4StreamPart> }> {
    const parts = this.#answers[this.#call++ % this.#answers.length] ?? []
    let position = 0
    const stream = new ReadableStream<LanguageModelV4StreamPart>(
      {
        pull: (controller) => {
          const part = parts[position++]
          this.pulled++
          if (part) controller.enqueue(part)
          else controller.close()
        },
      },
      { highWaterMark: 1 },
    )
    return { stream }
  }
}

/** An answer with one tool call. */
export function toolAnswer(toolName: string, input: unknown): LanguageModelV4StreamPart[] {
  const json = JSON.stringify(input)
  return [
    { type: 'stream-start', warnings: [] },
    { type: 'tool-input-start', id: 'call', toolName },
    { type: 'tool-input-delta', id: 'call', delta: json },
    { type: 'tool-input-end', id: 'call' },
    { type: 'tool-call', toolCallId: 'call', toolName, input: json },
    finish('tool-calls'),
  ]
}
