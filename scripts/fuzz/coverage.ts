import { type Profiler, Session } from 'node:inspector'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from '../published-packages.ts'

/** What an input reached: blocks of code by place, and, measured for one input alone, about how often. */
export type Reached = ReadonlySet<string>

/** Says which blocks of code an input reaches, by V8's own counters. Begins before the code is loaded. */
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

  /** Counts only what lies in these folders. */
  only(folders: readonly string[]): void {
    this.#prefixes = folders.map((folder) => pathToFileURL(join(root, folder, '/')).href)
  }

  /** Blocks reached so far. */
  get blocks(): number {
    return this.#blocks
  }

  /** What was reached since the last call. `counts`: with how often, which says something of a single input only. */
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
    // Answers before it returns: the session is one with its own thread.
    this.#session.post('Profiler.takePreciseCoverage', (error, answer) => {
      if (error) throw error
      result = answer.result
    })
    return result
  }
}

/** Without how often. */
export function isBlock(reached: string): boolean {
  return /^.*\.ts:\d+:\d+$/.test(reached)
}
