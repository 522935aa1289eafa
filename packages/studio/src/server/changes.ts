import type { Library } from '../library.ts'

/** Milliseconds between two reports: what changes ten times in that time is told once. */
const INTERVAL = 100

/** Runs that changed, and were deleted, since one has last asked. */
export interface Changes {
  changed: Set<string>
  deleted: string[]
}

/**
 * What changes from now on, at most ten times a second, until the signal fires. Subscribed at once, also where it is read later.
 *
 * @param options.runId Only this run. Default: all.
 */
export function changesOf(
  library: Library,
  { signal, runId }: { signal: AbortSignal; runId?: string },
): AsyncIterable<Changes> {
  const none = (): Changes => ({ changed: new Set(), deleted: [] })
  let waiting = none()
  let wake = (): void => {}
  const hasChanges = (): boolean => waiting.changed.size > 0 || waiting.deleted.length > 0
  const unsubscribe = library.subscribe((changed, deleted) => {
    for (const id of changed) if (runId === undefined || id === runId) waiting.changed.add(id)
    for (const id of deleted) if (runId === undefined || id === runId) waiting.deleted.push(id)
    if (hasChanges()) wake()
  })
  signal.addEventListener(
    'abort',
    () => {
      unsubscribe()
      wake()
    },
    { once: true },
  )
  return (async function* () {
    while (!signal.aborted) {
      if (!hasChanges()) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      if (signal.aborted) return
      const changes = waiting
      waiting = none()
      yield changes
      await new Promise<void>((resolve) => setTimeout(resolve, INTERVAL).unref())
    }
  })()
}
