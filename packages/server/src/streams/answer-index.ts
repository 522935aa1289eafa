import { MillraceError } from '@millrace/core'
import type { StreamStore } from '@millrace/core/storage'
import { KEPT_AFTER_END } from './answer-stream.ts'

/** A conversation of one resource with one agent. */
export interface Place {
  agent: string
  resourceId: string
  threadId: string
}

/** How many answers the index of a conversation names before it begins anew. */
const LONGEST = 100
/** How often is tried to write behind another process that writes at the same time. */
const ATTEMPTS = 20
/** The entry of a conversation whose newest answer has ended. */
const NONE = ''

/** Which answer of a conversation is its newest, for all processes: the ids of its answers, as a stream of their own. */
export class AnswerIndex {
  readonly #store: StreamStore

  constructor(store: StreamStore) {
    this.#store = store
  }

  /**
   * From now on the answer is the newest. Returns how many entries the index has.
   *
   * @throws MillraceError `STORAGE_BUSY` where too many begin at the same time
   */
  async announce(place: Place, streamId: string): Promise<number> {
    const { resourceId, threadId } = place
    const runId = indexKey(place)
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      let { length = 0 } = (await this.#store.readStream({ runId, resourceId, limit: 1 })) ?? {}
      if (length >= LONGEST) {
        await this.#store.deleteStream({ runId, resourceId })
        length = 0
      }
      try {
        await this.#store.appendToStream({ runId, resourceId, threadId, offset: length, chunks: [streamId] })
        return length + 1
      } catch (error) {
        if (!isConflict(error)) throw error
      }
    }
    throw new MillraceError(
      'STORAGE_BUSY',
      'Too many answers of this conversation begin at the same time. Try again.',
    )
  }

  /** The answer has ended: unless another one has begun, the conversation has none, and the index need not be kept for long. */
  async end(place: Place, length: number): Promise<void> {
    const { resourceId, threadId } = place
    try {
      await this.#store.appendToStream({
        runId: indexKey(place),
        resourceId,
        threadId,
        offset: length,
        chunks: [NONE],
        expiresIn: KEPT_AFTER_END,
      })
    } catch (error) {
      if (!isConflict(error)) throw error
    }
  }

  async newest(place: Place): Promise<string | undefined> {
    const { resourceId } = place
    const runId = indexKey(place)
    const { length = 0 } = (await this.#store.readStream({ runId, resourceId, limit: 1 })) ?? {}
    if (length === 0) return undefined
    const last = await this.#store.readStream({ runId, resourceId, from: length - 1, limit: 1 })
    return last?.chunks[0] || undefined
  }
}

function indexKey({ agent, threadId }: Place): string {
  return `answers:${agent}:${threadId}`
}

function isConflict(error: unknown): boolean {
  return MillraceError.isInstance(error) && error.code === 'STORAGE_CONFLICT'
}
