import type { ProcessorEntry } from '@millrace/core'
import { Actions } from './act/actions.ts'
import { Library } from './library.ts'
import { type StudioOptions, type StudioSettings, settingsOf } from './options.ts'
import { RecordStore } from './record/record-store.ts'
import { Recorder } from './record/recorder.ts'
import { openServer } from './server/open-server.ts'
import type { Served } from './server/serve.ts'

/** Milliseconds between the heartbeats in the file. */
const HEARTBEAT = 5_000

/** A recorder of agents' runs, with the page that shows them. */
export interface Studio {
  /** Whether it records: not in production, unless `inProduction` is set. */
  readonly isRecording: boolean
  /**
   * The URL of the page with its token, or of one run. Anyone who has it can read the conversations. `undefined` if there
   * is no server.
   *
   * @throws MillraceError `CONFIG_INVALID` if the file or port cannot be used
   */
  link(runId?: string): Promise<string | undefined>
  /** Resolves when all events so far are written. */
  flush(): Promise<void>
  /** Stops recording, and closes the page and the file. Further calls do nothing. */
  close(): Promise<void>
}

/**
 * Records the conversations and what every processor of the agents does, and serves a page that shows it, on 127.0.0.1
 * only. Agents pay for their events; records are written in between. It does nothing if `NODE_ENV` is `production`, unless
 * `inProduction` is set.
 *
 * @example
 * const trace = studio({ agents: { support } })
 * console.log(await trace.link())
 *
 * @throws MillraceError `CONFIG_INVALID`, which names the option and its value
 */
export function studio(options: StudioOptions): Studio {
  const settings = settingsOf(options)
  if (process.env.NODE_ENV === 'production' && options.inProduction !== true) return IDLE
  return new RecordingStudio(settings)
}

const IDLE: Studio = {
  isRecording: false,
  link: async () => undefined,
  flush: async () => {},
  close: async () => {},
}

interface Open {
  store: RecordStore
  recorder: Recorder
  server: Served | undefined
  heartbeat: ReturnType<typeof setInterval>
}

class RecordingStudio implements Studio {
  readonly isRecording = true
  readonly #processId: string = crypto.randomUUID()
  readonly #settings: StudioSettings
  readonly #recorder: Recorder
  readonly #opened: Promise<Open>
  readonly #onExit = (): void => this.#recorder.flush()
  #closed: Promise<void> | undefined

  constructor(settings: StudioSettings) {
    this.#settings = settings
    this.#recorder = new Recorder({
      maxRuns: settings.maxRuns,
      processId: this.#processId,
      onError: settings.onError,
    })
    // Listens immediately: runs may start before the file is open.
    for (const [name, agent] of Object.entries(settings.agents)) this.#recorder.watch(agent, name)
    this.#opened = this.#open()
    this.#opened.catch((error: unknown) => {
      this.#recorder.close()
      settings.onError(error)
    })
  }

  async link(runId?: string): Promise<string | undefined> {
    const { server } = await this.#opened
    if (!server) return undefined
    const path = runId === undefined ? '/' : `/runs/${encodeURIComponent(runId)}`
    return `${server.url}${path}#token=${server.token}`
  }

  async flush(): Promise<void> {
    await this.#opened
    await this.#settleEvents()
    this.#recorder.flush()
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    const { store, server, heartbeat } = await this.#opened
    await this.#settleEvents()
    clearInterval(heartbeat)
    process.off('exit', this.#onExit)
    this.#recorder.close()
    await server?.close()
    store.retract(this.#processId)
    store.close()
  }

  /** Waits for events, which are delivered in a later turn of the event loop. */
  async #settleEvents(): Promise<void> {
    for (let turn = 0; turn < 2; turn++) await new Promise<void>((resolve) => setTimeout(resolve, 0))
  }

  async #open(): Promise<Open> {
    const { agents, file, port, models, processorSets, prices, onError } = this.#settings
    const store = await RecordStore.open(file === false ? ':memory:' : file)
    const library = new Library({ store, prices, flush: () => this.#recorder.flush() })
    this.#recorder.begin(store, library.notify)
    const actions = new Actions({
      agents: new Map(Object.entries(agents)),
      models,
      processorSets,
      library,
      recorder: this.#recorder,
    })
    let server: Served | undefined
    if (port !== false) {
      try {
        server = await openServer({
          library,
          actions,
          processId: this.#processId,
          port,
          keepsProcess: false,
          onError,
          agents: Object.keys(agents),
          models: Object.keys(models),
          processorSets: Object.entries(processorSets).map(([name, set]) => ({
            name,
            processors: set.map(idOf),
          })),
        })
      } catch (error) {
        store.close()
        throw error
      }
    }
    const announce = (): void => {
      const link = server && `${server.url}/#token=${server.token}`
      try {
        store.announce({ id: this.#processId, pid: process.pid, ...(link !== undefined && { link }) })
      } catch (error) {
        onError(error)
      }
    }
    announce()
    store.markInterrupted()
    const heartbeat = setInterval(announce, HEARTBEAT).unref()
    process.once('exit', this.#onExit)
    return { store, recorder: this.#recorder, server, heartbeat }
  }
}

function idOf(entry: ProcessorEntry): string {
  const { id, processor } = entry as { id?: string; processor?: { id: string } }
  return id ?? processor?.id ?? 'processors'
}
