import { MillraceError, type RequestContext, type Tool, type ToolCall } from '@millrace/core'

/** Whether a call needs an approval. A string is the reason that the approver is shown. */
export type NeedsApproval = boolean | string | undefined

/** A call that may need an approval, with its tool and context. */
export interface ConsideredCall {
  readonly toolCall: ToolCall
  readonly tool: Tool
  readonly requestContext: RequestContext
}

/** A rule for the input of one tool. */
export type ApprovalRule = {
  // A method, so that parameters are bivariant: a function of one tool's input is accepted.
  decide(
    // biome-ignore lint/suspicious/noExplicitAny: the input is what the tool's schema says
    input: any,
    call: ConsideredCall,
  ): NeedsApproval | Promise<NeedsApproval>
}['decide']

/** A rule for every call. */
export type CallRule = (call: ConsideredCall) => NeedsApproval | Promise<NeedsApproval>

/**
 * The calls that need an approval: tools by name; an object with `true` or a rule about the input for each name; or a
 * function.
 */
export type GatedTools = readonly string[] | { readonly [toolName: string]: true | ApprovalRule } | CallRule

/**
 * Whether a tool declares itself dangerous: by `dangerous: true` in its metadata, or by MCP's `destructiveHint` (Model
 * Context Protocol, ToolAnnotations).
 */
export const isDangerous: CallRule = ({ tool: { metadata } }) => {
  const { dangerous, destructiveHint, annotations } = metadata ?? {}
  const { destructiveHint: nested } = (annotations ?? {}) as { destructiveHint?: unknown }
  return dangerous === true || destructiveHint === true || nested === true
}

/** @throws MillraceError `CONFIG_INVALID` */
export function toRule(tools: GatedTools): CallRule {
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
