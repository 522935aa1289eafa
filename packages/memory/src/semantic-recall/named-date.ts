import { foldWord } from './conversation-words.ts'

/** A day, a month or a year that a text names. */
export interface NamedDate {
  year: number | undefined
  /** 1 to 12. */
  month: number | undefined
  day: number | undefined
}

/** Whose names of months are known. Where the runtime knows a language not, it answers with another one's. */
const LOCALES =
  'en de fr es pt it nl sv da nb fi is pl cs sk sl hr ru uk bg tr el ro hu lt lv et ca eu ga cy id ms vi ar he fa hi bn sw'.split(
    ' ',
  )

/** Shorter ones are other words too (`may`, `mar`, `set`): they mean a month beside a number alone. */
const UNMISTAKABLE = 4

const DAY = 86_400_000

/** The date that a text names, in figures or words; none if it names no year and no month. */
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
      word.length >= UNMISTAKABLE || day !== undefined || beside[0] === year || words[index + 1] === year
    if (isMonth) return dateOf(year, String(month), day)
  }
  return year === undefined ? undefined : dateOf(year)
}

/** Whether a word may be part of a date: a number, or the name of a month. */
export function isDateWord(word: string): boolean {
  return /^\d{1,4}(?:st|nd|rd|th)?$/.test(word) || months().has(foldWord(word))
}

/** How closely a time fits a date: 0 not at all, up to 1 for the day. Days have no time zone: the ones beside fit too. */
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

/** Months by their names, alone and in a date: some languages inflect them. */
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
        // The first language to use a word has it.
        if (/^[\p{L}\p{M}]{3,}$/u.test(word) && !known.has(word)) known.set(word, month)
      }
    }
  }
  return known
}
