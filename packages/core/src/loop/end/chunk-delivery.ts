import { copyData } from '../../copy-data.ts'
import type { ProcessorWith } from '../../processors/pipeline.ts'
import type { Chunk } from '../../results/chunk.ts'
import type { Run } from '../../run/run.ts'
import type { ChunkSink } from '../../run/run-observer.ts'
import { isThenable } from '../../schema.ts'
import { hookKit } from '../hooks-on-demand.ts'
import type { ChunkHooks, HookOutput } from '../output/chunk-hooks.ts'

/**
 * Passes a run's chunks through `processDelivery`, one at a time and in order, from all writers. Chunks that a hook
 * writes are emitted before the chunk it is processing. Once a hook has failed, no chunk passes it, even if the
 * promise of the failed chunk was not awaited.
 */
export class ChunkDelivery implements ChunkSink {
  readonly #write: (chunk: Chunk) => Promise<void> | undefined
  readonly #hooks: ChunkHooks
  /** The last chunk, while it is processed or if it failed. The next chunk is chained to it. */
  #last: Promise<void> | undefined
  /** Whether the hooks are processing a chunk. */
  #isPassing = false
  /** The chunks that hooks wrote in the meantime. */
  #inserted: Chunk[] = []

  /** @param write Takes the chunks that are left. Default: the run's outlet. */
  constructor(
    run: Run,
    processors: readonly ProcessorWith<'processDelivery'>[],
    write: (chunk: Chunk) => Promise<void> | undefined = (chunk) => run.outlet.write(chunk),
  ) {
    this.#write = write
    // A hook must not await what it writes: the write waits for the hook, so this would be a deadlock.
    const writer = { write: async (chunk: Chunk) => void this.#insert(chunk) }
    this.#hooks = hookKit().ChunkHooks.forDelivery(run, processors, writer)
  }

  /** Never throws. Returns a promise only if the caller must wait. Its rejection may be ignored. */
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

  #flush(passed: HookOutput): Promise<void> | undefined {
    this.#isPassing = false
    if (this.#inserted.length === 0) return this.#give(passed)
    return this.#deliverEach(this.#inserted.splice(0)).then(() => this.#give(passed))
  }

  async #deliverEach(chunks: readonly Chunk[]): Promise<void> {
    for (const chunk of chunks) await this.#deliver(chunk)
  }

  #give(passed: HookOutput): Promise<void> | undefined {
    if (passed === undefined) return undefined
    if (!Array.isArray(passed)) return this.#write(passed as Chunk)
    let full: Promise<void> | undefined
    for (const chunk of passed) full = this.#write(chunk)
    return full
  }
}

/** A copy for the caller: `processDelivery` must not change the transcript or the chunks of the stream hooks. */
function ownCopy(chunk: Chunk): Chunk {
  switch (chunk.type) {
    case 'text-delta':
    case 'reasoning-delta':
      return chunk.providerMetadata ? copyData(chunk) : { ...chunk }
    case 'object-delta':
      // Not copied: it grows with every chunk, so copying would take quadratic time.
      return chunk
    default:
      return copyData(chunk)
  }
}
