import { isDeepStrictEqual } from 'node:util'
import type { Agent, AgentInput, RunOptions } from '@millrace/core'
import { MillraceError } from '@millrace/core'
import type { AgentOpener, RecordedState, RecordedTrace } from '@millrace/core/recording'
import { applyChange, type Change, changeBetween, type Json } from './changes.ts'
import { ChunkWriter } from './chunk-writer.ts'
import { type CallRecord, LiveRun, type Reached, type SuspensionInfo } from './live-run.ts'
import { type StoredError, storedError } from './stored-chunk.ts'
import { type StoredResult, storedResult } from './stored-result.ts'

/** What a DBOS step has come to, as it is recorded: only what has changed of the run. */
export type Segment = {
  /** How many chunks the run has emitted. */
  position: number
} & (
  | { to: 'point'; next: string; change: Change | undefined }
  | { to: 'calls'; change: Change | undefined; calls: SegmentCall[] }
  | {
      to: 'suspended'
      change: Change | undefined
      /** As readers get it. */
      suspension: SuspensionInfo
      /** What the run itself waits for, where `processDelivery` has changed that for readers. */
      own?: { payload: unknown }
      ttlMs: number
    }
  | { to: 'end'; result: StoredResult }
  | { to: 'failed'; error: StoredError }
)

type SuspendedSegment = Extract<Segment, { to: 'suspended' }>

export interface SegmentCall {
  toolCallId: string
  toolName: string
  /** It may be executed again: it finds what it has begun. */
  again?: true
}

export interface RecordingOptions {
  agent: Agent
  runId: string
  input: AgentInput
  options: RunOptions
  openAgent: AgentOpener
  trace: RecordedTrace | undefined
  /** Whether runs of the agent are durable, so that a call finds the one it has begun. */
  isDurable: (agent: object) => boolean
}

/**
 * A run as far as it is recorded, and, once something is to be done that is not, at work in this process. Steps that are
 * recorded change the state alone; nothing of what they did is done again.
 */
export class Recording {
  readonly #options: RecordingOptions
  #snapshot: Json | undefined
  /** The last suspension, until it is answered and the run has come further. */
  #suspended: SuspendedSegment | undefined
  #data: { data: unknown } | undefined
  #calls: NonNullable<RecordedState['calls']> = []
  #position = 0
  #live: { run: LiveRun; writer: ChunkWriter } | undefined
  #round: CallRound | undefined
  /** What was done in the step that is under way. */
  #last: { segment: Segment; text: string } | undefined

  constructor(options: RecordingOptions) {
    this.#options = options
  }

  get position(): number {
    return this.#position
  }

  /**
   * Works on up to the next point. To be called within a DBOS step, whose output is what is returned: the segment, as JSON
   * text, which is stored faster than an object is.
   */
  async advance(): Promise<string> {
    const { run, writer } = this.#open()
    const segment = await this.#toSegment(await run.advance(), writer)
    this.#last = { segment, text: JSON.stringify(segment) }
    return this.#last.text
  }

  /** Takes in a segment that was recorded, now or by another process. */
  apply(text: string): Segment {
    const segment: Segment = this.#last?.text === text ? this.#last.segment : JSON.parse(text)
    this.#last = undefined
    this.#take(segment)
    return segment
  }

  #take(segment: Segment): void {
    this.#position = segment.position
    this.#live?.writer.keep()
    if (!('change' in segment)) return
    this.#snapshot = applyChange(this.#snapshot, segment.change)
    this.#suspended = segment.to === 'suspended' ? segment : undefined
    this.#data = undefined
    this.#calls = []
    this.#round = segment.to === 'calls' ? new CallRound(segment.calls) : undefined
    // A run that waits is continued from what is recorded, wherever that is.
    if (segment.to === 'suspended') this.#live = undefined
  }

  /** What the suspended run is resumed with. */
  resume(data: unknown): void {
    this.#data = { data }
    // The chunk that says that it waits.
    this.#position++
  }

  /** Executes a call of the round. To be called within its DBOS step, whose output is what is returned. */
  async execute(toolCallId: string): Promise<CallRecord> {
    const round = this.#round as CallRound
    if (this.#live) this.#begin(this.#live.run, round.ids, { isContinued: false })
    else {
      // Which of its calls are recorded is known once each has come here or was taken in.
      await round.miss(toolCallId)
      this.#begin(this.#open().run, round.missing, { isContinued: true })
    }
    return (this.#live as { run: LiveRun }).run.execute(toolCallId)
  }

  #begin(run: LiveRun, ids: readonly string[], how: { isContinued: boolean }): void {
    if (this.#round?.isBegun) return
    if (this.#round) this.#round.isBegun = true
    run.expectCalls(ids, how)
  }

  /** Takes in how a call has ended, as it was recorded. */
  applyCall({ toolCallId, toolName, again }: SegmentCall, outcome: CallRecord): void {
    const ended = outcome === null ? {} : { finishedAt: 0, outcome }
    if (outcome !== null || !again)
      this.#calls = [...this.#calls, { toolCallId, toolName, ...STARTED, ...ended }]
    this.#live?.run.recorded(toolCallId)
    this.#round?.find()
  }

  /** Gives the run up in this process. */
  giveUp(reason: unknown): void {
    this.#round?.fail(reason)
    this.#live?.run.giveUp(reason)
    this.#live = undefined
  }

  #open(): { run: LiveRun; writer: ChunkWriter } {
    if (this.#live) return this.#live
    const { input, ...options } = this.#options
    const writer = new ChunkWriter(this.#position)
    const state = (): RecordedState => {
      const started = (this.#round?.interrupted ?? []).map((call) => ({ ...call, ...STARTED }))
      const { payload } = this.#suspended?.own ?? this.#suspended?.suspension ?? {}
      const snapshot = JSON.stringify(this.#snapshot)
      return { snapshot, calls: [...this.#calls, ...started], payload, ...this.#data }
    }
    const from = this.#snapshot === undefined ? { input } : { state: state() }
    this.#live = { run: new LiveRun({ ...options, from, writer }), writer }
    return this.#live
  }

  async #toSegment(reached: Reached, writer: ChunkWriter): Promise<Segment> {
    const { position } = writer
    switch (reached.type) {
      case 'point': {
        const { checkpoint, calls, stepNumber } = reached.point
        const change = this.#changeTo(reached.snapshot)
        if (checkpoint !== 'execute')
          return { to: 'point', next: nameOf(checkpoint, stepNumber), change, position }
        const { isDurable } = this.#options
        const named = calls.map(({ toolCallId, toolName, agent }) => {
          return { toolCallId, toolName, ...(agent && isDurable(agent) && { again: true as const }) }
        })
        return { to: 'calls', calls: named, change, position }
      }
      case 'suspended': {
        const { suspension, payload, ttlMs } = reached
        const change = this.#changeTo(reached.snapshot)
        const own = !isDeepStrictEqual(payload, suspension.payload) && { own: { payload } }
        return { to: 'suspended', change, suspension, ...own, ttlMs, position }
      }
      case 'ended':
        return { to: 'end', result: storedResult(reached.result), position }
      case 'failed':
        return this.#failure(reached.error, writer)
      default:
        return reached satisfies never
    }
  }

  #changeTo(snapshot: string): Change | undefined {
    return changeBetween(this.#snapshot, JSON.parse(snapshot))
  }

  async #failure(error: unknown, writer: ChunkWriter): Promise<Segment> {
    const { position } = writer
    // A run that was resumed with something it cannot use waits as before.
    if (
      this.#suspended &&
      this.#data &&
      MillraceError.isInstance(error) &&
      error.code === 'RUN_RESUME_INVALID'
    )
      return { ...this.#suspended, change: undefined, position }
    writer.push({ type: 'error', error })
    await writer.flush()
    return { to: 'failed', error: storedError(error), position: writer.position }
  }
}

/** What the journal of a store would say of a call. */
const STARTED = { input: null, attempt: 1, startedAt: 0 }

const NAMES = {
  processInputStep: 'model',
  processToolCall: 'decide calls',
  execute: 'calls',
  processOutputResult: 'result',
} as const

function nameOf(checkpoint: keyof typeof NAMES, stepNumber: number): string {
  return `${NAMES[checkpoint]} ${stepNumber}`
}

/** The calls of a step, each a DBOS step, of which some may be recorded. */
class CallRound {
  readonly ids: readonly string[]
  readonly #calls: readonly SegmentCall[]
  readonly missing: string[] = []
  isBegun = false
  #found = 0
  readonly #known: PromiseWithResolvers<void> = Promise.withResolvers()

  constructor(calls: readonly SegmentCall[]) {
    this.#calls = calls
    this.ids = calls.map(({ toolCallId }) => toolCallId)
    this.#known.promise.catch(() => {})
  }

  /** Calls that may have been executed, in part or in full. */
  get interrupted(): { toolCallId: string; toolName: string }[] {
    return this.#calls
      .filter(({ toolCallId, again }) => !again && this.missing.includes(toolCallId))
      .map(({ toolCallId, toolName }) => ({ toolCallId, toolName }))
  }

  /** The call is not recorded. Resolves when that is known of every call. */
  miss(toolCallId: string): Promise<void> {
    this.missing.push(toolCallId)
    this.#check()
    return this.#known.promise
  }

  /** A call is recorded. */
  find(): void {
    this.#found++
    this.#check()
  }

  fail(reason: unknown): void {
    this.#known.reject(reason)
  }

  #check(): void {
    if (this.missing.length + this.#found >= this.ids.length) this.#known.resolve()
  }
}
