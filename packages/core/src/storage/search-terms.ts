import { stemmer } from 'stemmer'
import type { Message } from '../messages/message.ts'

/**
 * Maximum length of a term. Longer words are truncated: they are rarely real words, and a prefix is enough to find
 * them.
 */
const MAX_TERM_LENGTH = 40

/** Maximum number of distinct terms in a query. */
const MAX_QUERY_TERMS = 64

/** Maximum number of characters of a text that are searched. */
export const MAX_SEARCHED_LENGTH = 32_768

/** Maximum number of terms of a text that are searched. */
const MAX_TERMS = 4_096

const WORD = /[\p{L}\p{N}\p{M}]+(?:['’][\p{L}\p{M}]+)*/gu

/** The same for lower-case ASCII, in half the time. */
const ASCII_WORD = /[a-z0-9]+(?:'[a-z]+)*/g

/** Scripts without spaces between words, or with suffixes attached to words. Pairs of characters are used as terms. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

const UNSPACED_RUNS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{M}ー]+|[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu

/** The text of a message that can be searched: that of users and assistants. */
export function searchableText({ role, content }: Message): string {
  if (role === 'system') return ''
  let text = ''
  for (const part of content.parts) {
    if (part.type === 'text') text += `${part.text}\n`
    if (text.length > MAX_SEARCHED_LENGTH) break
  }
  return text
}

/**
 * The terms of a text, in order: its words without case and diacritics; English words are stemmed (Porter). A term
 * consists of letters, digits and marks only, so that no database parses it as syntax. All stores use these terms,
 * and so find the same messages. Only the beginning of a long text is used: the first 32,768 characters, and the
 * first 4,096 terms.
 */
export function indexTerms(text: string): string[] {
  const folded = fold(beginningOf(text))
  return isAscii(folded) ? asciiWords(folded).map(stem) : mixedTerms(folded)
}

/**
 * As {@link indexTerms}, but only terms with one of these first characters are needed; others may be empty. Splitting
 * a text into words is much faster than stemming.
 *
 * @param beginnings First characters of terms
 */
export function indexTermsBeginning(text: string, beginnings: ReadonlySet<string>): string[] {
  const folded = fold(beginningOf(text))
  if (!isAscii(folded)) return mixedTerms(folded)
  const words = asciiWords(folded)
  // A word and its stem have the same first letter.
  for (let index = 0; index < words.length; index++) {
    const word = words[index] as string
    words[index] = beginnings.has(word[0] as string) ? stem(word) : ''
  }
  return words
}

function asciiWords(folded: string): string[] {
  const words: string[] = folded.match(ASCII_WORD) ?? []
  return words.length > MAX_TERMS ? words.slice(0, MAX_TERMS) : words
}

function mixedTerms(folded: string): string[] {
  const terms: string[] = []
  for (const [word] of folded.matchAll(WORD)) {
    if (terms.length >= MAX_TERMS) break
    if (isAscii(word) || !UNSPACED.test(word)) {
      terms.push(stem(word))
      continue
    }
    for (const [run] of word.matchAll(UNSPACED_RUNS)) {
      if (UNSPACED.test(run)) addPairs(run, terms)
      else terms.push(stem(run))
    }
  }
  return terms.length > MAX_TERMS ? terms.slice(0, MAX_TERMS) : terms
}

/** The searched beginning of a text, cut between two words if possible. */
function beginningOf(text: string): string {
  if (text.length <= MAX_SEARCHED_LENGTH) return text
  const beginning = text.slice(0, MAX_SEARCHED_LENGTH)
  const lastWord = beginning.slice(-MAX_TERM_LENGTH).search(/[^\p{L}\p{N}\p{M}][\p{L}\p{N}\p{M}'’]*$/u)
  return lastWord < 0 ? beginning : beginning.slice(0, lastWord - MAX_TERM_LENGTH)
}

/** The distinct terms of a query. Stop words are left out, unless there are no other words. */
export function queryTerms(query: string): string[] {
  const all = new Set<string>()
  const telling = new Set<string>()
  for (const term of indexTerms(query)) {
    all.add(term)
    if (!STOP_TERMS.has(term)) telling.add(term)
    if (telling.size === MAX_QUERY_TERMS) break
  }
  return [...(telling.size > 0 ? telling : all)].slice(0, MAX_QUERY_TERMS)
}

/** Normalizes compatibility characters, case, and the diacritics of Latin, Greek and Cyrillic. */
function fold(text: string): string {
  if (isAscii(text)) return text.toLowerCase()
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase()
}

function isAscii(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: matches all of ASCII
  return /^[\u0000-\u007f]*$/.test(text)
}

/** A cache of stems by word, in two generations: most words of a text occurred in earlier texts. */
let stems = new Map<string, string>()
let olderStems = new Map<string, string>()
const MAX_STEMS = 5_000

function stem(word: string): string {
  if (word.length > MAX_TERM_LENGTH) return newStem(word)
  const known = stems.get(word)
  if (known !== undefined) return known
  const found = olderStems.get(word) ?? newStem(word)
  if (stems.size >= MAX_STEMS) {
    olderStems = stems
    stems = new Map()
  }
  stems.set(word, found)
  return found
}

function newStem(word: string): string {
  const bare = cut(word.replace(/['’]s$/, '').replace(/['’]/g, ''))
  return /^[a-z]{3,}$/.test(bare) ? stemmer(bare) : bare
}

/** Truncates between characters, not within a surrogate pair. */
function cut(word: string): string {
  if (word.length <= MAX_TERM_LENGTH) return word
  const term = word.slice(0, MAX_TERM_LENGTH)
  return term.isWellFormed() ? term : term.slice(0, -1)
}

function addPairs(run: string, terms: string[]): void {
  let previous = ''
  for (const character of run) {
    if (previous !== '') terms.push(previous + character)
    previous = character
  }
  if (previous === run) terms.push(run)
}

const STOP_TERMS: ReadonlySet<string> = new Set(
  indexTerms(`a about after again all also am an and any are aren't as at be because been before being but by can
    can't could couldn't did didn't do does doesn't doing don't down during each few for from further had hadn't has
    hasn't have haven't having he her here hers herself him himself his how i i'd i'll i'm i've if in into is isn't it
    it's its itself just let's me more most my myself no nor not of off on once only or other our ours ourselves out
    over own please same she should shouldn't so some such than that that's the their theirs them themselves then there
    these they they're this those through to too under until up very was wasn't we we're were weren't what what's when
    where which while who whom why will with won't would wouldn't you you'd you'll you're you've your yours yourself`),
)
