// The table of the language detector in parts, as JSON, which are loaded and read in steps: its module of 50,000 literals is
// compiled at one stretch.

/** The table that `ngrams/extrasmall.js` of eld exports. */
export interface LanguageTable {
  readonly ngrams: Readonly<Record<string, unknown>>
}

/** Entries of a part. */
const PART = 6_144

/** The entries of a table as JSON objects. */
export function tableParts({ ngrams }: LanguageTable): string[] {
  const entries = Object.entries(ngrams)
  const parts: string[] = []
  for (let start = 0; start < entries.length; start += PART) {
    parts.push(JSON.stringify(Object.fromEntries(entries.slice(start, start + PART))))
  }
  return parts
}

/**
 * What takes the place of the entry `static.extrasmall.js` of eld: the same, with a table to
 * which parts are added: each inherits the next, for an object that grows moves all its entries at one stretch.
 */
export function tableEntry({ ngrams: _, ...table }: LanguageTable, parts: readonly string[]): string {
  return `import { createEld } from '../languageDetector.js'
const ngrams = {}
function build() {
  const { instance, loadData } = createEld()
  loadData({ ...${JSON.stringify(table)}, ngrams })
  instance.newInstance = build
  return instance
}
export const eld = build()
export const parts = [${parts.map((path) => `() => import('${path}')`).join(', ')}]
let last = ngrams
export function addPart(json) {
  const part = JSON.parse(json)
  Object.setPrototypeOf(last, part)
  last = part
}
`
}
