import { yieldToEventLoop } from './event-loop.ts'

/** How much text is worked on at a stretch, in UTF-16 units: of the costliest text a few milliseconds' work. */
export const SLICE = 8_192

/** A text in slices of at most `length` units. None ends between the two units of a character. */
export function* slicesOf(text: string, length: number = SLICE): Generator<string, void, undefined> {
  for (let start = 0; start < text.length; ) {
    const end = wholeCharacter(text, start, Math.min(text.length, start + length))
    yield text.slice(start, end)
    start = end
  }
}

/**
 * Takes a piece of a text through what works on pieces: a long one in slices, with the event loop free between them, a short
 * one at once. Returns what comes out.
 */
export function pushInSlices(piece: string, push: (slice: string) => string): string | Promise<string> {
  return piece.length <= SLICE ? push(piece) : pushEach(piece, push)
}

async function pushEach(piece: string, push: (slice: string) => string): Promise<string> {
  let out = ''
  for (const slice of slicesOf(piece)) {
    out += push(slice)
    await yieldToEventLoop()
  }
  return out
}

/** `end`, or one less where that is within a character. */
function wholeCharacter(text: string, start: number, end: number): number {
  const isWithin = end < text.length && (text.codePointAt(end - 1) as number) > 0xffff
  return isWithin && end - 1 > start ? end - 1 : end
}
