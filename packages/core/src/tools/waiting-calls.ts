import { isRecord } from '../record.ts'

/** A call that a suspended run waits for, and what it waits for. Its id is the key of its answer. */
export type WaitingCall = {
  /** A call of an agent that is used as a tool has the ids of both calls: `outer/inner`. */
  toolCallId: string
  toolName: string
  /** The input after the processors: what an approval executes. */
  input: unknown
} & (
  | {
      /** A person's decision. Answered with a `ToolApprovalResponse`. */
      waitsFor: 'approval'
      /** Why the policy or processor asks. */
      reason?: string
      /** After this time, in milliseconds since 1970, any answer is a denial. */
      expiresAt?: number
    }
  /** The output of a tool that runs at the client. Answered with the output, or an `Error`. */
  | { waitsFor: 'output' }
  /** The answer to a tool that has suspended itself, with the payload that it asks with. */
  | { waitsFor: 'answer'; payload?: unknown }
  /**
   * The outcome of a call whose process died. Whether it was executed is unknown, unless `executed` is set: then only
   * its output was lost. Answered with an {@link InterruptedCallAnswer}.
   */
  | { waitsFor: 'outcome'; executed?: true }
)

/** The outcome of an interrupted call: execute it again, or use this output or error. The model sees it as usual. */
export type InterruptedCallAnswer = { retry: true } | { output: unknown } | { error: string }

/** The payload of a run that waits for calls: all of the step, whatever they wait for. */
export interface WaitingCallsPayload {
  /** `tool-calls` if they wait for different things. */
  type: (typeof PAYLOAD_TYPES)[WaitingCall['waitsFor']] | 'tool-calls'
  toolCalls: WaitingCall[]
}

const PAYLOAD_TYPES = {
  approval: 'tool-approval',
  output: 'tool-output',
  answer: 'tool-question',
  outcome: 'tool-interrupted',
} as const satisfies Record<WaitingCall['waitsFor'], string>

const TYPES: ReadonlySet<unknown> = new Set([...Object.values(PAYLOAD_TYPES), 'tool-calls'])

/** The payload for these calls. A tool that asks alone asks with its own payload. */
export function payloadOf(calls: readonly WaitingCall[]): unknown {
  const [first, ...others] = calls
  if (first?.waitsFor === 'answer' && others.length === 0) return first.payload
  const isUniform = others.every(({ waitsFor }) => waitsFor === first?.waitsFor)
  const type = first && isUniform ? PAYLOAD_TYPES[first.waitsFor] : 'tool-calls'
  return { type, toolCalls: [...calls] } satisfies WaitingCallsPayload
}

/** The calls that a suspended run waits for; none if it waits for something else. A payload is not trusted here. */
export function waitingCallsOf(payload: unknown): readonly WaitingCall[] {
  if (!isRecord(payload) || !TYPES.has(payload.type) || !Array.isArray(payload.toolCalls)) return []
  return payload.toolCalls.filter(isWaitingCall)
}

function isWaitingCall(call: unknown): call is WaitingCall {
  if (!isRecord(call) || typeof call.waitsFor !== 'string') return false
  return (
    typeof call.toolCallId === 'string' &&
    typeof call.toolName === 'string' &&
    Object.hasOwn(PAYLOAD_TYPES, call.waitsFor)
  )
}

/** The payload of an agent that is used as a tool and has suspended. */
export interface AgentSuspensionPayload {
  type: 'agent'
  agentName: string
  /** The agent's suspended run. */
  runId: string
  /** The payload of that run. */
  payload: unknown
}

/** Whether the payload is that of an agent that is used as a tool. */
export function isAgentSuspension(payload: unknown): payload is AgentSuspensionPayload {
  return isRecord(payload) && payload.type === 'agent' && typeof payload.runId === 'string'
}

/** Separates the ids of a call and of a call of its agent. */
const WITHIN = '/'

/** What a suspended tool waits for: its own answer or, if it is an agent, the answers to that agent's calls. */
export function questionsOf(
  call: Pick<WaitingCall, 'toolCallId' | 'toolName' | 'input'>,
  payload: unknown,
): WaitingCall[] {
  const inner = isAgentSuspension(payload) ? waitingCallsOf(payload.payload) : []
  if (inner.length === 0) return [{ ...call, waitsFor: 'answer', ...(payload !== undefined && { payload }) }]
  return inner.map((one) => ({ ...one, toolCallId: `${call.toolCallId}${WITHIN}${one.toolCallId}` }))
}

/** The answers that are for the agent of this call, by the ids that its own run knows. */
export function answersWithin(
  toolCallId: string,
  answers: ReadonlyMap<string, unknown>,
): Record<string, unknown> | undefined {
  const prefix = `${toolCallId}${WITHIN}`
  const own = [...answers].filter(([id]) => id.startsWith(prefix))
  return own.length > 0 ? Object.fromEntries(own.map(([id, one]) => [id.slice(prefix.length), one])) : undefined
}
