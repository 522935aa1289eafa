import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Row } from '../train/rows.ts'

/** A text of our own, as a line of a file in `texts/` has it. */
export interface TextRow extends Row {
  /** ISO 639-1. */
  readonly lang: string
  /** Where such a text stands: a user's message, a system prompt, or a document that a model reads. */
  readonly surface: 'user' | 'system' | 'document'
  readonly author: string
  /**
   * Of a template, in which `{a|b}` stands for one of several: how many texts are made of it. With 0 it only becomes a part of
   * other texts.
   */
  readonly spin?: number
}

const FOLDER = new URL('../../texts/', import.meta.url)

/** The rows of `texts/<name>.jsonl`. */
export function textRows(name: string): TextRow[] {
  return readFileSync(new URL(`${name}.jsonl`, FOLDER), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

/** The files of a folder of `texts/`, in alphabetical order: `written/forced-words`, for example. */
export function textFiles(folder: 'written' | 'templates' | 'evaluation'): string[] {
  return readdirSync(fileURLToPath(new URL(folder, FOLDER)))
    .sort()
    .map((file) => `${folder}/${file.replace(/\.jsonl$/, '')}`)
}
