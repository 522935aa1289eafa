import { copyData } from '../../copy-data.ts'
import type { ProcessorWith } from '../../processors/pipeline.ts'
import type { Chunk } from '../../results/chunk.ts'
import type { Run } from '../../run/run.ts'
import type { ChunkSink } from '../../run/run-observer.ts'
import { isThenable } from '../../schema.ts'
import { hookKit } from '../hooks-on-demand.ts'
import type { ChunkHooks, Passed } from '../output/chunk-hooks.ts'

/**
 * The way of a run's chunks through `processDelivery`, one at a time and in order, from all writers; what a hook itself
 * writes goes before the chunk it has. Once a hook has failed, nothing passes it any more, even if the chunk it failed on was not
 * waited for.
 */
export class ChunkDelivery implements ChunkSink {
  readonly #run: Run
  readonly #hooks: ChunkHooks
  /** What the next chunk comes after: the last one that is on its way, or that failed. */
  #last: Promise<void> | undefined
  /** The hooks have a chunk. */
  #isPassing = false
  /** What they have written meanwhile. */
  #inserted: Chunk[] = []

  constructor(run: Run, processors: readonly ProcessorWith<'processDelivery'>[]) {
    this.#run = run
    // A hook must not wait for what it writes: that waits for the hook.
    const writer = { write: async (chunk: Chunk) => void this.#insert(chunk) }
    this.#hooks = hookKit().ChunkHooks.forDelivery(run, processors, writer)
  }

  /** Never throws. Returns a promise only where something must wait; its rejection can be ignored. */
  emit(chunk: Chunk): Promise<void> | undefined {
    const delivered = this.#last ? this.#last.then(() => this.#deliver(chunk)) : this.#deliver(chunk)
    if (delivered === undefined) return undefined
    this.#last = delivered
    const done = (): void => {
      if (this.#last === delivered) this.#last = undefined
    }
    delivered.then(done, () => {})
    return delivered
  }

  #insert(chunk: Chunk): void {
    if (this.#isPassing) this.#inserted.push(chunk)
    else this.emit(chunk)
  }

  #deliver(chunk: Chunk): Promise<void> | undefined {
    this.#isPassing = true
    try {
      const passed = this.#hooks.pass(ownCopy(chunk))
      if (!isThenable(passed)) return this.#flush(passed)
      return passed.then((settled) => this.#flush(settled))
    } catch (error) {
      return Promise.reject(error)
    }
  }

  #flush(passed: Passed): Promise<void> | undefined {
    this.#isPassing = false
    if (this.#inserted.length === 0) return this.#write(passed)
    return this.#deliverEach(this.#inserted.splice(0)).then(() => this.#write(passed))
  }

  async #deliverEach(chunks: readonly Chunk[]): Promise<void> {
    for (const chunk of chunks) await this.#deliver(chunk)
  }

  #write(passed: Passed): Promise<void> | undefined {
    const { outlet } = this.#run
    if (passed === undefined) return undefined
    if (!Array.isArray(passed)) return outlet.write(passed as Chunk)
    let full: Promise<void> | undefined
    for (const chunk of passed) full = outlet.write(chunk)
    return full
  }
}

/** What is shown to the caller is changed for the caller alone: the transcript and the chunks of the stream hooks stay. */
function ownCopy(chunk: Chunk): Chunk {
  switch (chunk.type) {
    case 'text-delta':
    case 'reasoning-delta':
      return chunk.providerMetadata ? copyData(chunk) : { ...chunk }
    case 'object-delta':
      // Grows from chunk to chunk: copied each time, a long answer would cost the square of its length.
      return chunk
    default:
      return copyData(chunk)
  }
}
