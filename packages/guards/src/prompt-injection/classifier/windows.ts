import type { Words } from './features.ts'

/** A part of a text that is judged by itself. */
export interface Window {
  /** In words. */
  readonly from: number
  readonly to: number
}

/** A window has at least so many words, where the text has them. */
const LEAST = 5

/** Besides the shortest, a window reaches as far as it can within each of these many words. */
const SIZES: readonly number[] = [16, 48]

/** Where no unit begins for so many words, a window does nevertheless. */
const STRIDE = 12

/**
 * The windows of a text. A unit is what the text itself parts: a sentence, a line, an item of a list, a cell, a string. At the
 * beginning of each begin three windows: to the end of that unit, and over as many whole units as are within 16 and 48 words. So
 * what stands in a document is judged as it is by itself.
 */
export function windowsOf({ words, begins }: Pick<Words, 'words' | 'begins'>): Window[] {
  const length = words.length
  const starts: number[] = []
  let last = Number.NEGATIVE_INFINITY
  for (let place = 0; place < length; place++) {
    if (!begins[place] && place - last < STRIDE) continue
    starts.push(place)
    last = place
  }
  starts.push(length)
  const count = starts.length - 1
  const windows: Window[] = []
  const ends = [0, 0, 0]
  for (let index = 0; index < count; index++) {
    const from = starts[index] as number
    const endOf = (slot: number, goesOn: (end: number) => boolean): number => {
      let end = Math.max(ends[slot] as number, index + 1)
      while (end < count && goesOn(end)) end++
      ends[slot] = end
      return starts[end] as number
    }
    let before = endOf(0, (end) => (starts[end] as number) - from < LEAST)
    windows.push({ from, to: before })
    for (const [slot, size] of SIZES.entries()) {
      const to = endOf(slot + 1, (end) => (starts[end + 1] as number) - from <= size)
      if (to > before) windows.push({ from, to })
      before = Math.max(before, to)
    }
  }
  return windows
}
