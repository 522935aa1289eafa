import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, type AgentEventName, type AgentOptions, type Store } from '@millrace/core'
import { Memory, type MemoryOptions } from '@millrace/memory'
import { SQLiteStore } from '@millrace/store-sqlite'
import { trace } from '@opentelemetry/api'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { expect, vi } from 'vitest'

const EVENTS: AgentEventName[] = [
  'run-start',
  'step-finish',
  'tool-finish',
  'processor',
  'run-finish',
  'run-error',
  'background-error',
]

const LOGS = ['debug', 'log', 'info', 'warn', 'error'] as const

const exporter = new InMemorySpanExporter()

/** Records spans with content from here on. */
export function recordSpans(): void {
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
  )
}

/** A database in a file, and everything that agents with it write anywhere. */
export class Scene {
  readonly #directory = mkdtempSync(join(tmpdir(), 'millrace-stored-'))
  readonly #stores: SQLiteStore[] = []
  readonly #agents: Agent[] = []
  readonly #logs: unknown[] = []
  readonly events: { name: AgentEventName; event: unknown }[] = []

  constructor() {
    exporter.reset()
    for (const name of LOGS)
      vi.spyOn(console, name).mockImplementation((...said) => void this.#logs.push(said))
  }

  /** A memory with a connection of its own, like one in another process. */
  memory(options: MemoryOptions = {}): Memory {
    return new Memory({ storage: this.store(), ...options })
  }

  store(): SQLiteStore {
    const store = new SQLiteStore({ path: join(this.#directory, 'kept.db') })
    this.#stores.push(store)
    return store
  }

  /** A store that records the names of the called methods. */
  watchedStore(): { storage: Store; calls: string[] } {
    const calls: string[] = []
    const storage = new Proxy<Store>(this.store(), {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target)
        if (typeof value !== 'function') return value
        return (...given: unknown[]) => {
          calls.push(String(name))
          return value.apply(target, given)
        }
      },
    })
    return { storage, calls }
  }

  agent(options: AgentOptions): Agent {
    const agent = new Agent({ telemetry: { recordContent: true }, ...options }) as Agent
    for (const name of EVENTS) agent.on(name, (event) => this.events.push({ name, event }))
    this.#agents.push(agent)
    return agent
  }

  /** Waits for background work. */
  async settled(): Promise<void> {
    for (const agent of this.#agents) await agent.close()
  }

  get spans(): unknown[] {
    return exporter
      .getFinishedSpans()
      .map(({ name, attributes, events, status }) => ({ name, attributes, events, status }))
  }

  /** All bytes of the database: its file, its log, its index. */
  get bytes(): Record<string, Buffer> {
    const names = readdirSync(this.#directory)
    return Object.fromEntries(names.map((name) => [name, readFileSync(join(this.#directory, name))]))
  }

  /** None of the needles is in the database (while it is open and after it is closed), in events, spans or logs. */
  async expectClean(needles: readonly string[]): Promise<void> {
    await this.settled()
    expectNoBytes(this.bytes, needles)
    await this.close()
    expectNoBytes(this.bytes, needles)
    expect(this.events.length).toBeGreaterThan(0)
    expect(this.events).toLeakNothingOf(needles)
    expect(this.spans.length).toBeGreaterThan(0)
    expect(this.spans).toLeakNothingOf(needles)
    expect(this.#logs).toLeakNothingOf(needles)
  }

  async close(): Promise<void> {
    for (const store of this.#stores.splice(0)) await store.close()
  }

  async remove(): Promise<void> {
    await this.settled()
    await this.close()
    vi.restoreAllMocks()
    rmSync(this.#directory, { recursive: true, force: true })
  }
}

/** Searches bytes in any case: an index of words keeps them in lower case. */
function expectNoBytes(files: Record<string, Buffer>, needles: readonly string[]): void {
  expect(files).toHaveProperty(['kept.db'])
  for (const [name, bytes] of Object.entries(files)) {
    const text = bytes.toString('latin1').toLowerCase()
    for (const needle of needles) {
      const at = text.indexOf(Buffer.from(needle).toString('latin1').toLowerCase())
      const around = at === -1 ? '' : `${name}: …${text.slice(Math.max(0, at - 60), at + 60)}…`
      expect(around, `bytes of ${JSON.stringify(needle)}`).toBe('')
    }
  }
}
