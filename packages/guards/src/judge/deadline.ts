export interface DeadlineOptions {
  readonly timeoutMs: number
  readonly abortSignal: AbortSignal
}

/**
 * Runs `work` with a timeout. Rejects immediately at the timeout or when the run is aborted, even if the work ignores
 * its signal.
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
