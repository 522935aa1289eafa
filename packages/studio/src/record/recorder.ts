import type { Agent, AgentEventName, RunEvent } from '@millrace/core'
import { type ChildLink, foldFacts } from './fold-facts.ts'
import type { RecordStore } from './record-store.ts'
import { toRecordedEvent } from './recorded-event.ts'
import { newFacts, type RunRow } from './run-row.ts'

/** The recorded events. */
const EVENTS: readonly AgentEventName[] = [
  'run-start',
  'model-start',
  'step-finish',
  'tool-start',
  'tool-finish',
  'processor',
  'processor-decision',
  'processor-change',
  'output',
  'run-finish',
  'run-error',
  'background-error',
]

/** Milliseconds between writes. */
const INTERVAL = 200
/** Events per write, so that the event loop is not blocked. */
const AT_ONCE = 200
/** Maximum number of recorded events of a run. The final events are always recorded. */
const MAX_EVENTS = 20_000
/** Old runs are deleted after so many new runs. */
const PRUNE_EVERY = 100

interface Waiting {
  agentName: string
  name: AgentEventName
  event: RunEvent
}

/** A run in progress. */
interface OpenRun {
  row: RunRow
  /** The sequence number of its next event. */
  seq: number
}

/** Called after each write, with the runs that changed or were deleted. */
type OnWrite = (changed: ReadonlySet<string>, deleted: readonly string[]) => void

export interface RecorderOptions {
  processId: string
  maxRuns: number
  /** Called if records cannot be written: they are lost, and the agents continue. */
  onError: (error: unknown) => void
}

/**
 * Records the events of agents. A run pays only for copying its events: they are written later in batches, in their own
 * turns of the event loop.
 */
export class Recorder {
  readonly #options: RecorderOptions
  readonly #runs = new Map<string, OpenRun>()
  readonly #replays = new Map<string, string>()
  readonly #detach: (() => void)[] = []
  #waiting: Waiting[] = []
  /** The open store. Until it is open, events are buffered. */
  #target: { store: RecordStore; onWrite: OnWrite } | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #sincePruned = PRUNE_EVERY

  constructor(options: RecorderOptions) {
    this.#options = options
  }

  /** Records the runs that the agent starts from now on. */
  watch(agent: Agent, agentName: string): void {
    for (const name of EVENTS) {
      this.#detach.push(agent.on(name, (event) => this.#take({ agentName, name, event }), { content: true }))
    }
  }

  /** Starts writing: the buffered events, and all later ones. */
  begin(store: RecordStore, onWrite: OnWrite): void {
    this.#target = { store, onWrite }
    this.flush()
  }

  /** Marks a started run as a replay. */
  markReplay(runId: string, originalId: string): void {
    this.#replays.set(runId, originalId)
    const open = this.#runs.get(runId)
    if (open) open.row.replayOf = originalId
  }

  /** Writes all buffered events. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (!this.#target) return
    while (this.#waiting.length > 0) this.#write(this.#waiting.splice(0, AT_ONCE))
  }

  /** Stops recording, and writes the remaining events. */
  close(): void {
    for (const detach of this.#detach) detach()
    this.flush()
    this.#waiting = []
    this.#target = undefined
  }

  #take(waiting: Waiting): void {
    this.#waiting.push(waiting)
    // Unreferenced, so that the process can exit. The remaining events are written at exit.
    this.#timer ??= setTimeout(() => this.#writeSome(), INTERVAL).unref()
  }

  #writeSome(): void {
    this.#timer = undefined
    if (!this.#target) return
    this.#write(this.#waiting.splice(0, AT_ONCE))
    if (this.#waiting.length > 0) this.#timer = setTimeout(() => this.#writeSome(), 1).unref()
  }

  #write(batch: readonly Waiting[]): void {
    if (batch.length === 0 || !this.#target) return
    const { store, onWrite } = this.#target
    const rows = new Map<string, RunRow>()
    const events: { runId: string; seq: number; json: string }[] = []
    const children: (ChildLink & { parentId: string })[] = []
    for (const { agentName, name, event } of batch) {
      const { runId } = event
      const open = this.#openRun(agentName, name, event)
      if (!open) continue
      const recorded = toRecordedEvent(name, event)
      for (const child of foldFacts(open.row, recorded)) children.push({ ...child, parentId: runId })
      rows.set(runId, open.row)
      if (this.#isKept(open, name)) events.push({ runId, seq: open.seq++, json: JSON.stringify(recorded) })
      if (name === 'run-finish' || name === 'run-error') this.#runs.delete(runId)
    }
    try {
      store.write({ rows: [...rows.values()], events, children })
      onWrite(new Set(rows.keys()), this.#prune(store))
    } catch (error) {
      this.#options.onError(error)
    }
  }

  /** Ignores events of runs that started before `watch`, and events after the end of a run, except errors. */
  #openRun(agentName: string, name: AgentEventName, event: RunEvent): OpenRun | undefined {
    const { runId, at, threadId, resourceId } = event
    const known = this.#runs.get(runId)
    if (known) return known
    if (name !== 'run-start') return this.#reopen(runId, name)
    const replayOf = this.#replays.get(runId)
    this.#replays.delete(runId)
    const row: RunRow = {
      id: runId,
      agentName,
      ...(threadId !== undefined && { threadId }),
      ...(resourceId !== undefined && { resourceId }),
      ...(replayOf !== undefined && { replayOf }),
      state: 'running',
      startedAt: at,
      processId: this.#options.processId,
      facts: newFacts(),
    }
    const open = { row, seq: 0 }
    this.#runs.set(runId, open)
    this.#sincePruned++
    return open
  }

  /** A background error may arrive after the end of a run. */
  #reopen(runId: string, name: AgentEventName): OpenRun | undefined {
    if (name !== 'background-error') return undefined
    const row = this.#target?.store.get(runId)
    return row && { row, seq: row.facts.events }
  }

  #isKept({ row: { facts } }: OpenRun, name: AgentEventName): boolean {
    if (facts.events >= MAX_EVENTS && name !== 'run-finish' && name !== 'run-error') {
      facts.truncated = true
      return false
    }
    facts.events++
    return true
  }

  #prune(store: RecordStore): string[] {
    if (this.#sincePruned < PRUNE_EVERY) return []
    this.#sincePruned = 0
    const old = store.beyond(this.#options.maxRuns)
    for (const id of old) store.delete(id)
    return old
  }
}
