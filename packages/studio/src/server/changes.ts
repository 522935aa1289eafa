import type { Library } from '../library.ts'

/** Milliseconds between two reports. Changes in between are merged. */
const INTERVAL = 100

/** The runs that changed or were deleted since the last report. */
export interface Changes {
  changed: Set<string>
  deleted: string[]
}

/**
 * Yields changes, at most ten times a second, until the signal is aborted. It subscribes immediately, even if it is read
 * later.
 *
 * @param options.runId Only this run. Default: all runs.
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
