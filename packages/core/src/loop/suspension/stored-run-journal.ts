import { MillraceError } from '../../errors.ts'
import type { Run } from '../../run/run.ts'
import type { Checkpoint, ExecutedStatus, FinishOptions, RunJournal } from '../../run/run-journal.ts'
import type { Step } from '../../run/step.ts'
import type { Suspend } from '../../signals.ts'
import { ownerOf } from '../../storage/owner.ts'
import { retryWrite } from '../../storage/retry-write.ts'
import type { RunCall, RunLease, RunStore, StoredRun } from '../../storage/run-store.ts'
import type { Answer } from '../../tools/decision.ts'
import type { ToolCall } from '../../tools/tool.ts'
import { type CallOutcome, toCallOutcome } from './call-outcome.ts'
import { toCheckpoint, toRunningRun } from './capture.ts'
import { StateChanges } from './state-changes.ts'

export interface StoredRunJournalOptions {
  store: RunStore
  /** The lease of a run that was resumed. `undefined` for a run that is not stored yet. */
  lease?: RunLease
  /** Milliseconds. */
  leaseMs: number
  /** How long the run can be resumed after its lease has expired, in milliseconds. */
  ttl: number
  /** Whether to store the run before every step. */
  everyStep: boolean
}

/** The contents of one transaction. */
interface Batch {
  snapshot: string | undefined
  calls: Map<string, RunCall>
  written: Promise<void>
}

/**
 * The journal of a run in its store. Only one write is pending at a time; later entries are collected for the next
 * one, so that calls that start in parallel are one transaction. Every write renews the lease; a timer renews it
 * otherwise.
 */
export class StoredRunJournal implements RunJournal {
  readonly keepsChunks = false
  readonly #run: Run
  readonly #options: StoredRunJournalOptions
  /** Calls that have started and have no outcome yet. */
  readonly #calls = new Map<string, RunCall>()
  readonly #states = new StateChanges()
  #lease: RunLease | undefined
  /** The batch that is collected while a write is pending. */
  #next: Batch | undefined
  #last: Promise<void> = Promise.resolve()
  /** The snapshot before the calls of the step, until the first of them starts. */
  #decided: string | undefined
  /** Outcomes of calls that the store failed to write. They are written with the next batch. */
  readonly #unsaved = new Map<string, RunCall>()
  #timer: ReturnType<typeof setInterval> | undefined
  /** When the lease was last renewed, in milliseconds since 1970. */
  #renewedAt = 0
  #isLost = false
  #isOver = false

  constructor(run: Run, options: StoredRunJournalOptions) {
    this.#run = run
    this.#options = options
    if (options.lease) this.#hold(options.lease)
  }

  get lease(): RunLease | undefined {
    return this.#lease
  }

  reach(step: Step, checkpoint: Checkpoint): Promise<void> | undefined {
    // A turn that was handed off is recorded as a pending call in the journal.
    if (checkpoint === 'processInputStep' && this.#options.everyStep && !this.#run.state.handoff)
      return this.#beginStep(step)
    // The snapshot before the calls is stored together with the first call that starts.
    if (checkpoint === 'execute' && this.#lease) this.#decided = this.#snapshot(step, 'execute')
    // The answer is stored elsewhere next. Checks first that no other process has claimed the run.
    if (checkpoint === 'processOutputResult' && this.#isLeaseExpired()) return this.#write({})
    return undefined
  }

  async #beginStep(step: Step): Promise<void> {
    if (this.#lease) return this.#write({ snapshot: this.#snapshot(step, 'processInputStep') })
    const { store, leaseMs, ttl } = this.#options
    const stored = toRunningRun(this.#run, step, { ttl })
    await store.saveRun(stored, { lease: { leaseMs, expiresIn: ttl } })
    const lease = { runId: stored.runId, attempt: 1, ...ownerOf(stored) }
    // The run was aborted in the meantime, before it did anything.
    if (this.#isOver) return store.endRun(lease, 'done')
    this.#hold(lease)
  }

  #snapshot(step: Step, checkpoint: Checkpoint): string {
    this.#states.taken(this.#run)
    return toCheckpoint(this.#run, step, checkpoint)
  }

  async startCall(toolCall: ToolCall): Promise<void> {
    const call = await this.#start(toolCall)
    if (call) this.#calls.set(call.toolCallId, call)
  }

  async startTurn(toolCall: ToolCall): Promise<void> {
    await this.#start(toolCall)
  }

  async #start({ toolCallId, toolName, input }: ToolCall): Promise<RunCall | undefined> {
    if (!this.#lease) return undefined
    const { attempt } = this.#lease
    const call: RunCall = { toolCallId, toolName, input: input ?? null, attempt, startedAt: Date.now() }
    const snapshot = this.#decided
    this.#decided = undefined
    await this.#write({ snapshot, call })
    return call
  }

  async endCall({ toolCallId }: ToolCall, status: ExecutedStatus): Promise<void> {
    const started = this.#calls.get(toolCallId)
    if (!started) return
    const call = ended(started, { executed: status })
    try {
      await this.#write({ call })
    } catch {
      // Written with the next batch, unless the outcome is known by then.
      if (this.#calls.has(toolCallId)) this.#unsaved.set(toolCallId, call)
    }
  }

  async finishCall(
    { toolCallId }: ToolCall,
    outcome: Answer | Suspend,
    options?: FinishOptions,
  ): Promise<void> {
    const started = this.#calls.get(toolCallId)
    if (!started) return
    this.#calls.delete(toolCallId)
    const call = ended(started, toCallOutcome(this.#run, outcome, { ...options, states: this.#states }))
    try {
      await this.#write({ call })
    } catch (error) {
      if (isLeaseLost(error)) throw error
      // The run has the outcome and continues. It is written with the next batch.
      this.#unsaved.set(toolCallId, call)
    }
  }

  async suspend(stored: StoredRun): Promise<void> {
    const { store } = this.#options
    // A renewal after this would find the run ended.
    clearInterval(this.#timer)
    await this.#last
    await this.#fenced(store.saveRun(stored, { after: this.#lease }))
    this.#stop()
  }

  async isHeld(): Promise<boolean> {
    if (!this.#isLost && this.#isLeaseExpired()) {
      const isRenewed = await this.#write({}).then(
        () => true,
        () => false,
      )
      if (!this.#isLost) return isRenewed
    }
    return !this.#isLost || this.#isRunExpired()
  }

  /** Whether the stored run has expired, so that no other process can claim it. */
  async #isRunExpired(): Promise<boolean> {
    const { runId, ...owner } = this.#lease as RunLease
    const found = await this.#options.store.getRun(runId, owner).catch(() => undefined)
    return found?.state === 'expired'
  }

  /** Whether the lease was not renewed in time, so that another process may have claimed the run. */
  #isLeaseExpired(): boolean {
    return this.#lease !== undefined && Date.now() - this.#renewedAt >= this.#options.leaseMs
  }

  async end(as: 'done' | 'interrupted' | 'released'): Promise<void> {
    if (this.#isOver) return
    this.#stop()
    await this.#last
    const lease = this.#lease
    if (!lease) return
    // Another process that continues the run must not ask about calls whose outcome is known here.
    if (as === 'interrupted' && this.#unsaved.size > 0)
      await retryWrite(() => this.#send(NO_CHANGES)).catch(() => {})
    const { store } = this.#options
    await this.#fenced(retryWrite(() => store.endRun(lease, as)))
  }

  #hold(lease: RunLease): void {
    this.#lease = lease
    this.#renewedAt = Date.now()
    const interval = Math.min(Math.max(this.#options.leaseMs / 3, 1), MAX_TIMER_DELAY)
    this.#timer = setInterval(() => {
      if (!this.#next) this.#write({}).catch(() => {})
    }, interval)
    // Lets a process exit that has nothing else to do.
    ;(this.#timer as { unref?: () => void }).unref?.()
  }

  #stop(): void {
    this.#isOver = true
    clearInterval(this.#timer)
  }

  #write({ snapshot, call }: { snapshot?: string | undefined; call?: RunCall }): Promise<void> {
    this.#next ??= this.#newBatch()
    const batch = this.#next
    if (snapshot !== undefined) {
      // The snapshot contains the pending entries of earlier calls.
      batch.snapshot = snapshot
      batch.calls.clear()
      this.#unsaved.clear()
    }
    if (call) batch.calls.set(call.toolCallId, call)
    return batch.written
  }

  #newBatch(): Batch {
    const batch: Batch = { snapshot: undefined, calls: new Map(), written: Promise.resolve() }
    batch.written = this.#last.then(() => {
      this.#next = undefined
      return this.#send(batch)
    })
    this.#last = batch.written.catch(() => {})
    return batch
  }

  async #send({ snapshot, calls }: Pick<Batch, 'snapshot' | 'calls'>): Promise<void> {
    const { store, leaseMs, ttl } = this.#options
    const unsaved = [...this.#unsaved]
    const sentAt = Date.now()
    try {
      const update = store.updateRun(this.#lease as RunLease, {
        leaseMs,
        expiresIn: ttl,
        snapshot,
        calls: [...new Map([...unsaved, ...calls]).values()],
      })
      await this.#fenced(update)
      this.#renewedAt = sentAt
      for (const [id, call] of unsaved) if (this.#unsaved.get(id) === call) this.#unsaved.delete(id)
    } catch (error) {
      if (isLeaseLost(error) && !this.#isOver) {
        this.#stop()
        // The run was lost to another process: no further tool is called, and the result is dropped.
        this.#run.abort(error)
      }
      throw error
    }
  }

  /** Marks the run as lost if the write is rejected because another attempt has claimed the run. */
  async #fenced(write: Promise<void>): Promise<void> {
    try {
      await write
    } catch (error) {
      if (isLeaseLost(error)) this.#isLost = true
      throw error
    }
  }
}

const NO_CHANGES = { snapshot: undefined, calls: new Map<string, RunCall>() }

/** The maximum delay of a timer, in milliseconds. With a larger one, runtimes fire at once. */
const MAX_TIMER_DELAY = 2 ** 31 - 1

function ended(call: RunCall, outcome: CallOutcome): RunCall {
  return { ...call, finishedAt: Date.now(), outcome: JSON.stringify(outcome) }
}

/** Whether another attempt has claimed the run. */
export function isLeaseLost(error: unknown): boolean {
  return MillraceError.isInstance(error) && error.code === 'RUN_LEASE_LOST'
}
