import { foldWord } from './conversation-words.ts'

/** A day, month or year that a text mentions. */
export interface NamedDate {
  year: number | undefined
  /** 1 to 12. */
  month: number | undefined
  day: number | undefined
}

/**
 * The languages whose month names are recognized. For a language that the runtime does not support, `Intl`
 * falls back to another one.
 */
const LOCALES =
  'en de fr es pt it nl sv da nb fi is pl cs sk sl hr ru uk bg tr el ro hu lt lv et ca eu ga cy id ms vi ar he fa hi bn sw'.split(
    ' ',
  )

/** Shorter month names are also other words (`may`, `mar`, `set`): they count only next to a number. */
const MIN_UNAMBIGUOUS_LENGTH = 4

const DAY = 86_400_000

/**
 * The date that a text mentions, in figures or words. `undefined` if it mentions neither a year nor a month.
 */
export function namedDate(text: string): NamedDate | undefined {
  const iso = /\b(\d{4})-(\d\d?)(?:-(\d\d?))?\b/.exec(text)
  if (iso) return dateOf(iso[1], iso[2], iso[3])
  const dotted = /\b(\d\d?)\. ?(\d\d?)\. ?(\d{4})\b/.exec(text)
  if (dotted) return dateOf(dotted[3], dotted[2], dotted[1])
  const eastern = /(?:(\d{4})[年년] ?)?(\d\d?)[月월](?: ?(\d\d?)[日일])?/.exec(text)
  if (eastern) return dateOf(eastern[1], eastern[2], eastern[3])

  const words = foldWord(text).match(/[\p{L}\p{M}]+|\d+/gu) ?? []
  const year = words.find((word) => /^(?:19|20)\d\d$/.test(word))
  for (const [index, word] of words.entries()) {
    const month = months().get(word)
    if (month === undefined) continue
    const beside = [
      ...words.slice(Math.max(index - 3, 0), index).reverse(),
      ...words.slice(index + 1, index + 3),
    ]
    const day = beside.find((other) => /^\d\d?$/.test(other))
    const isMonth =
      word.length >= MIN_UNAMBIGUOUS_LENGTH ||
      day !== undefined ||
      beside[0] === year ||
      words[index + 1] === year
    if (isMonth) return dateOf(year, String(month), day)
  }
  return year === undefined ? undefined : dateOf(year)
}

/** Whether a word may be part of a date: a number, or a month name. */
export function isDateWord(word: string): boolean {
  return /^\d{1,4}(?:st|nd|rd|th)?$/.test(word) || months().has(foldWord(word))
}

/**
 * How well a time matches a date: from 0 for no match to 1 for the same day. Dates have no time zone, so the
 * days before and after match too.
 */
export function fitsDate(time: Date, { year, month, day }: NamedDate): number {
  if (year !== undefined && time.getUTCFullYear() !== year) return 0
  if (month === undefined) return 0.15
  if (day !== undefined) {
    const named = Date.UTC(year ?? time.getUTCFullYear(), month - 1, day)
    if (time.getTime() >= named - DAY / 2 && time.getTime() < named + 1.5 * DAY) return 1
  }
  return time.getUTCMonth() + 1 === month ? 0.5 : 0
}

function dateOf(year?: string, month?: string, day?: string): NamedDate | undefined {
  const date = { year: numberOf(year), month: numberOf(month, 12), day: numberOf(day, 31) }
  return date.year === undefined && date.month === undefined ? undefined : date
}

function numberOf(text: string | undefined, most = 9_999): number | undefined {
  const number = Number(text)
  return number >= 1 && number <= most ? number : undefined
}

let known: Map<string, number> | undefined

/** Month names, alone and as written in a date: some languages inflect them. */
function months(): Map<string, number> {
  if (known) return known
  known = new Map()
  for (const locale of LOCALES) {
    const alone = new Intl.DateTimeFormat(locale, { month: 'long', timeZone: 'UTC' })
    const inDate = new Intl.DateTimeFormat(locale, { month: 'long', day: 'numeric', timeZone: 'UTC' })
    for (let month = 1; month <= 12; month++) {
      const time = Date.UTC(2026, month - 1, 10)
      const named = inDate.formatToParts(time).find(({ type }) => type === 'month')?.value ?? ''
      for (const name of [alone.format(time), named]) {
        const word = foldWord(name)
        // If several languages use a word, the first language wins.
        if (/^[\p{L}\p{M}]{3,}$/u.test(word) && !known.has(word)) known.set(word, month)
      }
    }
  }
  return known
}
