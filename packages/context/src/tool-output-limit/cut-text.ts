import type { CountText } from '@millrace/tokens'
import { fitText } from '../content/fit-text.ts'

/** Which part of a text is kept. */
export type Kept = 'head' | 'tail' | 'head-tail'

/** The part of a text that is left out, as offsets in UTF-16 units. */
export interface Gap {
  readonly start: number
  readonly end: number
}

/** The maximum number of characters per available token. Few texts have more, and those are cut shorter. */
const PER_TOKEN = 8
/** Tokens are counted in chunks of this length, so that counting can stop early. */
const PIECE = 16_384

/** Counts tokens up to a limit. A result above the limit means that there are more. */
export async function tokensUpTo(text: string, limit: number, count: CountText): Promise<number> {
  let tokens = 0
  for (let start = 0; start < text.length && tokens <= limit; ) {
    const end = wholeCharacter(text, start + PIECE)
    tokens += await count(text.slice(start, end))
    start = end
  }
  return tokens
}

/**
 * The part to leave out so that the rest has at most `limit` tokens. Cuts at line breaks, or between
 * characters.
 */
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

/** The offset of the longest suffix with at most `share` tokens. */
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

/** The beginning of the next line, if it is in the first half of the rest. */
function beginningOfLine(text: string, place: number): number {
  const line = text.indexOf('\n', place - 1) + 1
  return line > 0 && line - place < (text.length - place) / 2 ? line : wholeCharacter(text, place, 'up')
}

/** The nearest offset, at most one lower or higher, that is not inside a surrogate pair. */
export function wholeCharacter(text: string, place: number, to: 'down' | 'up' = 'down'): number {
  if (place <= 0 || place >= text.length) return Math.max(0, Math.min(text.length, place))
  const isWithin = (text.codePointAt(place - 1) as number) > 0xffff
  return isWithin ? place + (to === 'up' ? 1 : -1) : place
}
