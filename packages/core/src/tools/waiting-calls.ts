import { isRecord } from '../record.ts'

/** A call that a suspended run waits for, and what it waits for. Its id is the key of its answer. */
export type WaitingCall = {
  /** A call of an agent that is used as a tool has the ids of both calls: `outer/inner`. */
  toolCallId: string
  toolName: string
  /** The input after the processors: what an approval executes. */
  input: unknown
  /** The agent that made the call, if an agent that is used as a tool did. */
  agentName?: string
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

/** The payload of a run that waits for calls: all of the step, whatever they wait for. Read it by `waitingCallsOf`. */
export interface WaitingCallsPayload {
  /** What all of them wait for; `tool-calls` if they wait for different things: then each call says for what. */
  type: UniformType | 'tool-calls'
  toolCalls: WaitingCallEntry[]
}

type WaitingCallEntry = Pick<WaitingCall, 'toolCallId' | 'toolName' | 'input'> & {
  waitsFor?: WaitingCall['waitsFor']
  [detail: string]: unknown
}

type UniformType = 'tool-approval' | 'tool-output' | 'tool-question' | 'tool-interrupted'

const WAITS_FOR: Readonly<Record<UniformType, WaitingCall['waitsFor']>> = {
  'tool-approval': 'approval',
  'tool-output': 'output',
  'tool-question': 'answer',
  'tool-interrupted': 'outcome',
}

const TYPES = Object.keys(WAITS_FOR) as UniformType[]
const KINDS: ReadonlySet<unknown> = new Set(Object.values(WAITS_FOR))

/** The payload for these calls. A tool that asks alone asks with its own payload. */
export function payloadOf(calls: readonly WaitingCall[]): unknown {
  const [first, ...others] = calls
  if (first?.waitsFor === 'answer' && others.length === 0) return first.payload
  const type = TYPES.find((one) => calls.every(({ waitsFor }) => waitsFor === WAITS_FOR[one]))
  const toolCalls = type ? calls.map(({ waitsFor: _, ...call }) => call) : [...calls]
  return { type: type ?? 'tool-calls', toolCalls } satisfies WaitingCallsPayload
}

/**
 * The calls that a suspended run waits for, from its payload; none if it waits for something else. Calls that are not
 * whole are left out, because a payload in a message of a client may be forged.
 */
export function waitingCallsOf(payload: unknown): WaitingCall[] {
  if (!isRecord(payload) || !Array.isArray(payload.toolCalls)) return []
  const { type, toolCalls } = payload
  const common = TYPES.find((one) => one === type)
  if (common === undefined && type !== 'tool-calls') return []
  return toolCalls
    .map((call: unknown) => (isRecord(call) && common ? { ...call, waitsFor: WAITS_FOR[common] } : call))
    .filter(isWaitingCall)
}

function isWaitingCall(call: unknown): call is WaitingCall {
  return isRecord(call) && KINDS.has(call.waitsFor) && typeof call.toolCallId === 'string'
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
  if (isAgentSuspension(payload)) {
    const { agentName } = payload
    const inner = waitingCallsOf(payload.payload)
    const ids = inner.map(({ toolCallId }) => `${call.toolCallId}${WITHIN}${toolCallId}`)
    if (inner.length > 0)
      return inner.map((one, index) => ({ agentName, ...one, toolCallId: ids[index] as string }))
  }
  return [{ ...call, waitsFor: 'answer', ...(payload !== undefined && { payload }) }]
}

/** The answers that are for the agent of this call, by the ids that its own run knows. */
export function answersWithin(
  toolCallId: string,
  answers: ReadonlyMap<string, unknown>,
): Record<string, unknown> | undefined {
  const prefix = `${toolCallId}${WITHIN}`
  const own = [...answers].filter(([id]) => id.startsWith(prefix))
  return own.length > 0
    ? Object.fromEntries(own.map(([id, one]) => [id.slice(prefix.length), one]))
    : undefined
}
