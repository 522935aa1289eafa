import type { AgentOpener } from '../results/agent-opener.ts'
import type { Suspend } from '../signals.ts'
import type { RunLease, StoredRun } from '../storage/run-store.ts'
import type { Answer } from '../tools/decision.ts'
import type { ToolCall } from '../tools/tool.ts'
import type { Step } from './step.ts'

/** A point from which a run can be continued: before this part of a step. */
export type Checkpoint = 'processInputStep' | 'processToolCall' | 'execute' | 'processOutputResult'

/** How a call ended, without its output. */
export type ExecutedStatus = 'success' | 'error'

export interface FinishOptions {
  /**
   * The review of the outcome: `null` if all processors have reviewed it, or the name of the processor that has
   * suspended on it. Default: not reviewed yet, if any processor reviews results.
   */
  reviewer?: string | null | undefined
}

/**
 * Keeps a stored run up to date while this process works on it, so that it survives the process. Implemented in
 * `loop/suspension/`, for runs that were resumed, whose agent stores every step, or that an engine records.
 *
 * Methods reject if the run cannot be stored, and with `RUN_LEASE_LOST` if another attempt has claimed it.
 */
export interface RunJournal {
  /** The lease that this process holds. `undefined` until the run is stored for the first time. */
  readonly lease: RunLease | undefined
  /** The number of the current attempt at the run, if the engine knows it. */
  readonly attempt?: number | undefined
  /**
   * Whether emitted chunks are stored elsewhere, so that a reader continues with them. The one that stores them then
   * informs readers about discarded steps.
   */
  readonly keepsChunks: boolean
  /** Runs agents that are used as tools, if the engine does that. */
  readonly openAgent?: AgentOpener | undefined
  /** Called when the run reaches this part of the step. Returns a promise only if something must be stored first. */
  reach(step: Step, checkpoint: Checkpoint): Promise<void> | undefined
  /** Await before calling the tool: without this entry, the call would be unknown after a crash. */
  startCall(call: ToolCall): Promise<void>
  /** As {@link startCall}, for a call that hands off the turn. It is pending until the run ends or suspends. */
  startTurn(call: ToolCall): Promise<void>
  /**
   * Records that the tool has ended, without its output, which is not stored before the processors have reviewed it.
   * Need not be awaited; never rejects.
   */
  endCall(call: ToolCall, status: ExecutedStatus): Promise<void>
  /** Records the outcome of the call after the processors. */
  finishCall(call: ToolCall, outcome: Answer | Suspend, options?: FinishOptions): Promise<void>
  /** Stores the run as suspended. Replaces the stored running run. */
  suspend(stored: StoredRun): Promise<void>
  /** Whether no other process has claimed the run. Checked before the run writes to other places. Never rejects. */
  isHeld(): Promise<boolean>
  /** Records that the run has ended, or can be resumed by another process. Nothing is stored after this. */
  end(as: 'done' | 'interrupted'): Promise<void>
}
