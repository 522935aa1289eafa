import { CONCEPTS } from '../text/concepts.ts'
import type { ReadText } from '../text/folded-text.ts'
import { firstAtLeast, type SignHit } from './layer.ts'

const OPENING = /["“”„«「『‘‹`]/g
const CLOSING = /["“»”」』’›`]/

/** The maximum distance of quotation marks from a sign, in UTF-16 units. */
const BEFORE = 80
const AFTER = 160

/** The maximum distance of a subject from a sign, in words. */
const SUBJECT_WITHIN = 40

/** Concepts of texts about attacks. */
const SUBJECTS: ReadonlySet<number> = new Set([
  CONCEPTS.attack,
  CONCEPTS.example,
  CONCEPTS.said,
  CONCEPTS.fooled,
])

/**
 * Turns quoted signs into `quotation` if the text also mentions what it quotes: attacks, examples, an article, what a
 * person says. Quotation marks alone are not enough, since an attacker can write them too.
 */
export function settleQuotations(read: ReadText, hits: readonly SignHit[]): SignHit[] {
  const subjects = hits.filter(({ sign }) => sign === 'subject').map(({ from }) => from)
  for (let place = 0; place < read.concepts.length; place++) {
    if (SUBJECTS.has(read.concepts[place] as number)) subjects.push(place)
  }
  if (subjects.length === 0) return [...hits]
  subjects.sort((a, b) => a - b)
  return hits.map((hit) => {
    if (hit.sign === 'subject' || hit.sign === 'delimiter') return hit
    const isSpokenOf = isAnyWithin(subjects, hit.from - SUBJECT_WITHIN, hit.to + SUBJECT_WITHIN)
    return isSpokenOf && isQuoted(read, hit) ? { ...hit, sign: 'quotation' } : hit
  })
}

function isAnyWithin(sorted: readonly number[], least: number, most: number): boolean {
  const first = sorted[firstAtLeast(sorted, least)]
  return first !== undefined && first <= most
}

/** Whether a quotation mark opens shortly before the sign, and one closes after it, on the same line. */
function isQuoted({ text, starts, ends }: ReadText, { from, to }: SignHit): boolean {
  const start = starts[from] ?? 0
  const end = ends[to - 1] ?? text.length
  const before =
    text
      .slice(Math.max(0, start - BEFORE), start + 1)
      .split('\n')
      .at(-1) ?? ''
  const after = text.slice(end, end + AFTER).split('\n', 1)[0] ?? ''
  const marks = before.match(OPENING)?.length ?? 0
  // An even number of straight quotation marks are all closed.
  const isOpen = /[“„«「『‘‹]/.test(before) || marks % 2 === 1
  return isOpen && CLOSING.test(after)
}
