import { isToolPart, type Message, type MessagePart, type ToolPart, toolNameOf } from '@millrace/core'
import type { LegacyMessage } from './memory-processor.ts'

/** Messages in the form of AI SDK 4, with what is needed to convert them back. */
export interface LegacyView {
  lines: LegacyMessage[]
  /** The message part that each content part was made from. */
  partOf: Map<unknown, MessagePart>
  /** The message parts of a legacy message whose content is plain text. */
  partsOf: Map<LegacyMessage, MessagePart[]>
}

/**
 * Each step of an answer becomes an assistant message, followed by a tool message if the step has results.
 */
export function toLegacy(messages: readonly Message[]): LegacyView {
  const view: LegacyView = { lines: [], partOf: new Map(), partsOf: new Map() }
  for (const message of messages) {
    for (const step of stepsOf(message.content.parts)) {
      addLine(view, message, step)
      const answered = step.filter(isToolPart).filter(hasResult)
      if (answered.length > 0) addResults(view, message, answered)
    }
  }
  return view
}

function stepsOf(parts: readonly MessagePart[]): MessagePart[][] {
  const steps: MessagePart[][] = [[]]
  for (const part of parts) {
    if (part.type === 'step-start') steps.push([])
    else steps.at(-1)?.push(part)
  }
  return steps
}

function addLine(view: LegacyView, { id, role }: Message, parts: readonly MessagePart[]): void {
  const shown = parts.filter((part) => isToolPart(part) || part.type in SHOWN)
  if (shown.length === 0) return
  const [only] = shown
  if (shown.length === 1 && only?.type === 'text') {
    const line: LegacyMessage = { id, role, content: only.text }
    view.partsOf.set(line, [only])
    view.lines.push(line)
    return
  }
  const content = shown.map((part) => {
    const legacy = isToolPart(part) ? legacyCall(part) : SHOWN[part.type]?.(part as never)
    view.partOf.set(legacy, part)
    return legacy
  })
  view.lines.push({ id, role, content })
}

function addResults(view: LegacyView, { id }: Message, parts: readonly ToolPart[]): void {
  const content = parts.map((part) => {
    const { toolCallId } = part
    const isError = part.state !== 'output-available'
    const output =
      part.state === 'output-available'
        ? part.output
        : part.state === 'output-error'
          ? part.errorText
          : 'The call was denied.'
    const base = { type: 'tool-result', toolCallId, toolName: toolNameOf(part) }
    const result = { ...base, result: output, output, ...(isError && { isError }) }
    view.partOf.set(result, part)
    return result
  })
  view.lines.push({ id, role: 'tool', content })
}

const SHOWN: Record<string, ((part: never) => object) | undefined> = {
  text: ({ text }: { text: string }) => ({ type: 'text', text }),
  reasoning: ({ text }: { text: string }) => ({ type: 'reasoning', text }),
  file: ({ url, mediaType }: { url: string; mediaType: string }) => ({
    type: 'file',
    data: url,
    mimeType: mediaType,
    mediaType,
  }),
}

/** Has the field names of both AI SDK 4 and 5. */
function legacyCall(part: ToolPart): object {
  const { toolCallId, input } = part
  return { type: 'tool-call', toolCallId, toolName: toolNameOf(part), args: input, input }
}

export function hasResult({ state }: ToolPart): boolean {
  return state === 'output-available' || state === 'output-error' || state === 'output-denied'
}
