import { yieldToEventLoop } from '../event-loop.ts'

/**
 * The work of a hook: synchronous as far as possible, else a promise. It yields how many units of text it has read,
 * where the event loop may get a turn, or a promise to wait for.
 */
export type Task<T> = Generator<number | PromiseLike<unknown>, T, unknown>

/** Text is read in slices of this many UTF-16 units. */
export const SLICE = 8_192

/** How much is read before the event loop gets a turn, in UTF-16 units. */
const AT_ONCE = 16_384

/** Waits for a value if it is a promise. */
export function* wait<T>(value: T | PromiseLike<T>): Task<T> {
  return isPromise(value) ? ((yield value) as T) : value
}

/** Runs a task that waits for nothing, without yielding to the event loop. */
export function atOnce<T>(task: Task<T>): T {
  let next = task.next()
  while (!next.done) next = task.next()
  return next.value
}

/** Runs a task. Returns its value synchronously if it waits for nothing and reads little text. */
export function perform<T>(task: Task<T>): T | Promise<T> {
  let read = 0
  let next = task.next()
  while (!next.done) {
    const { value } = next
    if (typeof value !== 'number') return proceed(task, value)
    read += value
    if (read >= AT_ONCE) return proceed(task, yieldToEventLoop())
    next = task.next()
  }
  return next.value
}

async function proceed<T>(task: Task<T>, first: PromiseLike<unknown>): Promise<T> {
  let waiting = first
  for (;;) {
    let next = await settled(task, waiting)
    let read = 0
    while (!next.done && typeof next.value === 'number') {
      read += next.value
      if (read >= SLICE) break
      next = task.next()
    }
    if (next.done) return next.value
    waiting = typeof next.value === 'number' ? yieldToEventLoop() : next.value
  }
}

async function settled<T>(
  task: Task<T>,
  waiting: PromiseLike<unknown>,
): Promise<ReturnType<Task<T>['next']>> {
  let value: unknown
  try {
    value = await waiting
  } catch (error) {
    return task.throw(error)
  }
  return task.next(value)
}

export function isPromise(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
  )
}
