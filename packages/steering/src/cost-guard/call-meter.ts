import type { Chunk, Usage } from '@millrace/core'
import { countTokens } from '@millrace/tokens'

/** What a call has used. */
export interface CallUse {
  readonly input: number
  readonly output: number
  readonly details: Usage['inputTokenDetails'] | undefined
  /** The model has answered, or begun to. A call that was refused is not charged for. */
  readonly isMade: boolean
  /** The provider did not say: counted from what came. */
  readonly isEstimated: boolean
}

/** Reads what a call uses from its chunks. */
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

  /** @param expected Tokens of the input, as estimated before, and the model whose tokens they are */
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
