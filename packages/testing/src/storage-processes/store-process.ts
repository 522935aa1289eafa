import type { ChildProcess } from 'node:child_process'
import { assert } from '../storage/assert.ts'
import type { StoreProcessOptions, StoreReport } from './store-job.ts'

/** A process with its own store. It waits for `go()` before it starts its job. */
export class StoreProcess {
  readonly reports: StoreReport[] = []
  /** Resolves when the process has exited and all its reports were read. */
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
      // Without the options of the test runner. Loading takes most of a short life, so it uses a compile cache.
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

  /** Waits until the process has sent so many reports, or has exited. */
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
    // A killed process does not read its stdin.
    this.#child.stdin?.once('error', () => {})
    this.#child.stdin?.write('go\n')
  }

  kill(): void {
    this.#killed = true
    this.#child.kill('SIGKILL')
  }

  /** Whether it was killed before its job was done. Known after it has exited. */
  get wasKilled(): boolean {
    return this.#signal === 'SIGKILL'
  }

  /** Waits for the exit, which must be successful unless the process was killed. */
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

/** The Node options for this package's sources, which import the sources of other packages. */
export const ownExecArgv = (): readonly string[] => (isSource() ? ['--conditions=@millrace/source'] : [])

function programPath(): string {
  const program = new URL(isSource() ? '../store-process.ts' : './store-process.js', import.meta.url)
  return process.getBuiltinModule('node:url').fileURLToPath(program)
}

/** Called when a test runs: bundles for workers have no `import.meta.url`. */
function isSource(): boolean {
  return import.meta.url.endsWith('.ts')
}
