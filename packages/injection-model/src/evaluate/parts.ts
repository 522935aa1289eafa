import type { DataRow } from '../train/data-folder.ts'

/** The number of parts that the sources are split into. Each is scored by a classifier trained on the others. */
export const PARTS = 4

/** Sets with common authors or origins, by part. All other sets are assigned by a hash of their name. */
const AKIN: readonly (readonly RegExp[])[] = [
  [/^gandalf|^mosscap/, /^garak/],
  [/^parapet|^jailbreakcls/, /^agentdojo/],
  [/^inthewild/, /^purple/, /^lobe|^awesome|^roles/],
  [/^jbb|^deepset|^giskard|^bipia|^hinglish/],
]

/** The part of a row's source. */
export function partOf({ set }: Pick<DataRow, 'set'>): number {
  const known = AKIN.findIndex((patterns) => patterns.some((pattern) => pattern.test(set)))
  if (known >= 0) return known
  const family = set.split('_')[0] as string
  let hash = 7
  for (const character of family) hash = (Math.imul(hash, 31) + character.charCodeAt(0)) >>> 0
  return hash % PARTS
}
