/** How much text is worked on at a stretch, in UTF-16 units: of the costliest text a few milliseconds' work. */
export const SLICE = 8_192

type Schedule = (resolve: () => void) => void

/** Where there is no `setImmediate`, a timer takes up to four milliseconds longer. */
const schedule: Schedule =
  (globalThis as { setImmediate?: Schedule }).setImmediate ?? ((resolve) => setTimeout(resolve, 0))

/** Resolves after other work that is due, such as timers and other requests. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise(schedule)
}

/** A text in slices of at most `length` units. None ends between the two units of a character. */
export function* slicesOf(text: string, length: number = SLICE): Generator<string, void, undefined> {
  for (let start = 0; start < text.length; ) {
    const end = wholeCharacter(text, start, Math.min(text.length, start + length))
    yield text.slice(start, end)
    start = end
  }
}

/**
 * Calls `work` for each slice of a text, and yields to the event loop between them. A text of one slice is worked on at
 * once, without a promise.
 */
export function forEachSlice(text: string, work: (slice: string) => void): Promise<void> | undefined {
  if (text.length > SLICE) return yieldBetween(slicesOf(text), work)
  work(text)
  return undefined
}

/**
 * Takes a piece of a text through what works on pieces: a long one in slices, with the event loop free between them, a short
 * one at once. Returns what comes out.
 */
export function pushInSlices(piece: string, push: (slice: string) => string): string | Promise<string> {
  if (piece.length <= SLICE) return push(piece)
  let out = ''
  const take = (slice: string): void => {
    out += push(slice)
  }
  return yieldBetween(slicesOf(piece), take).then(() => out)
}

/** Calls `work` for each item, and yields to the event loop between them. */
export async function yieldBetween<ITEM>(
  items: Iterable<ITEM>,
  work: (item: ITEM) => void | Promise<void>,
): Promise<void> {
  let isFirst = true
  for (const item of items) {
    if (!isFirst) await yieldToEventLoop()
    isFirst = false
    await work(item)
  }
}

/** `end`, or one less where that is within a character. */
function wholeCharacter(text: string, start: number, end: number): number {
  const isWithin = end < text.length && (text.codePointAt(end - 1) as number) > 0xffff
  return isWithin && end - 1 > start ? end - 1 : end
}
