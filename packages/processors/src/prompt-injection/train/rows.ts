/** A labelled text: 1 is an attack. */
export interface Row {
  readonly text: string
  readonly label: 0 | 1
  readonly set: string
  readonly licence: string
}

/**
 * Whether weights trained on a row may be distributed: only under licences that say so of the row itself. Of BIPIA, whose
 * tables and program code are under CC BY-SA, that is the mails.
 */
export function isShippable({ licence, text }: Pick<Row, 'licence' | 'text'>): boolean {
  if (licence === 'Apache-2.0' || licence === 'MIT' || licence.startsWith('MIT (via')) return true
  return licence.startsWith('MIT; table and code contexts') && isMail(text)
}

/** Neither a table nor program code, and with the head of a mail. */
function isMail(text: string): boolean {
  return /EMAIL_FROM:|SUBJECT:/.test(text) && !/^\s*\|/m.test(text) && !text.includes('```')
}

/** How many parts labelled rows are in; the first is never trained on. */
const FOLDS = 10

/** One of `FOLDS` parts, by the first words: texts that begin alike, as variants of one template do, stay together. */
export function foldOf(words: readonly string[]): number {
  let hash = 0x811c9dc5
  for (const word of words.slice(0, 8)) {
    for (let place = 0; place < word.length; place++)
      hash = Math.imul(hash ^ word.charCodeAt(place), 0x01000193)
  }
  return ((hash ^ (hash >>> 15)) >>> 0) % FOLDS
}
