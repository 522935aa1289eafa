import type { FoldedText, ReadText } from '../text/folded-text.ts'

/** What an attack may show itself by. `quotation` and `subject` speak for a text that is about attacks. */
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

/** A place where a layer found something. */
export interface SignHit {
  readonly sign: Sign
  /** In words. */
  readonly from: number
  /** The word after the last one. */
  readonly to: number
}

export type Layer = (read: ReadText) => SignHit[]

/** The index of the first word that begins at or after a place of the original. */
export function wordAt({ starts }: FoldedText, place: number): number {
  return firstAtLeast(starts, place)
}

/** The index of the first of ascending numbers that is not smaller. */
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
