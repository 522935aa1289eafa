import type { AgentProgress } from '../tools/agent-progress.ts'
import type { Answer, Decision } from '../tools/decision.ts'

/**
 * What has happened to a call so far, from the decision on it to its outcome. Part of the stored state of a step, so
 * it is JSON.
 */
export interface CallRecord {
  /** The input as processors that decide on the call have changed it. Missing if none has. */
  input?: unknown
  decision?: Decision
  /** Whether a person must approve the call. Missing until a processor or the policy was asked. */
  approval?: Approval
  /** Set if the tool has suspended. */
  suspended?: SuspendedCall
  /** Set if the call was started and may have been executed. */
  interrupted?: InterruptedCall
  /** How the call has ended. */
  outcome?: Answer
  /** The review of the outcome: the processor that has suspended on it; `null` if all have reviewed it. */
  review?: string | null
  /** Who has approved, denied or answered the call. */
  decidedBy?: string
  /** The number of retries after an error. */
  retries?: number
  /** The input that the tool was executed with, if it differs from that of the call. */
  executed?: { input: unknown }
  /** The progress of the agent that was called as a tool, after the processors. */
  agent?: AgentProgress
}

export interface Approval {
  /** `needed`: a processor asks for it. `requested`: the run waits for it. */
  status: 'needed' | 'requested' | 'granted'
  /** Why it is needed, and until when it may be given: in milliseconds since 1970. */
  reason?: string
  expiresAt?: number
  /** The processor that asks. Default: the agent's policy or the tool. */
  askedBy?: string
  /** An input of the approver that is not decided on yet. */
  edited?: { input: unknown }
}

/** A tool that has suspended itself. */
export interface SuspendedCall {
  payload?: unknown
  /** The answer, until the tool has received it. */
  answer?: { data?: unknown } | undefined
}

/** A call whose outcome is unknown. `retry`: it is executed again. */
export interface InterruptedCall {
  answer: 'open' | 'retry'
  /** Set if the call was executed and its output was lost. */
  executed?: true
  /** What the tool was resumed with, if it had suspended before. */
  resumed?: { data?: unknown; payload?: unknown } | undefined
}

/** The records of a step's calls by id. Inherits nothing, because ids come from the model. */
export type CallRecords = Record<string, CallRecord>

/** The record of a call. It is created when it is first asked for. */
export function recordOf({ calls }: { calls: CallRecords }, toolCallId: string): CallRecord {
  calls[toolCallId] ??= {}
  return calls[toolCallId]
}
