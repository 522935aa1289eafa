import { diffWordsWithSpace } from 'diff'
import type { DifferencePart } from '../../src/wire.ts'

/** Characters of each text up to which words are compared; longer ones are shown one below the other. */
const MOST = 20_000

/** What differs between two texts, word by word. */
export function differenceOf(before: string, after: string): DifferencePart[] {
  if (before === after) return [{ type: 'same', text: before }]
  const parts =
    before.length > MOST || after.length > MOST
      ? undefined
      : diffWordsWithSpace(before, after, { maxEditLength: 2_000 })
  if (!parts) {
    return [
      { type: 'removed', text: before },
      { type: 'added', text: after },
    ]
  }
  return parts.map(({ value, added, removed }) => ({
    type: added ? 'added' : removed ? 'removed' : 'same',
    text: value,
  }))
}
