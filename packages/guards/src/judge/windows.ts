import { SLICE, type Task } from '../guard/task.ts'

/** Boundaries at which a text may be cut, best first. */
const BOUNDARIES = [/\n\s*\n/g, /[.!?。！？]["')\]]*\s|\n|[。！？]/g, /\s/g]

/** Cutting text is faster than scanning it, by this factor. */
const CUT_PER_READ = 4

/** A part of a text that is judged by itself. */
export interface Window {
  readonly text: string
  readonly start: number
  /** The end of the previous window, as context for the judge. */
  readonly before: string
}

export interface WindowSize {
  /** The maximum length of a window, in UTF-16 units. */
  readonly size: number
  /** How much of the previous window is judged again with the next, so that nothing is lost at the boundary. */
  readonly overlap: number
}

/** Cuts a text that arrives in chunks into windows. The cuts do not depend on how the text arrives. */
export class WindowCutter {
  readonly #options: WindowSize
  #buffer = ''
  #start = 0
  #before: string

  /** @param before The text before, of which up to `overlap` units are judged with the first window */
  constructor(options: WindowSize, before = '') {
    this.#options = options
    this.#before = options.overlap === 0 ? '' : before.slice(-options.overlap)
  }

  /** Takes the next chunk. Returns the windows that are complete. */
  push(piece: string): Window[] {
    this.#buffer += piece
    const windows: Window[] = []
    while (this.#buffer.length > this.#options.size) {
      windows.push(this.#take(endOfWindow(this.#buffer.slice(0, this.#options.size + 1))))
    }
    return windows
  }

  /** Ends the text. Returns the last window. */
  end(): Window | undefined {
    return this.#buffer === '' ? undefined : this.#take(this.#buffer.length)
  }

  #take(length: number): Window {
    const text = this.#buffer.slice(0, length)
    const window = { text, start: this.#start, before: this.#before }
    this.#buffer = this.#buffer.slice(length)
    this.#start += length
    const { overlap } = this.#options
    this.#before = overlap === 0 ? '' : (this.#before + text).slice(-overlap)
    return window
  }
}

/** The end of the window in a text that is one unit longer than the maximum. */
function endOfWindow(text: string): number {
  const longest = text.length - 1
  for (const boundary of BOUNDARIES) {
    let cut = 0
    for (const { index, 0: match } of text.matchAll(boundary)) {
      if (index + match.length <= longest) cut = index + match.length
    }
    if (cut > longest / 2) return cut
  }
  const unit = text.charCodeAt(longest)
  return unit >= 0xdc00 && unit <= 0xdfff && longest > 1 ? longest - 1 : longest
}

/** The windows of a whole text. */
export function* windowsOf(text: string, options: WindowSize, before?: string): Task<Window[]> {
  const cutter = new WindowCutter(options, before)
  const windows: Window[] = []
  for (let start = 0; start < text.length; start += SLICE) {
    windows.push(...cutter.push(text.slice(start, start + SLICE)))
    yield SLICE / CUT_PER_READ
  }
  const last = cutter.end()
  return last ? [...windows, last] : windows
}
