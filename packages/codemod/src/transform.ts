import type { SourceFile } from 'ts-morph'

/** A place that a person has to look at. */
export interface Note {
  /** From 1. */
  readonly line: number
  readonly text: string
}

export interface Transform {
  readonly name: string
  readonly about: string
  /** Changes the file. Returns what it cannot decide. A file that is already changed stays as it is. */
  apply(file: SourceFile): Note[]
}
