import { MillraceError } from '@millrace/core'
import type { StreamStore } from '@millrace/core/storage'
import { EXPIRES_AFTER_END } from './answer-stream.ts'

/** A conversation of one resource with one agent. */
export interface Conversation {
  agent: string
  resourceId: string
  threadId: string
}

/** Maximum number of entries of an index. Then it is deleted and started anew. */
const MAX_ENTRIES = 100
/** Maximum number of attempts to append, if other processes append at the same time. */
const MAX_ATTEMPTS = 20
/** The last entry, if the newest answer of a conversation has ended. */
const ENDED = ''

/**
 * Finds the newest answer of a conversation across processes. The index is a stream of its own, with the ids
 * of the answers.
 */
export class AnswerIndex {
  readonly #store: StreamStore

  constructor(store: StreamStore) {
    this.#store = store
  }

  /**
   * Appends the answer to the index as the newest one. Returns the length of the index.
   *
   * @throws MillraceError `STORAGE_BUSY` if too many answers start at the same time
   */
  async announce(conversation: Conversation, streamId: string): Promise<number> {
    const { resourceId, threadId } = conversation
    const runId = indexKey(conversation)
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      let { length = 0 } = (await this.#store.readStream({ runId, resourceId, limit: 1 })) ?? {}
      if (length >= MAX_ENTRIES) {
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

  /** Marks the answer as ended, unless a newer one has started. The index then expires. */
  async end(conversation: Conversation, length: number): Promise<void> {
    const { resourceId, threadId } = conversation
    try {
      await this.#store.appendToStream({
        runId: indexKey(conversation),
        resourceId,
        threadId,
        offset: length,
        chunks: [ENDED],
        expiresIn: EXPIRES_AFTER_END,
      })
    } catch (error) {
      if (!isConflict(error)) throw error
    }
  }

  async newest(conversation: Conversation): Promise<string | undefined> {
    const { resourceId } = conversation
    const runId = indexKey(conversation)
    const { length = 0 } = (await this.#store.readStream({ runId, resourceId, limit: 1 })) ?? {}
    if (length === 0) return undefined
    const last = await this.#store.readStream({ runId, resourceId, from: length - 1, limit: 1 })
    return last?.chunks[0] || undefined
  }
}

function indexKey({ agent, threadId }: Conversation): string {
  return `answers:${agent}:${threadId}`
}

function isConflict(error: unknown): boolean {
  return MillraceError.isInstance(error) && error.code === 'STORAGE_CONFLICT'
}
