import { type TextRow, textFiles, textRows } from '../texts/text-rows.ts'
import { VOCABULARY } from '../texts/vocabulary.ts'
import type { Manifest } from './manifest.ts'
import { hashOfValue } from './row-hash.ts'

/** The hashes of the lines that training reads in `texts/`, by file. */
export function ownRows(): Manifest['own'] {
  const files = [...textFiles('templates'), ...textFiles('written')]
  const rows = files.map((file) => [file, textRows(file).map(hashOfTextRow)])
  const lists = Object.entries(VOCABULARY).map(hashOfValue)
  return { ...Object.fromEntries(rows), vocabulary: lists }
}

/** Hashes only the fields that training reads. */
function hashOfTextRow({ text, label, set, licence, spin }: TextRow): string {
  return hashOfValue([text, label, set, licence, spin ?? null])
}
