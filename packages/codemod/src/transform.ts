import type { SourceFile } from 'ts-morph'

/** A place in the code that needs a manual change. */
export interface Note {
  /** Line number, starting at 1. */
  readonly line: number
  readonly text: string
}

export interface Transform {
  readonly name: string
  readonly about: string
  /**
   * Changes the file, and returns what must be changed by hand. Idempotent: a file that was already changed
   * stays the same.
   */
  apply(file: SourceFile): Note[]
}
