import type { Library } from '../library.ts'

/** Milliseconds between two reads of the file. */
const INTERVAL = 400
/** Milliseconds that are read again each time, because clocks of processes differ and writes take time. */
const OVERLAP = 2_000

/** Notifies followers of the runs that another process writes. Returns a function that stops it. */
export function watchFile(library: Library): () => void {
  const { store } = library
  /** The last write of each run that may be read again. */
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
