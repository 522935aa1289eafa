import type { ReadText } from '../text/folded-text.ts'
import type { Layer } from './layer.ts'

/** Words that begin a question or request. */
const ASKING = new Set(
  `what who how why when where which whats explain describe write draft compose create provide translate give list name tell
  solve calculate compute convert develop summarize summarise outline suggest recommend show can could would define discuss
  design generate add modify include integrate augment enhance insert replace introduce misspell scramble rearrange remove
  incorporate append embed send forward schedule book cancel delete wie warum wann erklare schreibe nenne ubersetze comment
  pourquoi explique ecris traduis como porque explica escribe traduce come perche spiega scrivi traduci`.split(
    /\s+/,
  ),
)

/** Words that refer to the text around a request. */
const POINTING = new Set(
  `this these that those following above below given text article passage paragraph sentence document table email mail message
  it its they he she his her them input question answer context review story statement here attached material you will act option
  options choice choices choose title summary label category premise hypothesis`.split(/\s+/),
)

/** Stop words, which do not relate a request to a text. */
const EMPTY = new Set(
  `the and for with are was were your you does how what who why when where which can could would from have has not there use
  about into his its all any more most one two`.split(' '),
)

/** The minimum length of the text, and the minimum and maximum length of the request, in words. */
const LEAST_TEXT = 30
const SHORTEST = 3
const LONGEST = 30

/** Words are compared by their first letters, this many. */
const STEM = 5

/** The maximum share of a request's words that may occur elsewhere in the text. */
const SHARED = 0.2

/**
 * Finds a single request, on a line of its own, in a text that is about something else and makes no other requests: a
 * question to the model that reads the document, rather than one that belongs to the document.
 */
export const findStrayRequests: Layer = (read) => {
  const { words, begins } = read
  if (words.length < LEAST_TEXT) return []
  const requests: { from: number; to: number }[] = []
  for (let from = 0; from < words.length; from++) {
    if (!begins[from] || !ASKING.has(words[from] as string) || !startsLine(read, from)) continue
    const to = endOfLine(read, from)
    if (to - from >= SHORTEST && to - from <= LONGEST) requests.push({ from, to })
    if (requests.length > 2) return []
  }
  const stray = requests.filter((request) => isStray(read, request))
  return stray.length === 1 ? stray.map((request) => ({ sign: 'stray', ...request })) : []
}

function isStray({ words, text, ends }: ReadText, { from, to }: { from: number; to: number }): boolean {
  const own = words.slice(from, to)
  // A colon introduces a question that follows.
  if (/^[^\n]{0,3}:/.test(text.slice(ends[to - 1]))) return false
  if (own.some((word) => POINTING.has(word))) return false
  const stems = own.slice(1).filter(isFull).map(stemOf)
  if (stems.length === 0) return false
  const left = new Set(stems)
  const others = (begin: number, end: number): void => {
    for (let place = begin; place < end && left.size > 0; place++) left.delete(stemOf(words[place] as string))
  }
  others(0, from)
  others(to, words.length)
  return stems.filter((stem) => !left.has(stem)).length <= SHARED * stems.length
}

function isFull(word: string): boolean {
  return word.length > 2 && !EMPTY.has(word)
}

function stemOf(word: string): string {
  return word.slice(0, STEM)
}

/** Whether the word begins its line, apart from quotation marks. */
function startsLine({ text, starts }: ReadText, place: number): boolean {
  const start = starts[place] as number
  const before = text.slice(Math.max(0, start - 3), start)
  return /(?:^|\n)["'“ ]*$/.test(start <= 3 ? before : `x${before}`)
}

/** The word after the last one of the line, or the first beyond `LONGEST`. */
function endOfLine({ text, starts, ends, words }: ReadText, from: number): number {
  let to = from + 1
  while (to < words.length && to - from <= LONGEST) {
    if (text.slice(ends[to - 1], starts[to]).includes('\n')) break
    to++
  }
  return to
}
