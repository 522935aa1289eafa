import { diffWordsWithSpace } from 'diff'
import type { DifferencePart } from '../../src/wire.ts'

/** Maximum length for a comparison by words. Longer texts are shown one below the other. */
const MAX_LENGTH = 20_000

/** The difference of two texts by words. */
export function differenceOf(before: string, after: string): DifferencePart[] {
  if (before === after) return [{ type: 'same', text: before }]
  const parts =
    before.length > MAX_LENGTH || after.length > MAX_LENGTH
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
