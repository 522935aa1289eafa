import { ChunkDelivery } from '../loop/end/chunk-delivery.ts'
import type { ProviderMetadata } from '../messages/message.ts'
import type { ProcessorWith } from '../processors/pipeline.ts'
import type { Chunk } from '../results/chunk.ts'
import type { Run } from '../run/run.ts'

/** Receives the chunks of an answer. The answer waits for a promise that it returns. */
export type Emit = (chunk: Chunk) => Promise<void> | undefined

/** The content in the end of an answer. */
interface End {
  providerMetadata: ProviderMetadata | undefined
  replacedText: string | undefined
}

/** Passes an answer through `processDelivery` on its way to the caller: its chunks, and what its end says. */
export class AnswerDelivery {
  readonly #chunks: ChunkDelivery
  #providerMetadata: ProviderMetadata | undefined
  #replaced: string | undefined
  #isOver = false

  constructor(run: Run, processors: readonly ProcessorWith<'processDelivery'>[], emit: Emit) {
    this.#chunks = new ChunkDelivery(run, processors, (chunk) => this.#take(chunk, emit))
  }

  readonly emit: Emit = (chunk) => this.#chunks.emit(chunk)

  async end<END extends End>(end: END): Promise<END> {
    this.#isOver = true
    const { replacedText: text, providerMetadata } = end
    if (text !== undefined) await this.emit({ type: 'response-replaced', messages: [], text })
    return {
      ...end,
      ...(text !== undefined && { replacedText: this.#replaced ?? '' }),
      ...(providerMetadata && { providerMetadata: this.#providerMetadata }),
    }
  }

  #take(chunk: Chunk, emit: Emit): Promise<void> | undefined {
    if (chunk.type === 'step-finish') this.#providerMetadata = chunk.providerMetadata
    if (!this.#isOver) return emit(chunk)
    if (chunk.type === 'response-replaced') this.#replaced = chunk.text
    return undefined
  }
}
