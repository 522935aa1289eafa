import { textRows } from '../texts/text-rows.ts'
import type { Row } from './rows.ts'
import { oneOf, random } from './spin.ts'

/** The number of documents that an order is inserted into. */
const TIMES = 20

const DOCUMENTS: readonly string[] = ['written/everyday-documents', 'templates/prose']
  .flatMap(textRows)
  .map(({ text }) => text)

/**
 * The orders of rows that have one, each inserted into several of our own documents, so that the order is learned and
 * not its original document.
 */
export function replanted(rows: readonly Row[], seed: number): Row[] {
  const next = random(seed)
  const orders = new Map(rows.flatMap((row) => (row.order === undefined ? [] : [[row.order, row] as const])))
  return [...orders].flatMap(([order, { licence }]) =>
    Array.from({ length: TIMES }, () => {
      const lines = oneOf(DOCUMENTS, next).split('\n')
      lines.splice(oneOf([0, lines.length, Math.floor(next() * lines.length)], next), 0, order)
      return { text: lines.join('\n'), label: 1 as const, set: 'replanted', licence, order }
    }),
  )
}
