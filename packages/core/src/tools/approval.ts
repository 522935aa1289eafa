import type { PromptMessages } from '../messages/model-message.ts'
import type { RequestContext } from '../request-context.ts'
import { ownTool, type Tool, type ToolCall, type ToolSet } from './tool.ts'

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

export type ResolvedApproval = Exclude<ToolApprovalStatus, string | undefined>

/** What holds for every call of a tool, where nobody has to be asked about each. */
export function fixedApproval(
  toolApproval: ToolApprovalConfiguration | undefined,
  tool: Tool | undefined,
): ResolvedApproval | undefined {
  if (toolApproval !== undefined || typeof tool?.needsApproval === 'function') return undefined
  return { type: tool?.needsApproval ? 'user-approval' : 'not-applicable' }
}

/** Asks the agent's policy about a call, and the tool where that says nothing. */
export async function resolveApproval(
  toolCall: ToolCall,
  options: {
    toolApproval: ToolApprovalConfiguration | undefined
    tools: ToolSet
    messages: () => PromptMessages
    requestContext: RequestContext
  },
): Promise<ResolvedApproval> {
  const { toolApproval, tools, requestContext } = options
  const { toolCallId, toolName, input } = toolCall
  if (typeof toolApproval === 'function') {
    return normalize(await toolApproval({ toolCall, tools, messages: options.messages(), requestContext }))
  }
  const own = toolApproval && Object.hasOwn(toolApproval, toolName) ? toolApproval[toolName] : undefined
  if (own !== undefined) {
    return normalize(
      typeof own === 'function'
        ? await own(input, { toolCallId, messages: options.messages(), requestContext })
        : own,
    )
  }
  const needsApproval = ownTool(tools, toolName)?.needsApproval
  const needed =
    typeof needsApproval === 'function'
      ? await needsApproval(input, { toolCallId, messages: options.messages(), context: {} })
      : needsApproval
  return { type: needed ? 'user-approval' : 'not-applicable' }
}

function normalize(status: ToolApprovalStatus): ResolvedApproval {
  if (status === undefined) return { type: 'not-applicable' }
  return typeof status === 'string' ? { type: status } : status
}
