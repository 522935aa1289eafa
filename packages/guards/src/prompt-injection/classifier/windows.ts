import type { Words } from './features.ts'

/** A part of a text that is scored by itself. */
export interface Window {
  /** `from` inclusive, `to` exclusive, in words. */
  readonly from: number
  readonly to: number
}

/** The minimum length of a window in words, if the text has that many. */
const LEAST = 5

/** The maximum lengths of the two longer windows, in words. */
const SIZES: readonly number[] = [16, 48]

/** The maximum number of words between the starts of two windows, even within one unit. */
const STRIDE = 12

/**
 * The windows of a text. A unit is a sentence, a line, a list item, a cell or a string. Three windows begin at each
 * unit: to the end of the unit, and over as many whole units as fit into 16 and 48 words. So a passage in a document is
 * also scored without the text around it.
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
    const endOf = (slot: number, isExtended: (end: number) => boolean): number => {
      let end = Math.max(ends[slot] as number, index + 1)
      while (end < count && isExtended(end)) end++
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
