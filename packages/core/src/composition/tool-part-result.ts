import { isToolPart, type Message, type MessagePart, type ToolPart, toolNameOf } from '../messages/message.ts'
import type { ToolResult } from '../tools/tool.ts'

/** The result in a tool part. `undefined` if there is none yet, or if the provider executed the call. */
export function toolResultOf(part: MessagePart): ToolResult | undefined {
  if (!isToolPart(part) || part.providerExecuted) return undefined
  const call = { toolCallId: part.toolCallId, toolName: toolNameOf(part), input: part.input }
  switch (part.state) {
    case 'output-available':
      return { ...call, status: 'success', output: part.output }
    case 'output-error':
      return { ...call, status: 'error', error: part.errorText }
    case 'output-denied': {
      const { reason } = part.approval
      return { ...call, status: 'denied', ...(reason !== undefined && { reason }) }
    }
    default:
      return undefined
  }
}

/** A copy of the message with another result in one of its tool parts. */
export function withToolResult(message: Message, index: number, result: ToolResult): Message {
  const parts = [...message.content.parts]
  parts[index] = withResult(parts[index] as ToolPart, result)
  return { ...message, content: { ...message.content, parts } }
}

function withResult(part: ToolPart, result: ToolResult): ToolPart {
  const { state: _, output: __, errorText: ___, approval: ____, ...call } = part as Record<string, unknown>
  const { toolCallId: id } = part
  switch (result.status) {
    case 'success':
      return { ...call, state: 'output-available', output: result.output } as ToolPart
    case 'error':
      return { ...call, state: 'output-error', errorText: result.error } as ToolPart
    case 'denied': {
      const { reason } = result
      const approval = { id, approved: false, ...(reason !== undefined && { reason }) }
      return { ...call, state: 'output-denied', approval } as ToolPart
    }
    default:
      return result satisfies never
  }
}
