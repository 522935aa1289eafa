import type { FoldedText, ReadText } from '../text/folded-text.ts'

/** Signs of an attack. `quotation` and `subject` are signs that a text is about attacks. */
export const SIGNS = [
  'override',
  'override-loose',
  'role',
  'freedom',
  'reveal',
  'exfiltration',
  'secrecy',
  'delimiter',
  'fake-turn',
  'encoding',
  'noise',
  'stray',
  'addressed',
  'unbound',
  'quotation',
  'subject',
] as const

export type Sign = (typeof SIGNS)[number]

/** A passage in which a layer found a sign. */
export interface SignHit {
  readonly sign: Sign
  /** The first word. */
  readonly from: number
  /** The word after the last one. */
  readonly to: number
}

export type Layer = (read: ReadText) => SignHit[]

/** The index of the first word that begins at or after a position of the original text. */
export function wordAt({ starts }: FoldedText, place: number): number {
  return firstAtLeast(starts, place)
}

/** The index of the first number that is at least `least`. The list must be ascending. */
export function firstAtLeast(ascending: readonly number[], least: number): number {
  let low = 0
  let high = ascending.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ascending[middle] as number) < least) low = middle + 1
    else high = middle
  }
  return low
}
