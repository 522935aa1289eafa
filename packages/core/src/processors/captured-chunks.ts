import type { Chunk } from '../results/chunk.ts'
import { copyOfChunk, textIn } from './chunk-ledger.ts'
import type { HookRecord } from './hook-record.ts'
import { checkChunk } from './result-check.ts'
import { isSame } from './snapshot-of.ts'

/** A chunk as a hook received it. The hook may have edited the chunk itself since. */
export interface CapturedChunk {
  chunk: Chunk
  type: Chunk['type']
  /** The text of a delta. */
  text: string | undefined
  /** A copy of any other chunk. */
  copy: unknown
}

/** Captures a chunk before a hook receives it. */
export function captureChunk(chunk: Chunk): CapturedChunk {
  const text = textIn(chunk)
  return { chunk, type: chunk.type, text, copy: text === undefined ? copyOfChunk(chunk) : undefined }
}

export function isEdited({ chunk, type, text, copy }: CapturedChunk): boolean {
  return chunk.type !== type || (text === undefined ? !isSame(chunk, copy) : textIn(chunk) !== text)
}

/** The chunk before the hook: the same object if it was not edited. */
export function originalOf(captured: CapturedChunk): Chunk {
  const { chunk, type, text, copy } = captured
  if (!isEdited(captured)) return chunk
  if (text === undefined) return { ...(copy as Chunk) }
  const field = type === 'tool-input-delta' ? 'inputTextDelta' : 'textDelta'
  return { ...chunk, type, [field]: text } as Chunk
}

/**
 * The chunks that a hook was given and has not returned yet. When it returns one of them later, the chunk need not be
 * validated.
 */
export class CapturedChunks {
  readonly #record: HookRecord
  readonly #chunks = new WeakMap<object, CapturedChunk>()

  constructor(record: HookRecord) {
    this.#record = record
  }

  add(captured: CapturedChunk): void {
    this.#chunks.set(captured.chunk, captured)
  }

  /**
   * Validates a chunk that a hook returned, unless it is one that the hook was given.
   *
   * @throws MillraceError `PROCESSOR_RESULT_INVALID`
   */
  read(returned: unknown, captured: CapturedChunk): Chunk {
    const own = returned === captured.chunk ? captured : this.#chunks.get(returned as object)
    if (own !== undefined && !isEdited(own)) return own.chunk
    try {
      return checkChunk(this.#record, returned, captured.chunk)
    } catch (error) {
      this.#record.recordAction('failed')
      throw error
    }
  }
}
