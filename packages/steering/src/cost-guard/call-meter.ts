import type { Chunk, Usage } from '@millrace/core'
import { countTokens } from '@millrace/tokens'

/** The use of a call. */
export interface CallUse {
  readonly input: number
  readonly output: number
  readonly details: Usage['inputTokenDetails'] | undefined
  /** Whether the model has begun to answer. A refused call is not charged. */
  readonly isMade: boolean
  /** Whether it is estimated from the chunks, because the provider reported no usage. */
  readonly isEstimated: boolean
}

/** Measures the use of a call by its chunks. */
export class CallMeter {
  readonly #usages: Usage[] = []
  #pieces: string[] = []
  #hasBegun = false

  read(chunk: Chunk): void {
    this.#hasBegun = true
    switch (chunk.type) {
      case 'text-delta':
      case 'reasoning-delta':
        this.#pieces.push(chunk.textDelta)
        return
      case 'tool-input-delta':
        this.#pieces.push(chunk.inputTextDelta)
        return
      case 'step-finish':
        this.#usages.push(chunk.usage)
    }
  }

  /** @param expected The estimated tokens of the input, and the model for the estimate */
  async use({ input, modelId }: { input: number; modelId: string }): Promise<CallUse> {
    if (!this.#hasBegun) return { input: 0, output: 0, details: undefined, isMade: false, isEstimated: false }
    const known =
      this.#usages.length > 0 &&
      this.#usages.every(
        ({ inputTokens, outputTokens }) => inputTokens !== undefined && outputTokens !== undefined,
      )
    if (known) {
      return {
        input: sum(this.#usages.map(({ inputTokens }) => inputTokens)),
        output: sum(this.#usages.map(({ outputTokens }) => outputTokens)),
        details: {
          noCacheTokens: undefined,
          cacheReadTokens: sum(this.#usages.map((usage) => usage.inputTokenDetails.cacheReadTokens)),
          cacheWriteTokens: sum(this.#usages.map((usage) => usage.inputTokenDetails.cacheWriteTokens)),
        },
        isMade: true,
        isEstimated: false,
      }
    }
    const output = await countTokens(this.#pieces.join(''), { model: modelId })
    return { input, output, details: undefined, isMade: true, isEstimated: true }
  }
}

function sum(counts: readonly (number | undefined)[]): number {
  return counts.reduce<number>((total, count) => total + (count ?? 0), 0)
}
