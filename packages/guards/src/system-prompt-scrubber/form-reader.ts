/**
 * Reads a text in one of the encodings in which it may contain a secret. Positions are those of the original text, in
 * UTF-16 units.
 */
export interface FormReader {
  /** The start of the text that may become part of a leak; infinity if there is none. */
  readonly heldFrom: number
  read(codePoint: number, start: number, end: number): void
  /** Ends the text. */
  end(): void
}
