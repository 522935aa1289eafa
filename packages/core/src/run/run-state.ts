import type { SystemMessage } from '../messages/message.ts'
import type { HaltInfo, Incomplete } from '../results/outcome.ts'
import type { RunWarning } from '../results/result.ts'
import { emptyUsage, type Usage } from '../usage.ts'
import type { HandoffState } from './handoff.ts'

/** The state of a run, except its steps, messages and records. Stored as JSON. */
export interface RunState {
  /** The id of the original run. It stays the same when the run is resumed. */
  originId: string
  /** The system messages after `processInput`. Every step starts from them. */
  systemMessages: SystemMessage[]
  usage: Usage
  retryCount: number
  /** Why the last attempt was rejected. Added to the next prompt only, as a user message. */
  feedback: string | undefined
  /** The id of the next assistant message. `start` contains the first one. */
  responseId: string
  warnings: RunWarning[]
  /** The reason of a halt, while its answer passes `processOutputResult`. */
  halt: HaltInfo | undefined
  /** Set while processors review or store what an incomplete run has left. */
  incomplete: Incomplete | undefined
  /** Set while another agent has the turn. */
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
    incomplete: undefined,
    handoff: undefined,
  }
}
