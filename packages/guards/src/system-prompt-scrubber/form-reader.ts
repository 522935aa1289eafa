/** Reads a text in one of the forms that a secret may have in it. Places are those of the text, in UTF-16 units. */
export interface FormReader {
  /** Where the text begins that may become part of a leak; infinity where none is under way. */
  readonly heldFrom: number
  read(codePoint: number, start: number, end: number): void
  /** The text ends here. */
  end(): void
}
