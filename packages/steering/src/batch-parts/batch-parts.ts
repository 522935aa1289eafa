import {
  type Chunk,
  MillraceError,
  type OptionNames,
  type Processor,
  requireOptions,
  type WrapModelCallArgs,
} from '@millrace/core'
import { Batch, type DeltaChunk, isDelta } from './batch.ts'

export interface BatchPartsOptions {
  /** Identifies the processor in results, events and errors. Default: `'batch-parts'`. */
  readonly id?: string
  /** The maximum number of chunks that are joined. Default: 16. */
  readonly maxChunks?: number
  /** A batch of this many UTF-16 units is emitted. A single chunk may be longer. Default: 512. */
  readonly maxLength?: number
  /**
   * How long a chunk waits for others, in milliseconds. 0 joins only chunks that are available at once. Default: 50.
   */
  readonly maxWaitMs?: number
  /** `'skip'` continues the run without batching if it fails. Default: `'fail'`. */
  readonly onError?: 'fail' | 'skip'
}

const BATCH_PARTS_OPTIONS: OptionNames<BatchPartsOptions> = {
  id: 'optional',
  maxChunks: 'optional',
  maxLength: 'optional',
  maxWaitMs: 'optional',
  onError: 'optional',
}

/**
 * Joins the small deltas that a model streams into fewer, larger ones: text, reasoning, and the input of tools. Other
 * chunks are emitted at once, after what was joined. Nothing is lost, changed or reordered, and what has arrived is
 * emitted within `maxWaitMs`, whether or not more follows.
 *
 * It wraps the model call, so the stream hooks of all processors are called for the joined chunks.
 */
export class BatchParts implements Processor {
  readonly id: string
  readonly onError: 'fail' | 'skip'
  readonly #maxChunks: number
  readonly #maxLength: number
  readonly #maxWaitMs: number

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(options: BatchPartsOptions = {}) {
    const {
      id = 'batch-parts',
      maxChunks = 16,
      maxLength = 512,
      maxWaitMs = 50,
      onError = 'fail',
    } = requireOptions('BatchParts', options, BATCH_PARTS_OPTIONS)
    this.id = id
    this.onError = onError
    this.#maxChunks = requireNumber('maxChunks', maxChunks, 1)
    this.#maxLength = requireNumber('maxLength', maxLength, 1)
    this.#maxWaitMs = requireNumber('maxWaitMs', maxWaitMs, 0)
  }

  wrapModelCall({ request, next }: WrapModelCallArgs): AsyncIterable<Chunk> {
    return this.#joined(next(request))
  }

  async *#joined(chunks: AsyncIterable<Chunk>): AsyncGenerator<Chunk> {
    const iterator = chunks[Symbol.asyncIterator]()
    const batch = new Batch(this.#maxWaitMs)
    let arriving: Promise<Arrival> | undefined
    try {
      for (;;) {
        // Reads at most one chunk ahead. The promise never rejects, since it may not be awaited.
        arriving ??= iterator.next().then(asArrival, (error: unknown) => ({ error }))
        const arrival = await (batch.isEmpty ? arriving : Promise.race([arriving, batch.due]))
        if (arrival === undefined) {
          yield* batch.take()
          continue
        }
        arriving = undefined
        if ('error' in arrival) {
          yield* batch.take()
          throw arrival.error
        }
        const { chunk } = arrival
        if (chunk === undefined) {
          yield* batch.take()
          return
        }
        if (!isDelta(chunk)) {
          yield* batch.take()
          yield chunk
          continue
        }
        if (!batch.joins(chunk)) yield* batch.take()
        batch.add(chunk)
        if (this.#isFull(batch, chunk)) yield* batch.take()
      }
    } finally {
      batch.drop()
      iterator.return?.().then(undefined, () => {})
    }
  }

  #isFull(batch: Batch, last: DeltaChunk): boolean {
    // Metadata belongs to its position in the stream.
    if (last.providerMetadata) return true
    return batch.count >= this.#maxChunks || batch.length >= this.#maxLength
  }
}

type Arrival = { chunk: Chunk | undefined } | { error: unknown }

function asArrival({ value, done }: IteratorResult<Chunk>): Arrival {
  return { chunk: done ? undefined : value }
}

function requireNumber(option: string, value: number, least: number): number {
  if (Number.isFinite(value) && value >= least) return value
  throw new MillraceError('CONFIG_INVALID', `${option} is ${value}. Use a number of at least ${least}.`)
}
