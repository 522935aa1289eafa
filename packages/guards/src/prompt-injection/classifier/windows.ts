import type { Words } from './features.ts'

/** A part of a text that is judged by itself. */
export interface Window {
  /** In words. */
  readonly from: number
  readonly to: number
  /** What is taken from its value: the more windows there are, the higher chance reaches. */
  readonly penalty: number
}

/** Windows of these many words, half overlapping. A shorter text is one window. */
const SIZES: readonly number[] = [16, 48]

/** What each doubling of the number of windows takes from their values. */
const CHANCE = 0.25

/** The windows of a text: one if it is short, else those of every size. */
export function windowsOf({ words }: Pick<Words, 'words'>): Window[] {
  const length = words.length
  const windows: Window[] = []
  if (SIZES.some((size) => length <= size)) windows.push({ from: 0, to: length, penalty: 0 })
  for (const size of SIZES) {
    if (length <= size) continue
    const count = Math.ceil((length - size) / (size / 2)) + 1
    const penalty = CHANCE * Math.log2(count)
    for (let index = 0; index < count; index++) {
      const from = Math.min((index * size) / 2, length - size)
      windows.push({ from, to: from + size, penalty })
    }
  }
  return windows
}
