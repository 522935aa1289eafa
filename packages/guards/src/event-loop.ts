type Schedule = (resolve: () => void) => void

/** Without `setImmediate`, the fallback timer takes up to four milliseconds longer. */
const schedule: Schedule =
  (globalThis as { setImmediate?: Schedule }).setImmediate ?? ((resolve) => setTimeout(resolve, 0))

/** Resolves after other work that is due, such as timers and other requests. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise(schedule)
}
