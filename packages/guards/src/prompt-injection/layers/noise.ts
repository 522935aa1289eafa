import { type Layer, type SignHit, wordAt } from './layer.ts'

/** How many words of plain language come first, and the maximum distance of two odd words after them. */
const PLAIN = 5
const TOGETHER = 8

/** Longer lines are data. */
const LONGEST_LINE = 4_000

/** Sequences of punctuation that occur neither in natural language nor in program code. */
const ODD =
  /[A-Za-z]{2,}[\])}>;"'`*|]{1,3}[[({<$\\"`*=:.]|[\\{}()[\]"'`|<>=;*$#@^~_!,.:?%+-]{4,}|[[({][[({\\$%=.*'"`]|[=-]{1,2}>|\]\(|[\])}]{2}|["'][)\]}]|[a-z]{2,}[A-Z][a-z]+[^\s\w]|\\[a-z]+\{|[a-z][({[]$/
/** Code, placeholders, links and URLs, which are not odd. */
const USUAL = /`[^`]*`|\{\{[^{}]*\}\}|\[[\w .-]*\]\([^\s()]*\)|https?:\S+/g
/** A pair of brackets with quoted strings or numbers in it, as in data, and a formula: they are not odd either. */
const BALANCED = /(?:\((?=["'\d\\])|[[{](?=["'\d\\]))[^()[\]{}]{0,400}[)\]}]|\\[([][^\n]{1,200}?\\[)\]]/g
/** A quick test: every odd word contains one of these. */
const MARKS = /[[({`\\>]/
const PLAIN_BEGINNING = new RegExp(`^(?:[("']?[A-Za-z]+(?:['’-][A-Za-z]+){0,3}[,.;:?!)"']{0,2}\\s){${PLAIN}}`)

/**
 * Finds sentences that turn into fragments of code, markup and languages: the suffixes that optimization against a
 * model generates (Zou et al. 2023, "Universal and Transferable Adversarial Attacks on Aligned Language Models").
 */
export const findNoise: Layer = (read) => {
  const hits: SignHit[] = []
  if (!MARKS.test(read.text)) return hits
  let start = 0
  for (const line of read.text.split('\n')) {
    const from = line.length < LONGEST_LINE && MARKS.test(line) ? noiseIn(line) : -1
    if (from >= 0) {
      const word = Math.min(wordAt(read, start + from), Math.max(0, read.words.length - 1))
      hits.push({ sign: 'noise', from: word, to: word + 1 })
    }
    start += line.length + 1
  }
  return hits
}

/** The start of the noise in a line; -1 if there is none. */
function noiseIn(line: string): number {
  let text = line.replace(USUAL, covered)
  if (!PLAIN_BEGINNING.test(text)) return -1
  // Twice, since data is nested.
  for (let depth = 0; depth < 2; depth++) text = text.replace(BALANCED, covered)
  const words = text.split(/\s/)
  if (words.length < PLAIN + 4) return -1
  let place = 0
  let last = Number.NEGATIVE_INFINITY
  for (const [index, word] of words.entries()) {
    if (index >= PLAIN && word.length > 1 && word.length < 64 && ODD.test(word)) {
      if (index - last < TOGETHER) return place
      last = index
    }
    place += word.length + 1
  }
  return -1
}

function covered(text: string): string {
  return 'x'.repeat(text.length)
}
