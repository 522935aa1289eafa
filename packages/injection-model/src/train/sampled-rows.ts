import type { DataRow } from './data-folder.ts'
import { hashOf } from './row-hash.ts'

/** The maximum number of characters and rows of a set: more than a few hundred rows add little. */
const MOST = { characters: 150_000, rows: 400 }

/** Sets whose attacks refer to a system prompt that is not in the row. */
const UNUSED: readonly string[] = ['purple_direct_weak', 'purple_secret', 'mosscap']

/** A deterministic sample of each set, by hash, so that the order of rows does not matter. */
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
