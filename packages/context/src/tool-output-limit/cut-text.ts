import type { CountText } from '@millrace/tokens'
import { fitText } from '../content/fit-text.ts'

/** Which part of a text stays. */
export type Kept = 'head' | 'tail' | 'head-tail'

/** What is left out of a text: from one place to another, in UTF-16 units. */
export interface Gap {
  readonly start: number
  readonly end: number
}

/** So many characters are looked at for each token there is room for. Few texts have more, and those are cut shorter. */
const PER_TOKEN = 8
/** A text is counted in pieces of this length, and no further than it must be. */
const PIECE = 16_384

/** The tokens of a text, counted up to a limit: a number above it says that there are more. */
export async function tokensUpTo(text: string, limit: number, count: CountText): Promise<number> {
  let tokens = 0
  for (let start = 0; start < text.length && tokens <= limit; ) {
    const end = wholeCharacter(text, start + PIECE)
    tokens += await count(text.slice(start, end))
    start = end
  }
  return tokens
}

/** What to leave out of a text so that the rest has at most `limit` tokens. It is cut at lines, or between characters. */
export async function gapIn(
  text: string,
  { limit, keep, count }: { limit: number; keep: Kept; count: CountText },
): Promise<Gap> {
  const share = keep === 'head-tail' ? Math.floor(limit / 2) : limit
  const length = Math.min(text.length, share * PER_TOKEN)
  let start = 0
  let end = text.length
  if (keep !== 'tail')
    start = (await fitText(text.slice(0, wholeCharacter(text, length)), share, count)).length
  if (keep !== 'head') {
    end = Math.max(
      start,
      await tailOf(text, { from: wholeCharacter(text, text.length - length), share, count }),
    )
  }
  return { start, end }
}

/** Where the end of a text begins that has at most `share` tokens. */
async function tailOf(
  text: string,
  { from, share, count }: { from: number; share: number; count: CountText },
): Promise<number> {
  for (let place = from; place < text.length; ) {
    const tokens = await count(text.slice(place))
    if (tokens <= share) return place
    const length = Math.min(
      text.length - place - 1,
      Math.floor(((text.length - place) * share * 0.98) / tokens),
    )
    place = beginningOfLine(text, text.length - length)
  }
  return text.length
}

/** The next line, if it begins in the first half of what follows. */
function beginningOfLine(text: string, place: number): number {
  const line = text.indexOf('\n', place - 1) + 1
  return line > 0 && line - place < (text.length - place) / 2 ? line : wholeCharacter(text, place, 'up')
}

/** A place that is not within a character, at most one before, or behind. */
export function wholeCharacter(text: string, place: number, to: 'down' | 'up' = 'down'): number {
  if (place <= 0 || place >= text.length) return Math.max(0, Math.min(text.length, place))
  const isWithin = (text.codePointAt(place - 1) as number) > 0xffff
  return isWithin ? place + (to === 'up' ? 1 : -1) : place
}
