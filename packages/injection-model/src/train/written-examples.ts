import { textFiles, textRows } from '../texts/text-rows.ts'
import type { Row } from './rows.ts'

/** Texts of our own that were written individually, without a template. */
export function writtenExamples(): Row[] {
  return textFiles('written')
    .flatMap(textRows)
    .map(({ text, label, set, licence, lang, surface }) => ({ text, label, set, licence, lang, surface }))
}
