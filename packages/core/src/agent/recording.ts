/** For engines of durable execution: runs that are recorded and can continue in any process. */

export type { RecordedCall, RecordedPoint, RunRecorder } from '../loop/suspension/recorded-run-journal.ts'
export type { AgentCall, AgentOpener } from '../results/agent-opener.ts'
export type { OpenRun } from '../results/handoff-target.ts'
export type { Checkpoint } from '../run/run-journal.ts'
export { readAnswers } from '../tools/call-answers.ts'
export { waitingCallsOf } from '../tools/waiting-calls.ts'
export { RUN_OPTIONS } from './agent-options.ts'
export {
  type AgentDescription,
  activeTrace,
  cancelledRun,
  describeAgent,
  openRecordedRun,
  type RecordedRunOptions,
  type RecordedState,
  type RecordedTrace,
} from './recorded-run.ts'
