import { isDeepStrictEqual } from 'node:util'
import type { Agent, AgentInput, RunOptions } from '@millrace/core'
import { MillraceError } from '@millrace/core'
import type { AgentOpener, RecordedState, RecordedTrace } from '@millrace/core/recording'
import { applyChange, type Change, changeBetween, type Json } from './changes.ts'
import { ChunkWriter } from './chunk-writer.ts'
import { type CallRecord, LiveRun, type Reached, type SuspensionInfo } from './live-run.ts'
import { type StoredError, storedError } from './stored-chunk.ts'
import { type StoredResult, storedResult } from './stored-result.ts'

/** The recorded output of a DBOS step: only the changes of the run. */
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
      /** The payload before `processDelivery`, if it has changed it for readers. */
      own?: { payload: unknown }
      ttlMs: number
      /** Whether it waits for the rest of the calls that it was resumed for. */
      waitsOn: boolean
    }
  | { to: 'end'; result: StoredResult }
  | { to: 'failed'; error: StoredError }
)

/** An answer to what a run waits for. */
export interface RunAnswer {
  data: unknown
  /** Who has answered. */
  by?: string | undefined
}

type SuspendedSegment = Extract<Segment, { to: 'suspended' }>

export interface SegmentCall {
  toolCallId: string
  toolName: string
  /** The call may be executed again: it finds the child run that it has started. */
  again?: true
}

export interface RecordingOptions {
  agent: Agent
  runId: string
  input: AgentInput
  options: RunOptions
  openAgent: AgentOpener
  trace: RecordedTrace | undefined
  /** Whether the agent is durable: a repeated call then finds the run that it has started. */
  isDurable: (agent: object) => boolean
}

/**
 * A run that is replayed from its recorded steps and then continued in this process. Recorded steps only
 * change the state; their work is not repeated. The live run is opened when the first unrecorded step starts.
 */
export class Recording {
  readonly #options: RecordingOptions
  #snapshot: Json | undefined
  /** The last suspension, until the resumed run reaches its next checkpoint. */
  #suspended: SuspendedSegment | undefined
  #answer: RunAnswer | undefined
  #calls: NonNullable<RecordedState['calls']> = []
  #position = 0
  #live: { run: LiveRun; writer: ChunkWriter } | undefined
  #round: CallRound | undefined
  /** The output of the current step, so that `apply` need not parse it. */
  #last: { segment: Segment; text: string } | undefined

  constructor(options: RecordingOptions) {
    this.#options = options
  }

  get position(): number {
    return this.#position
  }

  /**
   * Works until the next checkpoint. Call this in a DBOS step, and return its result from it: the segment as
   * JSON text, because DBOS stores text faster than objects.
   */
  async advance(): Promise<string> {
    const { run, writer } = this.#open()
    const segment = await this.#toSegment(await run.advance(), writer)
    this.#last = { segment, text: JSON.stringify(segment) }
    return this.#last.text
  }

  /** Applies a recorded segment, of this process or another. */
  apply(text: string): Segment {
    const segment: Segment = this.#last?.text === text ? this.#last.segment : JSON.parse(text)
    this.#last = undefined
    this.#take(segment)
    return segment
  }

  #take(segment: Segment): void {
    this.#position = segment.position
    this.#live?.writer.markRecorded()
    if (!('change' in segment)) return
    this.#snapshot = applyChange(this.#snapshot, segment.change)
    this.#suspended = segment.to === 'suspended' ? segment : undefined
    this.#answer = undefined
    this.#calls = []
    this.#round = segment.to === 'calls' ? new CallRound(segment.calls) : undefined
    // A suspended run is continued from its recorded state, in any process.
    if (segment.to === 'suspended') this.#live = undefined
  }

  /** Sets the answer with which the suspended run is resumed. */
  resume(answer: RunAnswer): void {
    this.#answer = answer
    // Counts the `suspended` chunk.
    this.#position++
  }

  /**
   * Executes a tool call of the current step. Call this in the DBOS step of the call, and return its result
   * from it.
   */
  async execute(toolCallId: string): Promise<CallRecord> {
    const round = this.#round as CallRound
    if (this.#live) this.#start(this.#live.run, round.ids, { isContinued: false })
    else {
      // Wait until it is known which calls of the step are recorded.
      await round.markMissing(toolCallId)
      this.#start(this.#open().run, round.missing, { isContinued: true })
    }
    return (this.#live as { run: LiveRun }).run.execute(toolCallId)
  }

  #start(run: LiveRun, ids: readonly string[], how: { isContinued: boolean }): void {
    if (this.#round?.isBegun) return
    if (this.#round) this.#round.isBegun = true
    run.expectCalls(ids, how)
  }

  /** Applies the recorded outcome of a call. */
  applyCall({ toolCallId, toolName, again }: SegmentCall, outcome: CallRecord): void {
    const ended = outcome === null ? {} : { finishedAt: 0, outcome }
    if (outcome !== null || !again)
      this.#calls = [...this.#calls, { toolCallId, toolName, ...STARTED, ...ended }]
    this.#live?.run.recorded(toolCallId)
    this.#round?.markRecorded()
  }

  /** Stops the run in this process. */
  giveUp(reason: unknown): void {
    this.#round?.fail(reason)
    this.#live?.run.giveUp(reason)
    this.#live = undefined
  }

  #open(): { run: LiveRun; writer: ChunkWriter } {
    if (this.#live) return this.#live
    const { input, ...given } = this.#options
    const by = this.#answer?.by
    const options = { ...given, options: { ...given.options, ...(by !== undefined && { by }) } }
    const writer = new ChunkWriter(this.#position)
    const state = (): RecordedState => {
      const started = (this.#round?.interrupted ?? []).map((call) => ({ ...call, ...STARTED }))
      const { payload } = this.#suspended?.own ?? this.#suspended?.suspension ?? {}
      const snapshot = JSON.stringify(this.#snapshot)
      return { snapshot, calls: [...this.#calls, ...started], payload, data: this.#answer?.data }
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
        const { suspension, payload, ttlMs, waitsOn } = reached
        const change = this.#changeTo(reached.snapshot)
        const own = !isDeepStrictEqual(payload, suspension.payload) && { own: { payload } }
        return { to: 'suspended', change, suspension, ...own, ttlMs, waitsOn, position }
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
    // If the resumption data was invalid, the run stays suspended.
    if (
      this.#suspended &&
      this.#answer &&
      MillraceError.isInstance(error) &&
      error.code === 'RUN_RESUME_INVALID'
    )
      return { ...this.#suspended, change: undefined, waitsOn: true, position }
    writer.push({ type: 'error', error })
    await writer.flush()
    return { to: 'failed', error: storedError(error), position: writer.position }
  }
}

/** The fields of a call that a store's journal would have. */
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

/** The tool calls of a step. Each is a DBOS step, and some may be recorded. */
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

  /** The calls that may have been executed, completely or in part. */
  get interrupted(): { toolCallId: string; toolName: string }[] {
    return this.#calls
      .filter(({ toolCallId, again }) => !again && this.missing.includes(toolCallId))
      .map(({ toolCallId, toolName }) => ({ toolCallId, toolName }))
  }

  /** Notes that the call is not recorded. Resolves when this is known for every call. */
  markMissing(toolCallId: string): Promise<void> {
    this.missing.push(toolCallId)
    this.#check()
    return this.#known.promise
  }

  /** Notes that a call is recorded. */
  markRecorded(): void {
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
