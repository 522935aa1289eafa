import { isToolPart, type Message, type MessagePart, type ToolPart } from '@millrace/core'
import { rewriteDataUrl } from './data-url-text.ts'
import { rewriteJson } from './json-value.ts'

/** What kind of text a piece of a message is. */
export type TextKind = 'text' | 'reasoning' | 'tool-input' | 'tool-result'

/** Where a piece of text stands, for whoever rewrites it. */
interface TextPlace {
  readonly kind: TextKind
  readonly toolCallId?: string
}

export type RewriteText = (text: string, place: TextPlace) => string

/** The message with all its text rewritten: a copy, or the same where nothing changed. */
export function rewriteMessage(message: Message, rewrite: RewriteText): Message {
  const parts = rewriteParts(message.content.parts, rewrite)
  return parts === message.content.parts ? message : { ...message, content: { ...message.content, parts } }
}

function rewriteParts(parts: MessagePart[], rewrite: RewriteText): MessagePart[] {
  const rewritten = parts.map((part) => rewritePart(part, rewrite))
  return rewritten.some((part, index) => part !== parts[index]) ? rewritten : parts
}

/** A part with its text rewritten: a copy, or the same where nothing changed. */
export function rewritePart(part: MessagePart, rewrite: RewriteText): MessagePart {
  if (part.type === 'text' || part.type === 'reasoning') {
    const text = rewrite(part.text, { kind: part.type })
    return text === part.text ? part : { ...part, text }
  }
  if (part.type === 'file') {
    const url = rewriteDataUrl(part.url, (text) => rewrite(text, { kind: 'text' }))
    const filename = part.filename && rewrite(part.filename, { kind: 'text' })
    if (url === part.url && filename === part.filename) return part
    return { ...part, url, ...(filename !== undefined && { filename }) }
  }
  return isToolPart(part) ? rewriteToolPart(part, rewrite) : part
}

function rewriteToolPart(part: ToolPart, rewrite: RewriteText): ToolPart {
  const { toolCallId } = part
  const onInput = (text: string): string => rewrite(text, { kind: 'tool-input', toolCallId })
  const onResult = (text: string): string => rewrite(text, { kind: 'tool-result', toolCallId })
  const changes: Record<string, unknown> = {}
  if (part.input !== undefined) changes.input = rewriteJson(part.input, onInput)
  if ('rawInput' in part && part.rawInput !== undefined) changes.rawInput = onInput(part.rawInput)
  if (part.state === 'output-available') changes.output = rewriteJson(part.output, onResult)
  if (part.state === 'output-error') changes.errorText = onResult(part.errorText)
  const current = part as unknown as Record<string, unknown>
  const changed = Object.keys(changes).some((key) => changes[key] !== current[key])
  return changed ? ({ ...part, ...changes } as ToolPart) : part
}
