/** A point at which the model waits. */
export interface Pause {
  /** Whether the wait ignores the abort signal of the call. Default: `false`. */
  readonly ignoresAbort?: boolean
  /** Resolves when the model may continue. `stopped` is aborted when the result is no longer needed: clear timers then. */
  until(stopped: AbortSignal): Promise<unknown>
}

/** Resolves when the pause has ended or `stopped` is aborted; rejects if the pause rejects. */
export async function endOfPause(pause: Pause, stopped: AbortSignal): Promise<void> {
  if (stopped.aborted) return
  let release: (() => void) | undefined
  const stop = new Promise<void>((resolve) => {
    release = resolve
    stopped.addEventListener('abort', resolve as () => void, { once: true })
  })
  try {
    await Promise.race([pause.until(stopped), stop])
  } finally {
    if (release) stopped.removeEventListener('abort', release)
  }
}
