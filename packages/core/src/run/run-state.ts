import type { SystemMessage } from '../messages/message.ts'
import type { HaltInfo } from '../results/outcome.ts'
import type { RunWarning } from '../results/result.ts'
import { emptyUsage, type Usage } from '../usage.ts'
import type { HandoffState } from './handoff.ts'

/** What a run has come to besides its steps, messages and records. It is stored as it is, as JSON. */
export interface RunState {
  /** The id of the run as it began: the same however often it is resumed. */
  originId: string
  /** What `processInput` left: the system messages every step starts from. */
  systemMessages: SystemMessage[]
  usage: Usage
  retryCount: number
  /** Why the last attempt was rejected: one user message in the next prompt, and only there. */
  feedback: string | undefined
  /** The id of the next assistant message. The first is announced in `start`. */
  responseId: string
  warnings: RunWarning[]
  /** Why the run is halted, while the answer goes through `processOutputResult`. */
  halt: HaltInfo | undefined
  /** The turn is handed off to another agent. */
  handoff: HandoffState | undefined
}

export function newRunState(originId: string): RunState {
  return {
    originId,
    systemMessages: [],
    usage: emptyUsage(),
    retryCount: 0,
    feedback: undefined,
    responseId: crypto.randomUUID(),
    warnings: [],
    halt: undefined,
    handoff: undefined,
  }
}
