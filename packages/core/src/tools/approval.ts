import type { PromptMessages } from '../messages/model-message.ts'
import type { RequestContext } from '../request-context.ts'
import type { ToolCall, ToolSet } from './tool.ts'

/** What an approval policy says about a call, in the AI SDK's words. `undefined` is `not-applicable`. */
export type ToolApprovalStatus =
  | undefined
  | 'not-applicable'
  | 'approved'
  | 'denied'
  | 'user-approval'
  | { type: 'not-applicable'; reason?: never }
  | { type: 'approved' | 'denied' | 'user-approval'; reason?: string }

/** Decides about one tool's calls. */
export type SingleToolApproval = {
  // A method, so that a function of one tool's input fits into a set of tools.
  // biome-ignore lint/suspicious/noExplicitAny: the input is what the tool's schema says
  decide(input: any, options: ApprovalOptions): ToolApprovalStatus | PromiseLike<ToolApprovalStatus>
}['decide']

interface ApprovalOptions {
  toolCallId: string
  messages: PromptMessages
  requestContext: RequestContext
}

/** Which calls need approval: a function of every call, or a status or function by tool name. */
export type ToolApprovalConfiguration =
  | ((
      options: Omit<ApprovalOptions, 'toolCallId'> & { toolCall: ToolCall; tools: ToolSet },
    ) => ToolApprovalStatus | PromiseLike<ToolApprovalStatus>)
  | { readonly [toolName: string]: ToolApprovalStatus | SingleToolApproval }

/** What an approver answers, for one call. */
export interface ToolApprovalResponse {
  approved: boolean
  /** Shown to the model where the call is denied. */
  reason?: string
}

/** Names a call that waits for approval: the run that waits, and the call in it. */
export function approvalId(runId: string, toolCallId: string): string {
  return `${runId}:${toolCallId}`
}
