import type { Chunk } from '../results/chunk.ts'
import { copyOfChunk, textIn } from './chunk-ledger.ts'
import type { HookRecord } from './hook-record.ts'
import { checkChunk } from './result-check.ts'
import { isSame } from './snapshot-of.ts'

/** A chunk as a hook got it: what it says itself may have been edited since. */
export interface GivenChunk {
  chunk: Chunk
  type: Chunk['type']
  /** The text of a delta. */
  text: string | undefined
  /** All of any other chunk. */
  copy: unknown
}

/** Remembers a chunk before a hook gets it. */
export function takeNotice(chunk: Chunk): GivenChunk {
  const text = textIn(chunk)
  return { chunk, type: chunk.type, text, copy: text === undefined ? copyOfChunk(chunk) : undefined }
}

export function isEdited({ chunk, type, text, copy }: GivenChunk): boolean {
  return chunk.type !== type || (text === undefined ? !isSame(chunk, copy) : textIn(chunk) !== text)
}

/** The chunk as it was: the object itself if it was not edited. */
export function originalOf(given: GivenChunk): Chunk {
  const { chunk, type, text, copy } = given
  if (!isEdited(given)) return chunk
  if (text === undefined) return { ...(copy as Chunk) }
  const field = type === 'tool-input-delta' ? 'inputTextDelta' : 'textDelta'
  return { ...chunk, type, [field]: text } as Chunk
}

/** The chunks that a hook was given and has not returned at once: what it returns later is checked only where it is none of them. */
export class GivenChunks {
  readonly #record: HookRecord
  readonly #held = new WeakMap<object, GivenChunk>()

  constructor(record: HookRecord) {
    this.#record = record
  }

  keep(given: GivenChunk): void {
    this.#held.set(given.chunk, given)
  }

  /**
   * What a hook returned for a chunk, or one of what it returned, in the form the loop uses.
   *
   * @throws MillraceError `PROCESSOR_RESULT_INVALID`
   */
  read(returned: unknown, given: GivenChunk): Chunk {
    const own = returned === given.chunk ? given : this.#held.get(returned as object)
    if (own !== undefined && !isEdited(own)) return own.chunk
    try {
      return checkChunk(this.#record, returned, given.chunk)
    } catch (error) {
      this.#record.recordAction('failed')
      throw error
    }
  }
}
