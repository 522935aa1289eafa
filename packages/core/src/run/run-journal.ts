import type { AgentOpener } from '../results/agent-opener.ts'
import type { Suspend } from '../signals.ts'
import type { RunLease, StoredRun } from '../storage/run-store.ts'
import type { Answer } from '../tools/decision.ts'
import type { ToolCall } from '../tools/tool.ts'
import type { Step } from './step.ts'

/** A point of a run from which it can be continued: before this part of a step. */
export type Checkpoint = 'processInputStep' | 'processToolCall' | 'execute' | 'processOutputResult'

/** How a call has ended, without what came of it. */
export type ExecutedStatus = 'success' | 'error'

export interface FinishOptions {
  /** The processors have seen the outcome: `null`, or the name of the one that waits with it. Default: they are to see it, if any are. */
  reviewer?: string | null | undefined
}

/**
 * Keeps a stored run up to date while this process works on it, so that it survives the process. Implemented in
 * `loop/suspension/`, for runs that were resumed, whose agent stores every step, or that an engine records.
 *
 * What cannot be stored rejects; what another attempt has taken over rejects with `RUN_LEASE_LOST`.
 */
export interface RunJournal {
  /** The lease this process holds; `undefined` before the run is stored first. */
  readonly lease: RunLease | undefined
  /** How many times the run has been worked on, where an engine knows it. */
  readonly attempt?: number | undefined
  /** What the run has emitted is kept, and a reader continues with it: it is told what is taken back by who keeps it. */
  readonly keepsChunks: boolean
  /** Runs agents that are used as tools, where it has a say in that. */
  readonly openAgent?: AgentOpener | undefined
  /** The run has come to this part of the step. Returns a promise only where something must be stored first. */
  reach(step: Step, checkpoint: Checkpoint): Promise<void> | undefined
  /** To be awaited before the tool is called: without this entry, the call would be unknown after a crash. */
  startCall(call: ToolCall): Promise<void>
  /** As {@link startCall}, for a call that hands the turn off: it is under way until the run ends or suspends. */
  startTurn(call: ToolCall): Promise<void>
  /** The tool has ended. What came of it is not stored before the processors have seen it. Need not be awaited; never rejects. */
  endCall(call: ToolCall, status: ExecutedStatus): Promise<void>
  /** What the processors have left of how the call ended. */
  finishCall(call: ToolCall, outcome: Answer | Suspend, options?: FinishOptions): Promise<void>
  /** Stores the run as suspended, in the place of the one that was worked on. */
  suspend(stored: StoredRun): Promise<void>
  /** Whether no other process has the run. Asked before something is kept of it in other places. Never rejects. */
  isHeld(): Promise<boolean>
  /** The run has ended, or is left to be resumed. Nothing is stored after that. */
  end(as: 'done' | 'interrupted'): Promise<void>
}
