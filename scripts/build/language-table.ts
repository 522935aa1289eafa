// Splits the table of the language detector into JSON parts that are loaded and read in steps. V8 compiles a module without
// yielding, so one module with 50,000 literals would block the event loop.

/** The table that `ngrams/extrasmall.js` of eld exports. */
export interface LanguageTable {
  readonly ngrams: Readonly<Record<string, unknown>>
}

/** The number of entries in a part. */
const PART = 6_144

/** The entries of a table, as JSON objects of {@link PART} entries. */
export function tableParts({ ngrams }: LanguageTable): string[] {
  const entries = Object.entries(ngrams)
  const parts: string[] = []
  for (let start = 0; start < entries.length; start += PART) {
    parts.push(JSON.stringify(Object.fromEntries(entries.slice(start, start + PART))))
  }
  return parts
}

/**
 * The code of a module that replaces `static.extrasmall.js`, an entry point of eld. It begins with an empty table, and
 * `addPart` appends each part to its prototype chain. Adding all entries to one object would block the event loop each time
 * the object is resized.
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
