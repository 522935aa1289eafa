import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { json } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Deed } from './application.ts'

const WORKER = fileURLToPath(new URL('./worker.ts', import.meta.url))

type Worker = ChildProcessByStdio<Writable, Readable, null>

/** Decides over a deed: whether who did it is killed, and when. */
export type Fate = (deed: Deed) => { kill: false } | { kill: true; after: number; answered: boolean }

/**
 * The world that the workers act on, and the workers, which come back when they are killed. A deed is counted when the world
 * hears of it, answered or not.
 */
export class Workers {
  readonly deeds: (Deed & { word: string })[] = []
  kills = 0
  readonly #database: string
  readonly #fate: Fate
  readonly #server = createServer()
  readonly #running = new Map<string, Worker>()
  #next: { name: string; child: Worker } | undefined
  #isOver = false

  constructor(database: string, fate: Fate) {
    this.#database = database
    this.#fate = fate
    // A connection that the server ends as a deed is told would fail the call. On a busy machine that happens.
    this.#server.keepAliveTimeout = 0
    this.#server.on('request', async (request, response) => {
      const deed = (await json(request)) as Deed
      const word = `w${this.deeds.length}`
      this.deeds.push({ ...deed, word })
      const fate = this.#fate(deed)
      if (!fate.kill || fate.answered) response.end(word)
      if (fate.kill) setTimeout(() => this.#kill(deed.worker), fate.after)
    })
  }

  async start(count: number): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    await Promise.all(Array.from({ length: count }, (_, index) => this.#begin(`worker-${index}`)))
  }

  /** Another process takes the place of an executor. */
  #begin(executor: string): Promise<void> {
    const { name, child } = this.#next ?? this.#load()
    this.#running.set(name, child)
    child.stdin.write(executor)
    child.once('exit', () => {
      this.#running.delete(name)
      if (!this.#isOver) this.#begin(executor)
    })
    // Loaded meanwhile, so that little time passes without work.
    this.#next = this.#load()
    return new Promise((resolve) => child.stdout.once('data', () => resolve()))
  }

  /** A process that has loaded what it works with, and waits to be told who it is. */
  #load(): { name: string; child: Worker } {
    const name = crypto.randomUUID()
    const { port } = this.#server.address() as AddressInfo
    const child = spawn(process.execPath, ['--conditions=@millrace/source', WORKER], {
      env: {
        // Most of what a short life costs is loading.
        NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'),
        ...process.env,
        MILLRACE_DATABASE: this.#database,
        MILLRACE_WORLD: `http://127.0.0.1:${port}`,
        MILLRACE_WORKER: name,
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    return { name, child }
  }

  #kill(name: string): void {
    if (this.#running.get(name)?.kill('SIGKILL')) this.kills++
  }

  async stop(): Promise<void> {
    this.#isOver = true
    this.#server.close()
    this.#server.closeAllConnections()
    const children = [...this.#running.values(), ...(this.#next ? [this.#next.child] : [])]
    await Promise.all(
      children.map(async (child) => {
        const ended = new Promise((resolve) => child.once('exit', resolve))
        child.kill('SIGKILL')
        await ended
      }),
    )
  }
}
