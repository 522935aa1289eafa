import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Row } from '../train/rows.ts'

/** A text of our own: a line of a file in `texts/`. */
export interface TextRow extends Row {
  /** ISO 639-1. */
  readonly lang: string
  /** The role of the text: a user's message, a system prompt, or a document that a model reads. */
  readonly surface: 'user' | 'system' | 'document'
  readonly author: string
  /**
   * For a template, in which `{a|b}` is one of several alternatives: how many texts are generated from it. With 0 it is
   * only used as a part of other texts.
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

/** The files of a folder of `texts/`, in alphabetical order, such as `written/forced-words`. */
export function textFiles(folder: 'written' | 'templates' | 'evaluation'): string[] {
  return readdirSync(fileURLToPath(new URL(folder, FOLDER)))
    .sort()
    .map((file) => `${folder}/${file.replace(/\.jsonl$/, '')}`)
}
