import { DBOS, Error as DBOSErrors } from '@dbos-inc/dbos-sdk'
import type { Agent, Chunk, RunOptions, RunResult, Suspension } from '@millrace/core'
import {
  type AgentOpener,
  cancelledRun,
  openRecordedRun,
  type RecordedPoint,
  type RecordedRunOptions,
  type RecordedTrace,
  type RunRecorder,
} from '@millrace/core/recording'
import type { ChunkWriter } from './chunk-writer.ts'
import { outsideWorkflow } from './outside-workflow.ts'

/** What the run has reached: a checkpoint from which it can be continued, or its end. */
export type Reached =
  | { type: 'point'; point: RecordedPoint; snapshot: string }
  | ({ type: 'suspended'; suspension: SuspensionInfo } & StoredSuspension)
  | { type: 'ended'; result: RunResult }
  | { type: 'failed'; error: unknown }

/** The abort reason of a run that continues elsewhere: the agents it has called are not cancelled. */
export const CONTINUED_ELSEWHERE: unknown = new DOMException(
  'The run continues in another process.',
  'AbortError',
)

/** What a suspended run waits for, as JSON. */
export type SuspensionInfo = Omit<Suspension, 'resume' | 'release'>

/** A suspended run, before `processDelivery` changes what the caller gets. */
interface StoredSuspension {
  snapshot: string
  payload: unknown
  ttlMs: number
  /** Whether it waits for the rest of the calls that it was resumed for. */
  waitsOn: boolean
}

export interface LiveRunOptions {
  agent: Agent
  runId: string
  from: RecordedRunOptions['from']
  options: RunOptions
  writer: ChunkWriter
  openAgent: AgentOpener
  trace: RecordedTrace | undefined
}

/**
 * The outcome of a call as JSON; `null` if the call was not executed now, because it may have been executed
 * before.
 */
export type CallRecord = string | null

interface Call {
  begun: PromiseWithResolvers<void>
  ended: PromiseWithResolvers<CallRecord>
  recorded: PromiseWithResolvers<void>
}

/**
 * A run in this process. The loop works from checkpoint to checkpoint, and pauses at each until its work is
 * recorded. Another process can continue the run from the recorded data alone.
 */
export class LiveRun implements RunRecorder {
  readonly openAgent: AgentOpener
  readonly #runId: string
  readonly #writer: ChunkWriter
  readonly #abort: AbortController = new AbortController()
  /** Resolves to let the paused loop continue. */
  #paused: PromiseWithResolvers<void> | undefined
  /** Resolves with the next checkpoint or the end. */
  #reached: PromiseWithResolvers<Reached> = Promise.withResolvers()
  /** Whether `advance` has returned what was reached. */
  #isReturned = false
  #calls: ReadonlyMap<string, Call> = new Map()
  #isContinued = false
  #suspended: StoredSuspension | undefined
  #watched: AbortSignal | undefined
  #isGivenUp = false

  constructor({ agent, runId, from, options, writer, openAgent, trace }: LiveRunOptions) {
    this.#writer = writer
    this.openAgent = openAgent
    this.#runId = runId
    const stream = openRecordedRun(agent, {
      runId,
      recorder: this,
      from,
      trace,
      options: { ...options, abortSignal: this.#abort.signal },
    })
    this.#read(stream.fullStream, { isNew: 'input' in from })
      .then(() => stream.result)
      .then(
        (result) => this.#end(result),
        (error) => this.#reach({ type: 'failed', error }),
      )
  }

  /** Works until the next checkpoint or the end. Call this in a DBOS step. */
  async advance(): Promise<Reached> {
    this.#enterStep()
    this.#continue()
    const reached = await this.#reached.promise
    this.#isReturned = true
    // All chunks have left the stream once pending promises have settled.
    await new Promise((resolve) => setImmediate(resolve))
    await this.#writer.flush()
    return reached
  }

  /**
   * Lets the loop continue if its checkpoint was returned, and so recorded. After tool calls the loop
   * continues by itself, and may have reached the next one already.
   */
  #continue(): void {
    if (!this.#paused || !this.#isReturned) return
    this.#isReturned = false
    this.#reached = Promise.withResolvers()
    this.#paused.resolve()
    this.#paused = undefined
  }

  /**
   * Announces the tool calls that are executed next: the run waits for the DBOS step of each.
   *
   * @param options.isContinued Whether the run is continued at this checkpoint, and so reaches it a second
   * time.
   */
  expectCalls(ids: readonly string[], { isContinued }: { isContinued: boolean }): void {
    this.#calls = new Map(ids.map((id) => [id, newCall()]))
    this.#isContinued = isContinued
  }

  /** Executes a tool call. Call this in the DBOS step of the call. */
  async execute(toolCallId: string): Promise<CallRecord> {
    this.#enterStep()
    const call = this.#calls.get(toolCallId)
    if (!call) return null
    call.begun.resolve()
    this.#continue()
    return call.ended.promise
  }

  /** The outcome of the call is recorded, so the loop may use it. */
  recorded(toolCallId: string): void {
    this.#calls.get(toolCallId)?.recorded.resolve()
  }

  /** Stops the run in this process. Another process continues it, unless it was cancelled. */
  giveUp(reason: unknown): void {
    this.#isGivenUp = !(reason instanceof DBOSErrors.DBOSWorkflowCancelledError)
    this.#abort.abort(CONTINUED_ELSEWHERE)
    this.#writer.stop()
  }

  isHeld(): boolean {
    return !this.#isGivenUp
  }

  reach(point: RecordedPoint): Promise<void> | undefined {
    if (point.checkpoint === 'execute' && this.#isContinued) {
      this.#isContinued = false
      // Calls that are not pending may have been executed before.
      const left = new Set(point.calls.map(({ toolCallId }) => toolCallId))
      for (const [id, call] of this.#calls) if (!left.has(id)) call.ended.resolve(null)
      return undefined
    }
    this.#paused = Promise.withResolvers()
    const { promise } = this.#paused
    this.#reach({ type: 'point', point, snapshot: point.snapshot() })
    return promise
  }

  async attempt(): Promise<number | undefined> {
    return (await outsideWorkflow(() => DBOS.getWorkflowStatus(this.#runId)))?.recoveryAttempts
  }

  startCall(toolCallId: string): Promise<void> | undefined {
    return this.#calls.get(toolCallId)?.begun.promise
  }

  finishCall(toolCallId: string, outcome: string): Promise<void> | undefined {
    const call = this.#calls.get(toolCallId)
    call?.ended.resolve(outcome)
    return call?.recorded.promise
  }

  suspend(...[stored, { waitsOn }]: Parameters<RunRecorder['suspend']>): void {
    const { snapshot, payload, createdAt, expiresAt } = stored
    this.#suspended = { snapshot, payload, ttlMs: expiresAt - createdAt, waitsOn }
  }

  #reach(reached: Reached): void {
    for (const call of this.#calls.values()) call.ended.resolve(null)
    this.#calls = new Map()
    this.#isContinued = false
    this.#reached.resolve(reached)
  }

  #end(result: RunResult): void {
    if (result.status !== 'suspended' || !this.#suspended) {
      this.#reach({ type: 'ended', result })
      return
    }
    const { resume: _, release: __, ...suspension } = result.suspension
    this.#reach({ type: 'suspended', ...this.#suspended, suspension })
  }

  async #read(chunks: AsyncIterable<Chunk>, { isNew }: { isNew: boolean }): Promise<void> {
    for await (const chunk of chunks) {
      // The `start` chunk is emitted once. `suspended` and `error` are emitted when they are recorded.
      if ((chunk.type === 'start' && !isNew) || chunk.type === 'suspended' || chunk.type === 'error') continue
      this.#writer.push(chunk)
    }
  }

  /** Binds writes to the current DBOS step, and aborts the run if the step is cancelled. */
  #enterStep(): void {
    this.#writer.enterStep()
    const signal = DBOS.stepStatus?.cancelSignal
    if (!signal || signal === this.#watched) return
    this.#watched = signal
    const cancel = (): void => this.#abort.abort(cancelledRun(this.#runId))
    if (signal.aborted) cancel()
    else signal.addEventListener('abort', cancel, { once: true })
  }
}

function newCall(): Call {
  return {
    begun: Promise.withResolvers<void>(),
    ended: Promise.withResolvers<CallRecord>(),
    recorded: Promise.withResolvers<void>(),
  }
}
