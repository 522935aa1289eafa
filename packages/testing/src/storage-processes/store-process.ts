import type { ChildProcess } from 'node:child_process'
import { assert } from '../storage/assert.ts'
import type { StoreProcessOptions, StoreReport } from './store-job.ts'

/** A process with a store of its own. It waits for `go()` before it begins its job. */
export class StoreProcess {
  readonly reports: StoreReport[] = []
  /** Fulfilled when the process has ended and all it said was heard. */
  readonly ended: Promise<void>
  readonly #child: ChildProcess
  readonly #waiting = new Set<() => void>()
  #errors = ''
  #hasEnded = false
  #killed = false
  #signal: NodeJS.Signals | null = null

  constructor(options: StoreProcessOptions, execArgv: readonly string[]) {
    const { spawn } = process.getBuiltinModule('node:child_process')
    this.#child = spawn(process.execPath, [...execArgv, programPath(), JSON.stringify(options)], {
      stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
      // The runner's own options are not meant for it. Most of what a short life costs is loading.
      env: { NODE_COMPILE_CACHE: cacheFolder(), ...process.env, NODE_OPTIONS: '', VITEST: '' },
    })
    let rest = ''
    this.#child.stdio[3]?.on('data', (data: Buffer) => {
      const lines = `${rest}${data}`.split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) this.reports.push(JSON.parse(line))
      this.#wake()
    })
    this.#child.stderr?.on('data', (data: Buffer) => {
      this.#errors += data
    })
    this.ended = new Promise((resolve) => {
      this.#child.once('close', (_code, signal) => {
        this.#hasEnded = true
        this.#signal = signal
        this.#wake()
        resolve()
      })
    })
  }

  /** Waits until the process has said so many things, or has ended. */
  async said(count: number): Promise<void> {
    while (this.reports.length < count && !this.#hasEnded) {
      await new Promise<void>((resolve) => this.#waiting.add(resolve))
    }
  }

  /** Waits until the store is open. */
  async ready(): Promise<void> {
    await this.said(1)
    if (!this.#killed) assert.equal(this.reports[0]?.type, 'ready', this.#errors)
  }

  go(): void {
    // A process that was killed does not listen.
    this.#child.stdin?.once('error', () => {})
    this.#child.stdin?.write('go\n')
  }

  kill(): void {
    this.#killed = true
    this.#child.kill('SIGKILL')
  }

  /** Whether it was killed before its job was done. Known once it has ended. */
  get wasKilled(): boolean {
    return this.#signal === 'SIGKILL'
  }

  /** Waits for the end, which must be that of the job unless the process was killed. */
  async finish(): Promise<StoreReport[]> {
    await this.ended
    if (!this.#killed) assert.equal(this.reports.at(-1)?.type, 'done', this.#errors)
    return this.reports
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve()
    this.#waiting.clear()
  }
}

function cacheFolder(): string {
  return process
    .getBuiltinModule('node:path')
    .join(process.getBuiltinModule('node:os').tmpdir(), 'node-compile-cache')
}

/** What Node needs to run the program: this package's sources resolve the others to theirs. */
export const ownExecArgv = (): readonly string[] => (isSource() ? ['--conditions=@millrace/source'] : [])

function programPath(): string {
  const program = new URL(isSource() ? '../store-process.ts' : './store-process.js', import.meta.url)
  return process.getBuiltinModule('node:url').fileURLToPath(program)
}

/** Asked when a test runs: bundles for workers have no `import.meta.url`. */
function isSource(): boolean {
  return import.meta.url.endsWith('.ts')
}
