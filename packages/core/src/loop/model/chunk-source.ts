import type { Chunk } from '../../results/chunk.ts'

/**
 * The source of the chunks of a model call. Reading (`read`) and using what was read (`take`) are separate, so that a
 * chunk costs one promise, that of the producer.
 */
export interface ChunkSource {
  /** Whether all chunks were read. */
  readonly done: boolean
  /** Waits for the next value. Pass it to {@link take}. */
  read(): Promise<unknown>
  /**
   * The chunk in a value that was read, if it has one.
   *
   * @throws MillraceError `MODEL_STREAM_FAILED` if the provider reports an error
   */
  take(read: unknown): Chunk | undefined
  /** The error to throw if reading has failed. */
  failure(cause: unknown): unknown
  /** Cancels the source. Never throws. */
  end(): void
}
