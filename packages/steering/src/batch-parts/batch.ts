import type { Chunk } from '@millrace/core'

export type DeltaChunk = Extract<Chunk, { type: 'text-delta' | 'reasoning-delta' | 'tool-input-delta' }>

export function isDelta(chunk: Chunk): chunk is DeltaChunk {
  return chunk.type === 'text-delta' || chunk.type === 'reasoning-delta' || chunk.type === 'tool-input-delta'
}

/** Consecutive deltas of one part, to be emitted as one. */
export class Batch {
  readonly #maxWaitMs: number
  #first: DeltaChunk | undefined
  #pieces: string[] = []
  #length = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #due: Promise<undefined> | undefined

  constructor(maxWaitMs: number) {
    this.#maxWaitMs = maxWaitMs
  }

  get isEmpty(): boolean {
    return this.#first === undefined
  }

  get count(): number {
    return this.#pieces.length
  }

  /** In UTF-16 units. */
  get length(): number {
    return this.#length
  }

  /** Resolves when the first delta has waited long enough. */
  get due(): Promise<undefined> {
    this.#due ??= new Promise((resolve) => {
      this.#timer = setTimeout(() => resolve(undefined), this.#maxWaitMs)
    })
    return this.#due
  }

  /** Whether the chunk is a delta of the same part without metadata. */
  joins(chunk: DeltaChunk): boolean {
    const first = this.#first
    return first?.type === chunk.type && keyOf(first) === keyOf(chunk) && !chunk.providerMetadata
  }

  add(chunk: DeltaChunk): void {
    const piece = chunk.type === 'tool-input-delta' ? chunk.inputTextDelta : chunk.textDelta
    this.#first ??= chunk
    this.#pieces.push(piece)
    this.#length += piece.length
  }

  /** Empties the batch. Returns its deltas as one chunk, or an empty list. */
  take(): DeltaChunk[] {
    const first = this.#first
    const [piece, ...more] = this.#pieces
    this.drop()
    if (first === undefined || piece === undefined) return []
    if (more.length === 0) return [first]
    const text = piece + more.join('')
    return [
      first.type === 'tool-input-delta' ? { ...first, inputTextDelta: text } : { ...first, textDelta: text },
    ]
  }

  drop(): void {
    clearTimeout(this.#timer)
    this.#first = undefined
    this.#pieces = []
    this.#length = 0
    this.#timer = undefined
    this.#due = undefined
  }
}

function keyOf(chunk: DeltaChunk): string {
  return chunk.type === 'tool-input-delta' ? chunk.toolCallId : chunk.id
}
