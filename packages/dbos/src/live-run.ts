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
import { outside } from './outside.ts'

/** The next thing a run has come to: a point from which it can be continued, or its end. */
export type Reached =
  | { type: 'point'; point: RecordedPoint; snapshot: string }
  | ({ type: 'suspended'; suspension: SuspensionInfo } & StoredSuspension)
  | { type: 'ended'; result: RunResult }
  | { type: 'failed'; error: unknown }

/** Why a run is aborted that is not over: agents that work for it go on. */
export const GIVEN_UP: unknown = new DOMException('The run goes on in another process.', 'AbortError')

/** What a suspended run waits for, as JSON. */
export type SuspensionInfo = Omit<Suspension, 'resume' | 'release'>

/** A suspended run, before `processDelivery` has changed what its caller gets. */
interface StoredSuspension {
  snapshot: string
  payload: unknown
  ttlMs: number
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

/** How a call has ended, as JSON; `null` for one that may have been executed before, and was not now. */
export type CallRecord = string | null

interface Call {
  begun: PromiseWithResolvers<void>
  ended: PromiseWithResolvers<CallRecord>
  recorded: PromiseWithResolvers<void>
}

/**
 * A run in this process. Its loop works from point to point: at each it waits until what it has done is recorded. Between
 * two processes nothing of it is needed but what is recorded.
 */
export class LiveRun implements RunRecorder {
  readonly openAgent: AgentOpener
  readonly #runId: string
  readonly #writer: ChunkWriter
  readonly #abort: AbortController = new AbortController()
  /** Where the loop waits. */
  #waiting: PromiseWithResolvers<void> | undefined
  /** What the loop has come to, until it is told to go on. */
  #reached: PromiseWithResolvers<Reached> = Promise.withResolvers()
  /** It was told to the workflow. */
  #isTaken = false
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
        (error) => this.#come({ type: 'failed', error }),
      )
  }

  /** Works on up to the next point, or the end. To be called within a DBOS step. */
  async advance(): Promise<Reached> {
    this.#enterStep()
    this.#goOn()
    const reached = await this.#reached.promise
    this.#isTaken = true
    // What was emitted has come out of the stream when all promises have settled.
    await new Promise((resolve) => setImmediate(resolve))
    await this.#writer.flush()
    return reached
  }

  /** Lets the loop go on, if what it has come to is recorded. After calls it goes on by itself, and may be there already. */
  #goOn(): void {
    if (!this.#waiting || !this.#isTaken) return
    this.#isTaken = false
    this.#reached = Promise.withResolvers()
    this.#waiting.resolve()
    this.#waiting = undefined
  }

  /**
   * The calls that are executed next; the run waits until each has its DBOS step.
   *
   * @param options.isContinued The run is continued before these calls, and comes to that point once more.
   */
  expectCalls(ids: readonly string[], { isContinued }: { isContinued: boolean }): void {
    this.#calls = new Map(ids.map((id) => [id, newCall()]))
    this.#isContinued = isContinued
  }

  /** Executes a call. To be called within its DBOS step. */
  async execute(toolCallId: string): Promise<CallRecord> {
    this.#enterStep()
    const call = this.#calls.get(toolCallId)
    if (!call) return null
    call.begun.resolve()
    this.#goOn()
    return call.ended.promise
  }

  /** The outcome of the call is recorded: the loop may act on it. */
  recorded(toolCallId: string): void {
    this.#calls.get(toolCallId)?.recorded.resolve()
  }

  /** Gives the run up in this process: it is continued elsewhere, unless it is cancelled. */
  giveUp(reason: unknown): void {
    this.#isGivenUp = !(reason instanceof DBOSErrors.DBOSWorkflowCancelledError)
    this.#abort.abort(GIVEN_UP)
    this.#writer.stop()
  }

  isHeld(): boolean {
    return !this.#isGivenUp
  }

  reach(point: RecordedPoint): Promise<void> | undefined {
    if (point.checkpoint === 'execute' && this.#isContinued) {
      this.#isContinued = false
      // Those that are not left may have been executed before.
      const left = new Set(point.calls.map(({ toolCallId }) => toolCallId))
      for (const [id, call] of this.#calls) if (!left.has(id)) call.ended.resolve(null)
      return undefined
    }
    this.#waiting = Promise.withResolvers()
    const { promise } = this.#waiting
    this.#come({ type: 'point', point, snapshot: point.snapshot() })
    return promise
  }

  async attempt(): Promise<number | undefined> {
    return (await outside(() => DBOS.getWorkflowStatus(this.#runId)))?.recoveryAttempts
  }

  startCall(toolCallId: string): Promise<void> | undefined {
    return this.#calls.get(toolCallId)?.begun.promise
  }

  finishCall(toolCallId: string, outcome: string): Promise<void> | undefined {
    const call = this.#calls.get(toolCallId)
    call?.ended.resolve(outcome)
    return call?.recorded.promise
  }

  suspend({ snapshot, payload, createdAt, expiresAt }: Parameters<RunRecorder['suspend']>[0]): void {
    this.#suspended = { snapshot, payload, ttlMs: expiresAt - createdAt }
  }

  #come(reached: Reached): void {
    for (const call of this.#calls.values()) call.ended.resolve(null)
    this.#calls = new Map()
    this.#isContinued = false
    this.#reached.resolve(reached)
  }

  #end(result: RunResult): void {
    if (result.status !== 'suspended' || !this.#suspended) {
      this.#come({ type: 'ended', result })
      return
    }
    const { resume: _, release: __, ...suspension } = result.suspension
    this.#come({ type: 'suspended', ...this.#suspended, suspension })
  }

  async #read(chunks: AsyncIterable<Chunk>, { isNew }: { isNew: boolean }): Promise<void> {
    for await (const chunk of chunks) {
      // A run is announced once. That it waits, or has failed, is said when that is certain.
      if ((chunk.type === 'start' && !isNew) || chunk.type === 'suspended' || chunk.type === 'error') continue
      this.#writer.push(chunk)
    }
  }

  /** What is written belongs to the DBOS step, and the run ends if that is cancelled. */
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
