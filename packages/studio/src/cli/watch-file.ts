import type { Library } from '../library.ts'

/** Milliseconds between two looks into the file. */
const INTERVAL = 400
/** Clocks of processes differ, and a write takes its time: what is that old is looked at again. */
const OVERLAP = 2_000

/** Tells those who follow runs of what another process writes. Returns a function that ends it. */
export function watchFile(library: Library): () => void {
  const { store } = library
  /** When runs were written last, of those that may be seen again. */
  let seen = new Map<string, number>()
  let since = Date.now()
  const look = (): void => {
    store.markInterrupted()
    const rows = store.changedSince(since - OVERLAP)
    const changed = rows.filter(({ id, changed: at }) => seen.get(id) !== at).map(({ id }) => id)
    seen = new Map(rows.map(({ id, changed: at }) => [id, at]))
    since = Math.max(since, ...rows.map(({ changed: at }) => at))
    if (changed.length > 0) library.notify(new Set(changed), [])
  }
  const timer = setInterval(look, INTERVAL)
  return () => clearInterval(timer)
}
