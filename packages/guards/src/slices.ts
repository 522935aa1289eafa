import { codePointAt } from './code-point.ts'
import { yieldToEventLoop } from './event-loop.ts'

/**
 * How much text is processed between two turns of the event loop, in UTF-16 units: at most a few milliseconds of work.
 */
export const SLICE = 8_192

/** Splits a text into slices of at most `length` units. No slice ends within a surrogate pair. */
export function* slicesOf(text: string, length: number = SLICE): Generator<string, void, undefined> {
  for (let start = 0; start < text.length; ) {
    const end = wholeCharacter(text, start, Math.min(text.length, start + length))
    yield text.slice(start, end)
    start = end
  }
}

/**
 * Passes a chunk to `push` and returns the output. A long chunk is passed in slices, yielding to the event loop in
 * between; a short one synchronously.
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

/** `end`, or one less if `end` is within a surrogate pair. */
function wholeCharacter(text: string, start: number, end: number): number {
  const isWithin = end < text.length && codePointAt(text, end - 1) > 0xffff
  return isWithin && end - 1 > start ? end - 1 : end
}
