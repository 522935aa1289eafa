import {
  isToolPart,
  type MessageList,
  type OptionNames,
  PerRun,
  type ProcessInputStepArgs,
  type Processor,
  type ProcessToolCallArgs,
  type ProcessToolCallResult,
  type RequestContext,
  requireOptions,
  requireTime,
  type ToolApprovalPayload,
  type ToolCall,
  type ToolSet,
  toolNameOf,
} from '@millrace/core'
import { type ApprovalRequest, isSameInput, storeAnswers } from './approval-request.ts'
import { type CallRule, type ConsideredCall, type GatedTools, isDangerous, toRule } from './call-rule.ts'

export interface ApprovalGateOptions {
  /** Identifies the processor in results, events and errors. Default: `'approval-gate'`. */
  readonly id?: string
  /**
   * The calls that need an approval: names, rules by name (`{ pay: ({ amount }) => amount > 100 && 'A large amount.'
   * }`), or a function of every call. A text that a rule returns is shown as the reason. Default: `isDangerous`.
   */
  readonly tools?: GatedTools
  /**
   * Whether an approver is available: a boolean, or a function of the request context. If it is not `true`, calls are
   * denied at once. Default: `true`.
   */
  readonly interactive?: boolean | ((requestContext: RequestContext) => boolean | Promise<boolean>)
  /**
   * The time limit of an approval, in milliseconds. A later answer is a denial. Default: the agent's `suspensionTtl`.
   */
  readonly timeLimit?: number
}

const APPROVAL_GATE_OPTIONS: OptionNames<ApprovalGateOptions> = {
  id: 'optional',
  tools: 'optional',
  interactive: 'optional',
  timeLimit: 'optional',
}

/** The suspension payload of the gate. It extends the payload of core's own approvals, so that chats can answer it. */
export interface ApprovalGatePayload extends ToolApprovalPayload {
  /** The deadline for an answer, in milliseconds since 1970. Only with a `timeLimit`. */
  expiresAt?: number
  /** Why the run is still suspended, if it was resumed without an answer for these calls. */
  problem?: string
}

/**
 * Suspends the run before calls that need an approval: all such calls of a step at once. Resumed with `{ approved: true
 * }` they run, with `{ approved: true, input }` a call runs with that input, with `{ approved: false, reason }` the
 * model is told so; answers may also be given by call id. Without an answer the run suspends again, under a new id. No
 * call of a step executes before all are decided.
 *
 * An answer applies to the input that was shown: if another processor has changed the input since, a new answer is
 * required.
 *
 * The suspended run is in the agent's storage: it outlives the process if the storage does, it expires, and
 * `agent.suspendedRuns()` lists it.
 */
export class ApprovalGate implements Processor {
  readonly id: string
  readonly #rule: CallRule
  readonly #interactive: NonNullable<ApprovalGateOptions['interactive']>
  readonly #timeLimit: number | undefined
  /** By run: the tools of the step, to look ahead to its other calls. */
  readonly #tools = new PerRun<ToolSet>()

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(options: ApprovalGateOptions = {}) {
    const {
      id = 'approval-gate',
      tools = isDangerous,
      interactive = true,
      timeLimit,
    } = requireOptions('ApprovalGate', options, APPROVAL_GATE_OPTIONS)
    this.id = id
    this.#rule = toRule(tools)
    this.#interactive = interactive
    this.#timeLimit = requireTime('timeLimit', timeLimit)
  }

  processInputStep({ state, tools }: ProcessInputStepArgs): void {
    this.#tools.set(state, tools)
  }

  async processToolCall(args: ProcessToolCallArgs): Promise<ProcessToolCallResult> {
    const { toolCall, state, resumeData, requestContext } = args
    const asked = (state.asked ?? []) as ApprovalRequest[]
    const own = asked.find(({ toolCallId }) => toolCallId === toolCall.toolCallId)
    if (own && isSameInput(own.input, toolCall.input)) {
      if (!own.answer) storeAnswers(asked, resumeData)
      if (!own.answer) return suspendFor(args, asked, NO_ANSWER)
      state.asked = asked.filter((other) => other !== own)
      const { approved, reason } = own.answer
      if (!approved) return { deny: reason ?? 'The call was not approved.' }
      return 'input' in own.answer ? { input: own.answer.input } : undefined
    }
    const call = await this.#requestFor(args)
    if (!call) return undefined
    const canAsk =
      typeof this.#interactive === 'function' ? await this.#interactive(requestContext) : this.#interactive
    if (canAsk !== true) return { deny: 'The call needs an approval, and no approver is available.' }
    const others = await this.#lookAhead(args, asked)
    state.asked = [call, ...others]
    return suspendFor(args, state.asked as ApprovalRequest[])
  }

  /** The call as it is shown to the approver; `undefined` if it needs no approval. */
  async #requestFor({
    toolCall,
    tool,
    requestContext,
  }: ConsideredCall): Promise<ApprovalRequest | undefined> {
    const needed = await this.#rule({ toolCall, tool, requestContext })
    if (needed === undefined || needed === false) return undefined
    const { toolCallId, toolName, input } = toolCall
    return {
      toolCallId,
      toolName,
      input,
      ...(typeof needed === 'string' && { reason: needed }),
      ...(this.#timeLimit !== undefined && { expiresAt: Date.now() + this.#timeLimit }),
    }
  }

  /** The later calls of the step that also need an approval, as far as is known, so that all are shown at once. */
  async #lookAhead(
    { toolCall, messageList, requestContext, state }: ProcessToolCallArgs,
    asked: readonly ApprovalRequest[],
  ): Promise<ApprovalRequest[]> {
    const tools = this.#tools.get(state) ?? {}
    const calls: ApprovalRequest[] = []
    for (const other of laterCalls(toolCall, messageList)) {
      const tool = Object.hasOwn(tools, other.toolName) ? tools[other.toolName] : undefined
      if (!tool) continue
      const known = asked.find(({ toolCallId }) => toolCallId === other.toolCallId)
      try {
        const call = known ?? (await this.#requestFor({ toolCall: other, tool, requestContext }))
        if (call) calls.push(call)
      } catch {
        // Its input may not be valid yet. If the rule itself fails, it fails again when the call is decided.
      }
    }
    return calls
  }
}

const NO_ANSWER =
  'There is no answer for these calls yet. Resume the run with { approved: true }, { approved: true, input } or { approved: false, reason }, or with such objects by call id.'

function suspendFor(
  { suspend }: ProcessToolCallArgs,
  asked: readonly ApprovalRequest[],
  problem?: string,
): never {
  const waiting = asked.filter(({ answer }) => answer === undefined)
  const expiresAt = waiting[0]?.expiresAt
  return suspend({
    type: 'tool-approval',
    toolCalls: waiting.map(({ toolCallId, toolName, input, reason }) => ({
      toolCallId,
      toolName,
      input,
      ...(reason !== undefined && { reason }),
    })),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(problem !== undefined && { problem }),
  } satisfies ApprovalGatePayload)
}

/** The later calls of the step that are not decided yet, with the input that the model sent. */
function laterCalls({ toolCallId }: ToolCall, messageList: MessageList): ToolCall[] {
  const parts = messageList.get('response').findLast(({ role }) => role === 'assistant')?.content.parts ?? []
  const place = parts.findIndex((part) => isToolPart(part) && part.toolCallId === toolCallId)
  return parts.slice(place + 1).flatMap((part) => {
    if (place === -1 || !isToolPart(part) || part.providerExecuted || part.state !== 'input-available')
      return []
    return [{ toolCallId: part.toolCallId, toolName: toolNameOf(part), input: part.input }]
  })
}
