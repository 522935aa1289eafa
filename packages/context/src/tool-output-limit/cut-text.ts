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
const CHARACTERS_PER_TOKEN = 8
/** Tokens are counted in chunks of this length, so that counting can stop early. */
const COUNT_CHUNK = 16_384

/** Counts tokens up to a limit. A result above the limit means that there are more. */
export async function tokensUpTo(text: string, limit: number, count: CountText): Promise<number> {
  let tokens = 0
  for (let start = 0; start < text.length && tokens <= limit; ) {
    const end = characterBoundary(text, start + COUNT_CHUNK)
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
  const length = Math.min(text.length, share * CHARACTERS_PER_TOKEN)
  let start = 0
  let end = text.length
  if (keep !== 'tail')
    start = (await fitText(text.slice(0, characterBoundary(text, length)), share, count)).length
  if (keep !== 'head') {
    end = Math.max(
      start,
      await tailStart(text, { from: characterBoundary(text, text.length - length), share, count }),
    )
  }
  return { start, end }
}

/** The offset of the longest suffix with at most `share` tokens. */
async function tailStart(
  text: string,
  { from, share, count }: { from: number; share: number; count: CountText },
): Promise<number> {
  for (let offset = from; offset < text.length; ) {
    const tokens = await count(text.slice(offset))
    if (tokens <= share) return offset
    const length = Math.min(
      text.length - offset - 1,
      Math.floor(((text.length - offset) * share * 0.98) / tokens),
    )
    offset = beginningOfLine(text, text.length - length)
  }
  return text.length
}

/** The beginning of the next line, if it is in the first half of the rest. */
function beginningOfLine(text: string, offset: number): number {
  const line = text.indexOf('\n', offset - 1) + 1
  return line > 0 && line - offset < (text.length - offset) / 2 ? line : characterBoundary(text, offset, 'up')
}

/** The nearest offset, at most one lower or higher, that is not inside a surrogate pair. */
export function characterBoundary(text: string, offset: number, to: 'down' | 'up' = 'down'): number {
  if (offset <= 0 || offset >= text.length) return Math.max(0, Math.min(text.length, offset))
  const isWithin = (text.codePointAt(offset - 1) as number) > 0xffff
  return isWithin ? offset + (to === 'up' ? 1 : -1) : offset
}
