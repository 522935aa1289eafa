/** A point at which the model waits. */
export interface Pause {
  /** With `true` the abort signal of the call does not end the wait. Default `false`. */
  readonly ignoresAbort?: boolean
  /** Resolves when the model may go on. `stopped` fires when nobody waits any more: release timers then. */
  until(stopped: AbortSignal): Promise<unknown>
}

/** Resolves when the pause is over or `stopped` fires, whichever is first; rejects if the pause rejects. */
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
