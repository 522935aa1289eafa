import type { PromptMessages } from '../messages/model-message.ts'
import type { RequestContext } from '../request-context.ts'
import type { ToolCall, ToolSet } from './tool.ts'

/** The result of an approval policy, as in the AI SDK. `undefined` means `not-applicable`. */
export type ToolApprovalStatus =
  | undefined
  | 'not-applicable'
  | 'approved'
  | 'denied'
  | 'user-approval'
  | { type: 'not-applicable'; reason?: never }
  | { type: 'approved' | 'denied' | 'user-approval'; reason?: string }

/** The approval policy of one tool. */
export type SingleToolApproval = {
  // A method type is bivariant, so a function of one tool's input is assignable in a set of tools.
  // biome-ignore lint/suspicious/noExplicitAny: the input is what the tool's schema says
  decide(input: any, options: ApprovalOptions): ToolApprovalStatus | PromiseLike<ToolApprovalStatus>
}['decide']

interface ApprovalOptions {
  toolCallId: string
  messages: PromptMessages
  requestContext: RequestContext
}

/** Which calls need approval: a function for all calls, or a status or function by tool name. */
export type ToolApprovalConfiguration =
  | ((
      options: Omit<ApprovalOptions, 'toolCallId'> & { toolCall: ToolCall; tools: ToolSet },
    ) => ToolApprovalStatus | PromiseLike<ToolApprovalStatus>)
  | { readonly [toolName: string]: ToolApprovalStatus | SingleToolApproval }

/** An approver's answer to one call. */
export interface ToolApprovalResponse {
  approved: boolean
  /** Passed to the model if the call is denied. */
  reason?: string
  /**
   * Executed in place of the input that was shown. It is validated and passes the processors; if they change it, the
   * run asks again.
   */
  input?: unknown
}

/** The id of an approval request. It contains the ids of the run and the call. */
export function approvalId(runId: string, toolCallId: string): string {
  return `${runId}:${toolCallId}`
}
