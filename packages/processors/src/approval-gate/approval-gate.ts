import {
  MillraceError,
  type Processor,
  type ProcessToolCallArgs,
  type ProcessToolCallResult,
  type RequestContext,
  type Tool,
  type ToolApprovalPayload,
  type ToolApprovalResponse,
  type ToolCall,
} from '@millrace/core'
import { requireTime } from '../require-number.ts'

export interface ApprovalGateOptions {
  /** Default: `approval-gate`. */
  readonly id?: string
  /**
   * Which calls wait for somebody: tools by name; as an object, each with `true` or with a rule about its input; or a
   * function of every call. Default: {@link isDangerous}, by the tool's metadata.
   */
  readonly tools?: readonly string[] | { readonly [toolName: string]: true | ApprovalRule } | CallRule
  /** Whether there is somebody to ask. Where there is nobody, calls that would wait are denied. Default: true. */
  readonly interactive?: boolean | ((requestContext: RequestContext) => boolean | Promise<boolean>)
  /**
   * How long an approval may take, in milliseconds: an answer that comes later is a denial. Default: as long as the run
   * can be resumed (the agent's `suspensionTtl`).
   */
  readonly timeLimit?: number
}

/** Whether a call needs an approval; a string says why, to whoever is asked. */
type NeedsApproval = boolean | string | undefined

/** A rule about one tool's input. */
export type ApprovalRule = {
  // A method, so that a function of one tool's input fits.
  decide(
    // biome-ignore lint/suspicious/noExplicitAny: the input is what the tool's schema says
    input: any,
    options: { toolCall: ToolCall; tool: Tool; requestContext: RequestContext },
  ): NeedsApproval | Promise<NeedsApproval>
}['decide']

/** A rule about every call. */
export type CallRule = (options: {
  toolCall: ToolCall
  tool: Tool
  requestContext: RequestContext
}) => NeedsApproval | Promise<NeedsApproval>

/** What a run that waits at the gate says it waits for. The form of core's own approvals, so that chats can answer it. */
export interface ApprovalGatePayload extends ToolApprovalPayload {
  /** When an answer comes too late, in milliseconds since 1970. Only with a `timeLimit`. */
  expiresAt?: number
  /** Why the last answer was none. */
  problem?: string
}

/** What the run is resumed with; or an object of such answers by call id. */
export interface ApprovalGateAnswer extends ToolApprovalResponse {
  /** What the tool gets in place of the model's input. It is validated. */
  input?: unknown
}

/**
 * Suspends the run before calls that somebody must approve, one call at a time, with the input as the tool would get it.
 * Resumed with `{ approved: true }` the call runs, with `{ approved: true, input }` it runs with that input, with
 * `{ approved: false, reason }` the model is told so. With anything else the run waits again, under a new id.
 *
 * What waits is in the agent's storage: it outlives the process where the storage does, expires, and
 * `agent.suspendedRuns()` lists it.
 */
export class ApprovalGate implements Processor {
  readonly id: string
  readonly #rule: CallRule
  readonly #interactive: NonNullable<ApprovalGateOptions['interactive']>
  readonly #timeLimit: number | undefined

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor({ id = 'approval-gate', tools, interactive = true, timeLimit }: ApprovalGateOptions = {}) {
    this.id = id
    this.#rule = toRule(tools)
    this.#interactive = interactive
    this.#timeLimit = requireTime('timeLimit', timeLimit)
  }

  async processToolCall(args: ProcessToolCallArgs): Promise<ProcessToolCallResult> {
    const { toolCall, state } = args
    if (isPending(state.pending, toolCall)) return settle(args, state.pending)
    const needed = await this.#rule(args)
    if (needed === undefined || needed === false) return undefined
    const { requestContext } = args
    const canAsk =
      typeof this.#interactive === 'function' ? await this.#interactive(requestContext) : this.#interactive
    if (canAsk !== true) return { deny: 'The call needs an approval, and there is nobody to ask.' }
    const pending: Pending = {
      toolCallId: toolCall.toolCallId,
      ...(typeof needed === 'string' && { reason: needed }),
      ...(this.#timeLimit !== undefined && { expiresAt: Date.now() + this.#timeLimit }),
    }
    state.pending = pending
    return ask(args, pending)
  }
}

/**
 * Whether a tool says of itself that it is dangerous: by `dangerous: true` in its metadata, or by MCP's
 * `destructiveHint` (Model Context Protocol, ToolAnnotations).
 */
export const isDangerous: CallRule = ({ tool: { metadata } }) => {
  const { dangerous, destructiveHint, annotations } = metadata ?? {}
  return (
    dangerous === true ||
    destructiveHint === true ||
    (isRecord(annotations) && annotations.destructiveHint === true)
  )
}

const NO_ANSWER =
  'The run was resumed with no answer. Resume it with { approved: true }, { approved: true, input } or { approved: false, reason }, or with such an object by call id.'

/** The call that is being asked about: they are asked about one by one. */
interface Pending {
  toolCallId: string
  reason?: string
  expiresAt?: number
}

function isPending(pending: unknown, { toolCallId }: ToolCall): pending is Pending {
  return isRecord(pending) && pending.toolCallId === toolCallId
}

/** What the answer means for the call that was asked about. Without one it is asked about again. */
function settle(args: ProcessToolCallArgs, pending: Pending): ProcessToolCallResult {
  const { toolCall, state, resumeData } = args
  const isLate = pending.expiresAt !== undefined && Date.now() >= pending.expiresAt
  const answer = answerIn(resumeData, toolCall.toolCallId)
  if (!isLate && !answer) return ask(args, pending, NO_ANSWER)
  state.pending = undefined
  if (isLate || !answer) return { deny: 'Nobody approved the call in time.' }
  if (!answer.approved) return { deny: answer.reason ?? 'The call was not approved.' }
  return 'input' in answer ? { input: answer.input } : undefined
}

function ask(
  { toolCall, suspend }: ProcessToolCallArgs,
  { reason, expiresAt }: Pending,
  problem?: string,
): never {
  const { toolCallId, toolName, input } = toolCall
  return suspend({
    type: 'tool-approval',
    toolCalls: [{ toolCallId, toolName, input, ...(reason !== undefined && { reason }) }],
    ...(expiresAt !== undefined && { expiresAt }),
    ...(problem !== undefined && { problem }),
  } satisfies ApprovalGatePayload)
}

function answerIn(data: unknown, toolCallId: string): ApprovalGateAnswer | undefined {
  const given = isRecord(data) && Object.hasOwn(data, toolCallId) ? data[toolCallId] : data
  if (!isRecord(given) || typeof given.approved !== 'boolean') return undefined
  const { approved, reason, input } = given
  return {
    approved,
    ...(typeof reason === 'string' && { reason }),
    ...(input !== undefined && { input }),
  }
}

function toRule(tools: ApprovalGateOptions['tools'] = isDangerous): CallRule {
  if (typeof tools === 'function') return tools
  const entries: [string, unknown][] = Array.isArray(tools)
    ? tools.map((name) => [name, true])
    : Object.entries(tools)
  for (const [name, rule] of entries) {
    if (rule === true || typeof rule === 'function') continue
    throw new MillraceError(
      'CONFIG_INVALID',
      `tools has ${typeof rule} for the tool '${String(name)}'. Use true or a function of its input; leave out what needs no approval.`,
    )
  }
  const rules = new Map(entries as [string, true | ApprovalRule][])
  return (call) => {
    const rule = rules.get(call.toolCall.toolName)
    return typeof rule === 'function' ? rule(call.toolCall.input, call) : rule
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
