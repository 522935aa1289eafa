import {
  checkDimensions,
  parseCopyVectors,
  parseDeleteVectors,
  parseSaveVectors,
  parseSearchVectors,
} from './search-arguments.ts'
import type { SaveVectorsOptions } from './search-store.ts'
import type {
  CopyVectorsOptions,
  DeleteVectorsOptions,
  VectorMatch,
  VectorQuery,
  VectorStore,
} from './vector-store.ts'

interface StoredVector {
  threadId: string
  messageId: string
  model: string
  vector: Float32Array
}

/** A vector store in memory that compares all vectors: the shortest implementation of a `VectorStore` to read. */
export class InMemoryVectorStore implements VectorStore {
  readonly #byOwner = new Map<string, Map<string, StoredVector>>()

  async saveVectors(options: SaveVectorsOptions): Promise<void> {
    const { owner, threadId, model, vectors } = parseSaveVectors(options)
    const own = this.#byOwner.get(owner) ?? new Map<string, StoredVector>()
    this.#byOwner.set(owner, own)
    for (const { messageId, vector } of vectors) {
      own.set(JSON.stringify([threadId, messageId]), { threadId, messageId, model, vector })
    }
  }

  async searchVectors(options: VectorQuery): Promise<VectorMatch[]> {
    const { filter, model, vector, limit, minScore } = parseSearchVectors(options)
    const own = [...(this.#byOwner.get(filter.owner)?.values() ?? [])].filter(
      (stored) =>
        stored.model === model && (filter.threadId === undefined || stored.threadId === filter.threadId),
    )
    return own
      .map(({ threadId, messageId, vector: stored }) => {
        checkDimensions(vector.length, stored.length)
        const score = stored.reduce((sum, value, index) => sum + value * (vector[index] ?? 0), 0)
        return { threadId, messageId, score }
      })
      .filter(({ score }) => score >= minScore)
      .sort((left, right) => right.score - left.score)
      .slice(0, limit)
  }

  async copyVectors(options: CopyVectorsOptions): Promise<void> {
    const { owner, threadId, from } = parseCopyVectors(options)
    const own = this.#byOwner.get(owner)
    for (const { messageId, originalId } of from.messages) {
      const original = own?.get(JSON.stringify([from.threadId, originalId]))
      if (original) own?.set(JSON.stringify([threadId, messageId]), { ...original, threadId, messageId })
    }
  }

  async deleteVectors(options: DeleteVectorsOptions): Promise<void> {
    const { owner, threadId, messageIds } = parseDeleteVectors(options)
    const own = this.#byOwner.get(owner)
    for (const [key, stored] of own ?? []) {
      const isMeant =
        (threadId === undefined || stored.threadId === threadId) &&
        (messageIds === undefined || messageIds.includes(stored.messageId))
      if (isMeant) own?.delete(key)
    }
  }
}
