type Schedule = (resolve: () => void) => void

/** As they are when the module is loaded: tests replace them. */
const { setImmediate: schedule = (resolve) => setTimeout(resolve, 0) } = globalThis as {
  setImmediate?: Schedule
}

let isFirst = true

/**
 * The first run of a process has compiled what leads to a call of a model, and compiles what reads the response. In between,
 * other work that is due gets its turn. `undefined` in later runs.
 */
export function firstTurn(): Promise<void> | undefined {
  if (!isFirst) return undefined
  isFirst = false
  return new Promise(schedule)
}
