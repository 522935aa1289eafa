import type { Chunk } from '../../results/chunk.ts'

/**
 * Where the chunks of a model call are read from. What there is to wait for and what becomes of it are apart, so that
 * a chunk costs the one promise that its maker gives.
 */
export interface ChunkSource {
  /** Reading ends here. */
  readonly done: boolean
  /** Waits for what {@link take} takes. */
  read(): Promise<unknown>
  /**
   * The chunk in what was read, if there is one.
   *
   * @throws MillraceError `MODEL_STREAM_FAILED` when the provider reports an error
   */
  take(read: unknown): Chunk | undefined
  /** What to throw where reading has failed. */
  failure(cause: unknown): unknown
  /** Cancels the source: no more chunks are wanted. Never throws. */
  end(): void
}
