import type { Prototype } from '@millrace/guards/internals'
import { foldText } from '@millrace/guards/internals'

/** A labeled text. Label 1 is an attack. */
export interface Row {
  readonly text: string
  readonly label: 0 | 1
  readonly set: string
  readonly licence: string
  /** ISO 639-1. Default: English. */
  readonly lang?: string
  /** The role of the text: `user`, `system`, `document` or `tool_result`. */
  readonly surface?: string
  /** The order alone, if it was inserted into a document. See `withOrders`. */
  readonly order?: string
}

/** Sets with documents without and with inserted orders. */
const PLANTED: readonly string[] = ['bipia_train']

/**
 * Sets `order` in the rows of sets that insert each order into many documents. An order is the lines that no harmless
 * document of the set has and that occur in several documents.
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
    // A truncated document may have lines that the whole document does not have.
    const order = orders.find((each) => foreign.get(row)?.includes(each))
    return order === undefined ? row : { ...row, order }
  })
}

/** Whether a row belongs to a set of documents with inserted orders. */
export function isPlanted({ set }: Pick<Row, 'set'>): boolean {
  return PLANTED.includes(set)
}

/** Sets of documents whose rows have no `surface`. */
const DATA: readonly string[] = [
  ...PLANTED,
  'replanted',
  'documents',
  'own-hidden',
  'own-planted',
  'own-documents',
]

/** Whether a text is data, not a prompt. */
export function isDocument({ surface, set }: Pick<Row, 'surface' | 'set'>): boolean {
  return surface === 'document' || surface === 'tool_result' || DATA.includes(set)
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '')
}

/** Licenses under which weights trained on a text may be distributed, with attribution if required. */
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
 * Whether weights trained on a row may be distributed: only under licenses that apply to the row itself. Of BIPIA,
 * whose tables and program code are under CC BY-SA, these are the mails.
 */
export function isShippable({ licence, text }: Pick<Row, 'licence' | 'text'>): boolean {
  if (ADMITTED.includes(licence) || licence.startsWith('MIT (via')) return true
  return licence.startsWith('MIT; table and code contexts') && isMail(text)
}

/** Whether the order in a row may be used for training without its document: those of BIPIA are under MIT. */
export function hasShippableOrder({ licence, order }: Pick<Row, 'licence' | 'order'>): boolean {
  return order !== undefined && licence.startsWith('MIT')
}

/** Whether a text has a mail header, and is neither a table nor program code. */
function isMail(text: string): boolean {
  return /EMAIL_FROM:|SUBJECT:/.test(text) && !/^\s*\|/m.test(text) && !text.includes('```')
}

/** The number of parts that labeled rows are split into. The first is never used for training. */
const FOLDS = 10

/**
 * Assigns a text to one of `FOLDS` parts by its first words, or those of its order: texts with the same beginning, such
 * as variants of a template, stay together.
 */
export function foldOf({ text, order = text }: Pick<Row, 'text' | 'order'>, prototypeOf: Prototype): number {
  let hash = 0x811c9dc5
  for (const word of foldText(order, prototypeOf).words.slice(0, 8)) {
    for (let place = 0; place < word.length; place++)
      hash = Math.imul(hash ^ word.charCodeAt(place), 0x01000193)
  }
  return ((hash ^ (hash >>> 15)) >>> 0) % FOLDS
}
