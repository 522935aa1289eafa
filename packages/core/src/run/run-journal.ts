import type { Suspend } from '../signals.ts'
import type { RunLease, StoredRun } from '../storage/run-store.ts'
import type { Answer } from '../tools/decision.ts'
import type { ToolCall } from '../tools/tool.ts'
import type { Step } from './step.ts'

/**
 * Keeps a stored run up to date while this process works on it, so that it survives the process. Implemented in
 * `loop/suspension/`, for runs that were resumed, or whose agent stores every step.
 *
 * What cannot be stored rejects; what another attempt has taken over rejects with `RUN_LEASE_LOST`.
 */
export interface RunJournal {
  /** The lease this process holds; `undefined` before the run is stored first. */
  readonly lease: RunLease | undefined
  /** A step begins: stores the run where its agent wants that. */
  beginStep(step: Step): Promise<void>
  /** All calls of the step are decided. The run as it is now is stored with the first call that starts. */
  decideCalls(step: Step): void
  /** To be awaited before the tool is called: without this entry, the call would be unknown after a crash. */
  startCall(call: ToolCall): Promise<void>
  /** What the processors have left of how the call ended. */
  finishCall(call: ToolCall, outcome: Answer | Suspend, options: { isReviewed: boolean }): Promise<void>
  /** Stores the run as suspended, in the place of the one that was worked on. */
  suspend(stored: StoredRun): Promise<void>
  /** The run has ended, or is left to be resumed. Nothing is stored after that. */
  end(as: 'done' | 'interrupted'): Promise<void>
}
