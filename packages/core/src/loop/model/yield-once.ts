type Schedule = (resolve: () => void) => void

/** Stored when the module is loaded, because tests replace the globals. */
const { setImmediate: schedule = (resolve) => setTimeout(resolve, 0) } = globalThis as {
  setImmediate?: Schedule
}

let isFirst = true

/**
 * Yields to the event loop once, in the first run of a process: the run has just compiled the code up to the model
 * call, and will compile the code that reads the response. Returns `undefined` in later runs.
 */
export function yieldOnce(): Promise<void> | undefined {
  if (!isFirst) return undefined
  isFirst = false
  return new Promise(schedule)
}
