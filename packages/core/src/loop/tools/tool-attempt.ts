import { MillraceError } from '../../errors.ts'
import { type Deadline, startDeadline } from '../../run/deadline.ts'
import type { Run } from '../../run/run.ts'
import { isThenable } from '../../schema.ts'

/** Wraps an error that a tool threw, to distinguish it from errors of processors. */
export class ThrownByTool {
  readonly thrown: unknown

  constructor(thrown: unknown) {
    this.thrown = thrown
  }
}

/**
 * One attempt at a call: runs the tool's code within the tool's timeout. An error of that code is thrown as
 * {@link ThrownByTool}. On timeout the attempt fails and its signal is aborted; later values of the tool are dropped.
 */
export class ToolAttempt {
  readonly signal: AbortSignal
  readonly #run: Run
  readonly #toolName: string
  readonly #milliseconds: number | undefined
  readonly #controller: AbortController | undefined
  /** Milliseconds left. Time spent in processors and waiting for the reader does not count. */
  #left = 0
  /** Set while the time counts. */
  #deadline: Deadline | undefined
  #onPassed: (() => void) | undefined
  #startedAt = 0
  #isOver = false

  constructor(run: Run, toolName: string) {
    const { toolTimeout, toolTimeouts } = run.settings
    this.#run = run
    this.#toolName = toolName
    this.#milliseconds = Object.hasOwn(toolTimeouts, toolName) ? toolTimeouts[toolName] : toolTimeout
    if (this.#milliseconds === undefined) {
      this.signal = run.signal
      return
    }
    this.#left = this.#milliseconds
    this.#controller = new AbortController()
    this.signal = AbortSignal.any([run.signal, this.#controller.signal])
  }

  /** The attempt has an outcome or has timed out. */
  get isOver(): boolean {
    return this.#isOver
  }

  end(): void {
    this.#isOver = true
  }

  /** Runs code of the tool, synchronous or not. */
  run<T>(work: () => T | PromiseLike<T>): T | PromiseLike<T> {
    const value = startTool(work)
    if (!isThenable(value)) return value
    return this.#controller ? this.#within(value, this.#controller) : value.then(undefined, throwByTool)
  }

  /** Iterates over the values of a streaming tool. */
  async *each(values: AsyncIterable<unknown>): AsyncGenerator<unknown> {
    const iterator = startTool(() => values[Symbol.asyncIterator]())
    let isOpen = true
    try {
      for (;;) {
        isOpen = false
        const { done, value } = await this.run(async () => {
          const { done, value } = await iterator.next()
          return { done, value }
        })
        if (done) return
        isOpen = true
        yield value
      }
    } finally {
      // Not awaited: a tool that timed out may never return.
      if (isOpen || this.#isOver) closeIterator(iterator)
    }
  }

  /** Pauses the timeout during `work`, which the tool waits for. */
  async paused<T>(work: () => Promise<T>): Promise<T> {
    const onPassed = this.#onPassed
    this.#stop()
    try {
      return await work()
    } finally {
      if (onPassed && !this.#isOver && !this.#run.over) this.#start(onPassed)
    }
  }

  #within<T>(value: PromiseLike<T>, controller: AbortController): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#start(() => {
        this.#isOver = true
        const error = this.#timeout()
        controller.abort(error)
        reject(new ThrownByTool(error))
      })
      value.then(
        (result) => {
          this.#stop()
          resolve(result)
        },
        (error) => {
          this.#stop()
          reject(new ThrownByTool(error))
        },
      )
    })
  }

  #start(onPassed: () => void): void {
    this.#onPassed = onPassed
    this.#startedAt = performance.now()
    this.#deadline = startDeadline(this.#left, { onPassed, until: this.#run.signal })
  }

  #stop(): void {
    if (!this.#deadline) return
    this.#deadline.end()
    this.#deadline = undefined
    this.#onPassed = undefined
    this.#left = Math.max(0, this.#left - (performance.now() - this.#startedAt))
  }

  #timeout(): MillraceError {
    return new MillraceError(
      'TOOL_TIMEOUT',
      `The tool '${this.#toolName}' took longer than ${this.#milliseconds} ms and was stopped.`,
    )
  }
}

function startTool<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    return throwByTool(error)
  }
}

function throwByTool(error: unknown): never {
  throw new ThrownByTool(error)
}

function closeIterator(iterator: AsyncIterator<unknown>): void {
  Promise.resolve()
    .then(() => iterator.return?.())
    .catch(() => {})
}
