import type { DataRow } from './data-folder.ts'
import { hashOf } from './row-hash.ts'

/** How much of a set is used, in characters and rows: a set of many rows says little more than one of a few hundred. */
const MOST = { characters: 150_000, rows: 400 }

/** Attacks by view of a system prompt that the row has not. */
const UNUSED: readonly string[] = ['purple_direct_weak', 'purple_secret', 'mosscap']

/** A part of each set, always the same: by hash, so without regard to order. */
export function sampled(data: readonly DataRow[]): DataRow[] {
  const sets = Map.groupBy(
    data.filter(({ set }) => !UNUSED.includes(set)),
    ({ set, label }) => `${set} ${label}`,
  )
  return [...sets.values()].flatMap((rows) => {
    const hashed = rows.map((row) => ({ row, hash: hashOf(row) })).sort((a, b) => (a.hash < b.hash ? -1 : 1))
    const taken: DataRow[] = []
    let characters = 0
    for (const { row } of hashed) {
      if (taken.length >= MOST.rows || characters + row.text.length > MOST.characters) continue
      characters += row.text.length
      taken.push(row)
    }
    return taken
  })
}
