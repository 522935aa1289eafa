/** Microtasks in which what comes of a task can be heard, before the next one starts. */
const HEARING = 8

/**
 * Lets at most `limit` tasks run at the same time; the others start in the order they came. One that had to wait starts
 * a moment late: whoever hears of the task before it may want to keep it from starting.
 */
export function semaphore(limit: number): <T>(task: () => Promise<T>) => Promise<T> {
  let running = 0
  const waiting: (() => void)[] = []
  return async (task) => {
    if (running < limit) running++
    else {
      await new Promise<void>((resolve) => waiting.push(resolve))
      for (let turn = 0; turn < HEARING; turn++) await undefined
    }
    try {
      return await task()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
