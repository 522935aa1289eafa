export interface DeadlineOptions {
  readonly timeoutMs: number
  readonly abortSignal: AbortSignal
}

/**
 * Does something within a time. Settles at once when the time is over or the run is aborted, whether or not the work
 * heeds its signal.
 */
export function withDeadline<T>(
  work: (abortSignal: AbortSignal) => Promise<T>,
  { timeoutMs, abortSignal }: DeadlineOptions,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const controller = new AbortController()
    const stop = (reason: unknown): void => {
      settle()
      controller.abort(reason)
      reject(reason)
    }
    const onAbort = (): void => stop(abortSignal.reason)
    const timer = setTimeout(() => {
      stop(new DOMException(`The check took longer than ${timeoutMs} ms.`, 'TimeoutError'))
    }, timeoutMs)
    const settle = (): void => {
      clearTimeout(timer)
      abortSignal.removeEventListener('abort', onAbort)
    }
    if (abortSignal.aborted) {
      onAbort()
      return
    }
    abortSignal.addEventListener('abort', onAbort, { once: true })
    work(controller.signal).then(resolve, reject).finally(settle)
  })
}
