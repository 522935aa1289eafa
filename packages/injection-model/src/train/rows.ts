import type { Prototype } from '@millrace/guards/internals'
import { foldText } from '@millrace/guards/internals'

/** A labelled text: 1 is an attack. */
export interface Row {
  readonly text: string
  readonly label: 0 | 1
  readonly set: string
  readonly licence: string
  /** ISO 639-1; without it, English. */
  readonly lang?: string
  /** Where such a text stands: `user`, `system`, `document` or `tool_result`. */
  readonly surface?: string
  /** Of an order that was put into a document: the order alone. See `withOrders`. */
  readonly order?: string
}

/** Sets of documents, as they are and with orders put into them. */
const PLANTED: readonly string[] = ['bipia_train']

/**
 * Names the orders of sets that put each of some into many documents: the lines that no harmless document of the set has,
 * where they are the same in several.
 */
export function withOrders(rows: readonly Row[]): Row[] {
  const planted = rows.filter(isPlanted)
  const harmless = new Set(
    planted
      .filter(({ label }) => label === 0)
      .flatMap(({ text }) => linesOf(text).map((line) => line.trim())),
  )
  const foreign = new Map<Row, string>()
  const times = new Map<string, number>()
  for (const row of planted) {
    if (row.label === 0) continue
    const order = linesOf(row.text)
      .filter((line) => !harmless.has(line.trim()))
      .join('\n')
    foreign.set(row, order)
    times.set(order, (times.get(order) ?? 0) + 1)
  }
  const orders = [...times].flatMap(([order, count]) => (order !== '' && count > 1 ? [order] : []))
  return rows.map((row) => {
    // A document that was cut has lines that the whole one has not.
    const order = orders.find((each) => foreign.get(row)?.includes(each))
    return order === undefined ? row : { ...row, order }
  })
}

/** Whether a row is of a set of documents into which orders were put. */
export function isPlanted({ set }: Pick<Row, 'set'>): boolean {
  return PLANTED.includes(set)
}

/** Sets of documents whose rows do not say so. */
const DATA: readonly string[] = [
  ...PLANTED,
  'replanted',
  'documents',
  'own-hidden',
  'own-planted',
  'own-documents',
]

/** Whether a text is data where it stands, and no prompt. */
export function isDocument({ surface, set }: Pick<Row, 'surface' | 'set'>): boolean {
  return surface === 'document' || surface === 'tool_result' || DATA.includes(set)
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '')
}

/** Licences under which weights trained on a text may be distributed, with attribution where they ask for it. */
const ADMITTED: readonly string[] = [
  'MIT',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'Unlicense',
  'CC-BY-3.0',
  'CC-BY-4.0',
]

/**
 * Whether weights trained on a row may be distributed: only under licences that say so of the row itself. Of BIPIA, whose
 * tables and program code are under CC BY-SA, that is the mails.
 */
export function isShippable({ licence, text }: Pick<Row, 'licence' | 'text'>): boolean {
  if (ADMITTED.includes(licence) || licence.startsWith('MIT (via')) return true
  return licence.startsWith('MIT; table and code contexts') && isMail(text)
}

/** Whether the order in a row may be trained on apart from the document: of BIPIA, those are under MIT. */
export function hasShippableOrder({ licence, order }: Pick<Row, 'licence' | 'order'>): boolean {
  return order !== undefined && licence.startsWith('MIT')
}

/** Neither a table nor program code, and with the head of a mail. */
function isMail(text: string): boolean {
  return /EMAIL_FROM:|SUBJECT:/.test(text) && !/^\s*\|/m.test(text) && !text.includes('```')
}

/** How many parts labelled rows are in; the first is never trained on. */
const FOLDS = 10

/**
 * One of `FOLDS` parts, by the first words of a text or of the order in it: texts that begin alike, as variants of one
 * template do, stay together.
 */
export function foldOf({ text, order = text }: Pick<Row, 'text' | 'order'>, prototypeOf: Prototype): number {
  let hash = 0x811c9dc5
  for (const word of foldText(order, prototypeOf).words.slice(0, 8)) {
    for (let place = 0; place < word.length; place++)
      hash = Math.imul(hash ^ word.charCodeAt(place), 0x01000193)
  }
  return ((hash ^ (hash >>> 15)) >>> 0) % FOLDS
}
