import { type Profiler, Session } from 'node:inspector'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from '../published-packages.ts'

/** The coverage of an input: code blocks, and for an input that is measured alone, roughly how often each was executed. */
export type Reached = ReadonlySet<string>

/** Measures which code blocks an input executes, with V8's counters. Must start before the code is loaded. */
export class Coverage {
  readonly #session = new Session()
  readonly #known = new Set<string>()
  #prefixes: readonly string[] = []
  #blocks = 0

  constructor() {
    this.#session.connect()
    this.#session.post('Profiler.enable')
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  }

  /** Measures only code in these folders. */
  only(folders: readonly string[]): void {
    this.#prefixes = folders.map((folder) => pathToFileURL(join(root, folder, '/')).href)
  }

  /** The number of covered blocks so far. */
  get blocks(): number {
    return this.#blocks
  }

  /** The coverage since the last call. `counts`: with execution counts, which are meaningful for a single input only. */
  take({ counts }: { counts: boolean }): Reached {
    const reached = new Set<string>()
    for (const { url, functions } of this.#scripts()) {
      if (!this.#prefixes.some((prefix) => url.startsWith(prefix))) continue
      for (const { ranges } of functions) {
        for (const { startOffset, endOffset, count } of ranges) {
          if (count === 0) continue
          const block = `${url}:${startOffset}:${endOffset}`
          reached.add(block)
          if (counts) reached.add(`${block}:${Math.floor(Math.log2(count))}`)
        }
      }
    }
    return reached
  }

  isNew(reached: Reached): boolean {
    for (const each of reached) if (!this.#known.has(each)) return true
    return false
  }

  learn(reached: Reached): void {
    for (const each of reached) {
      if (this.#known.has(each)) continue
      this.#known.add(each)
      if (isBlock(each)) this.#blocks++
    }
  }

  #scripts(): readonly Profiler.ScriptCoverage[] {
    let result: readonly Profiler.ScriptCoverage[] = []
    // The callback is synchronous, because the session is connected to its own thread.
    this.#session.post('Profiler.takePreciseCoverage', (error, answer) => {
      if (error) throw error
      result = answer.result
    })
    return result
  }
}

/** Whether this is a block, without an execution count. */
export function isBlock(reached: string): boolean {
  return /^.*\.ts:\d+:\d+$/.test(reached)
}
