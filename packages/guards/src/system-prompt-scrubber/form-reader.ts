import type { TextWindow } from './text-window.ts'

/** Reads characters with their positions in the original text, in UTF-16 units. */
export interface CharacterReader {
  /** The start of the text that may become part of a leak; infinity if there is none. */
  readonly heldFrom: number
  read(codePoint: number, start: number, end: number): void
  /** Ends the text. */
  end(): void
  /** Discards the current state. */
  reset(): void
}

/** Finds a secret in a text in one form: as it is, or in one encoding. */
export interface FormReader {
  /** The start of the text that may become part of a leak; infinity if there is none. */
  readonly heldFrom: number
  /** The start of the text that the reader may read again; infinity if it reads none again. */
  readonly keptFrom: number
  /** Reads the text added to the window since the last call. In a final window, also ends the text. */
  read(text: TextWindow): void
}
