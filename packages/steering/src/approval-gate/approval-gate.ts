import {
  type OptionNames,
  type Processor,
  type ProcessToolCallArgs,
  type ProcessToolCallResult,
  type RequestContext,
  requireOptions,
  requireTime,
} from '@millrace/core'
import { type CallRule, type GatedTools, isDangerous, toRule } from './call-rule.ts'

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

/**
 * Asks for the approval of calls, as `needsApproval` of a tool does: with the same payload, and answered in the same way.
 * Unlike a tool, it asks by name or by rule, gives a reason and a time limit, and denies calls where nobody can approve.
 */
export class ApprovalGate implements Processor {
  readonly id: string
  readonly #rule: CallRule
  readonly #interactive: NonNullable<ApprovalGateOptions['interactive']>
  readonly #timeLimit: number | undefined

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

  async processToolCall({
    toolCall,
    tool,
    requestContext,
  }: ProcessToolCallArgs): Promise<ProcessToolCallResult> {
    const needed = await this.#rule({ toolCall, tool, requestContext })
    if (needed === undefined || needed === false) return undefined
    const canAsk =
      typeof this.#interactive === 'function' ? await this.#interactive(requestContext) : this.#interactive
    if (canAsk !== true) return { deny: 'The call needs an approval, and no approver is available.' }
    return {
      needsApproval: {
        ...(typeof needed === 'string' && { reason: needed }),
        ...(this.#timeLimit !== undefined && { expiresAt: Date.now() + this.#timeLimit }),
      },
    }
  }
}
