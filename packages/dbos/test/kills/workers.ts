import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { json } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Action } from './application.ts'

const WORKER = fileURLToPath(new URL('./worker.ts', import.meta.url))

type Worker = ChildProcessByStdio<Writable, Readable, null>

/** Decides whether, and when, the process that has reported an action is killed. */
export type KillDecision = (
  action: Action,
) => { kill: false } | { kill: true; after: number; answered: boolean }

/**
 * The server that gets the reports, and the workers, which are restarted when they are killed. An action
 * counts when the server receives it, even if it is not answered.
 */
export class Workers {
  readonly actions: (Action & { reply: string })[] = []
  kills = 0
  readonly #database: string
  readonly #decide: KillDecision
  readonly #server = createServer()
  readonly #running = new Map<string, Worker>()
  #next: { name: string; child: Worker } | undefined
  #isOver = false

  constructor(database: string, decision: KillDecision) {
    this.#database = database
    this.#decide = decision
    // If the server closed an idle connection while a worker sends a report, the call would fail.
    this.#server.keepAliveTimeout = 0
    this.#server.on('request', async (request, response) => {
      const action = (await json(request)) as Action
      const reply = `w${this.actions.length}`
      this.actions.push({ ...action, reply })
      const decision = this.#decide(action)
      if (!decision.kill || decision.answered) response.end(reply)
      if (decision.kill) setTimeout(() => this.#kill(action.worker), decision.after)
    })
  }

  async start(count: number): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    await Promise.all(Array.from({ length: count }, (_, index) => this.#start(`worker-${index}`)))
  }

  /** Starts a process for an executor. */
  #start(executor: string): Promise<void> {
    const { name, child } = this.#next ?? this.#load()
    this.#running.set(name, child)
    child.stdin.write(executor)
    child.once('exit', () => {
      this.#running.delete(name)
      if (!this.#isOver) this.#start(executor)
    })
    // Loaded in advance, so that the executor is soon replaced.
    this.#next = this.#load()
    return new Promise((resolve) => child.stdout.once('data', () => resolve()))
  }

  /** Spawns a process that loads its modules and waits for its executor id. */
  #load(): { name: string; child: Worker } {
    const name = crypto.randomUUID()
    const { port } = this.#server.address() as AddressInfo
    const child = spawn(process.execPath, ['--conditions=@millrace/source', WORKER], {
      env: {
        // Loading takes most of a short life.
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
