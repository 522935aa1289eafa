import { isRecord, isToolPart, type Message, toolNameOf } from '@millrace/core'
import type { MessageView, PartView } from '../wire.ts'
import type { Shown } from './text.ts'

/** A message of a run's input. */
export function messageView({ role, content }: Message, shown: Shown): MessageView {
  return { role, parts: content.parts.map((part) => partView(part, shown)) }
}

function partView(part: Message['content']['parts'][number], shown: Shown): PartView {
  if (part.type === 'text' || part.type === 'reasoning')
    return { type: part.type, text: shown.text(part.text) }
  if (isToolPart(part)) {
    const { toolCallId, input } = part
    const { output, errorText } = part as { output?: unknown; errorText?: string }
    return {
      type: 'tool',
      toolCallId,
      toolName: shown.words(toolNameOf(part)),
      ...(input !== undefined && { input: shown.json(input) }),
      ...(output !== undefined && { output: shown.json(output) }),
      ...(errorText !== undefined && { error: shown.text(errorText) }),
    }
  }
  return otherView(part, shown)
}

/** A message of a prompt, in the provider's form. */
export function promptMessageView(message: unknown, shown: Shown): MessageView {
  const { role, content } = message as { role: MessageView['role']; content: unknown }
  if (typeof content === 'string') return { role, parts: [{ type: 'text', text: shown.text(content) }] }
  const parts = Array.isArray(content) ? content.filter(isRecord) : []
  return { role, parts: parts.map((part) => promptPartView(part, shown)) }
}

function promptPartView(part: Record<string, unknown>, shown: Shown): PartView {
  const { type, text, toolCallId, toolName, input, output } = part
  if ((type === 'text' || type === 'reasoning') && typeof text === 'string')
    return { type, text: shown.text(text) }
  if (typeof toolCallId === 'string' && typeof toolName === 'string') {
    return {
      type: 'tool',
      toolCallId,
      toolName: shown.words(toolName),
      ...(input !== undefined && { input: shown.json(input) }),
      ...(output !== undefined && { output: shown.json(outputOf(output)) }),
    }
  }
  return otherView(part, shown)
}

/** The value of a tool's output, without its type. */
function outputOf(output: unknown): unknown {
  return isRecord(output) && 'value' in output ? output.value : output
}

function otherView(part: object, shown: Shown): PartView {
  const { type = 'part', mediaType, filename, ...rest } = part as Record<string, unknown>
  if (typeof mediaType === 'string') {
    return {
      type: 'file',
      mediaType,
      ...(typeof filename === 'string' && { filename: shown.words(filename) }),
    }
  }
  return { type: 'other', name: String(type), value: shown.json(rest) }
}
