import type { TextWindow } from './text-window.ts'

/** Reads characters with their positions in the original text, in UTF-16 units. */
export interface CharacterReader {
  /** The start of the text that may become part of a leak; infinity if there is none. */
  readonly heldFrom: number
  read(codePoint: number, start: number, end: number): void
  /** Ends the text. */
  end(): void
  /** Forgets what it has read. */
  reset(): void
}

/** Reads a text in one of the forms that a secret may have in it. */
export interface FormReader {
  /** Where the text begins that may become part of a leak; infinity where none is under way. */
  readonly heldFrom: number
  /** Where the text begins that it may read again; infinity where it reads none. */
  readonly keptFrom: number
  /** Reads what the text has had added, or its end. */
  read(text: TextWindow): void
}
