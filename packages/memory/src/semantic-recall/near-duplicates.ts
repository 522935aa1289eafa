import { type StoredMessage, textOfParts } from '@millrace/core'
import { indexTerms } from '@millrace/core/storage'

/** Number of characters of a text that are compared. */
const MAX_CHARACTERS = 1_000

/** Texts are near-duplicates if they share at least this part of their words (Jaccard index). */
const SAME = 0.8

/** The threshold for questions. It is lower, because rewording does not make a question a different one. */
const SAME_QUESTION = 0.6

interface Content {
  terms: ReadonlySet<string>
  numbers: string
  isQuestion: boolean
}

/**
 * The first `count` hits that say something new: neither what an earlier hit says, nor what `text` asks.
 * Texts with different numbers are never duplicates.
 */
export function withoutNearDuplicates(
  hits: Iterable<StoredMessage>,
  { text, count }: { text: string; count: number },
): StoredMessage[] {
  const asked = contentOf(text)
  const shown: StoredMessage[] = []
  const contents: Content[] = []
  // Texts that were already kept or dropped: most duplicates are word for word.
  const texts = new Set<string>()
  for (const hit of hits) {
    if (shown.length === count) break
    const own = textOfParts(hit.message.content.parts)
    if (texts.has(own)) continue
    const content = contentOf(own)
    if (content.terms.size > 0) texts.add(own)
    if (content.isQuestion && isSame(content, { ...asked, isQuestion: true })) continue
    if (contents.some((other) => isSame(content, other))) continue
    shown.push(hit)
    contents.push(content)
  }
  return shown
}

function contentOf(whole: string): Content {
  const text = whole.slice(0, MAX_CHARACTERS)
  const terms = new Set(indexTerms(text))
  return {
    terms,
    numbers: [...terms]
      .filter((term) => /\p{N}/u.test(term))
      .sort()
      .join(' '),
    isQuestion: /[?？؟]\s*$/u.test(text),
  }
}

function isSame(left: Content, right: Content): boolean {
  if (left.numbers !== right.numbers || left.isQuestion !== right.isQuestion) return false
  let shared = 0
  for (const term of left.terms) if (right.terms.has(term)) shared++
  const all = left.terms.size + right.terms.size - shared
  return all > 0 && shared >= (left.isQuestion ? SAME_QUESTION : SAME) * all
}
