import { isToolPart, type Message, type MessagePart, type ToolPart, toolNameOf } from '../messages/message.ts'
import { requireOptions } from '../option-names.ts'

/** A message for a model that takes notes of a conversation without taking part in it. */
export interface TranscriptLine {
  /** ISO 8601. */
  at: string
  role: Message['role']
  said: (string | TranscriptCall)[]
}

/** A tool call. */
export interface TranscriptCall {
  tool: string
  /** As JSON. */
  input?: string
  /** As JSON. */
  output?: string
  error?: string
}

export interface TranscriptLinesOptions {
  /** Maximum length of an input, an output or an error in characters. Longer ones are truncated. Default: 2,000. */
  readonly maxOutput?: number
  /** Maximum length of a text in characters. Default: no limit. */
  readonly maxText?: number
  /** `outputs` leaves out inputs, and calls that failed. Default: `outputs`. */
  readonly calls?: 'outputs' | 'all'
}

/** Converts messages to lines with their text and tool calls. Messages without either are left out. */
export function transcriptLines(
  messages: readonly Message[],
  options: TranscriptLinesOptions = {},
): TranscriptLine[] {
  const {
    maxOutput = 2_000,
    maxText = Number.POSITIVE_INFINITY,
    calls = 'outputs',
  } = requireOptions('transcriptLines()', options, {
    maxOutput: 'optional',
    maxText: 'optional',
    calls: 'optional',
  })
  const partOf = (part: MessagePart): TranscriptLine['said'] => {
    if (part.type === 'text') return part.text === '' ? [] : [cut(part.text, maxText)]
    if (!isToolPart(part)) return []
    if (calls === 'all') return [wholeCall(part, maxOutput)]
    if (part.state !== 'output-available') return []
    return [{ tool: toolNameOf(part), output: cut(json(part.output), maxOutput) }]
  }
  return messages.flatMap(({ role, content, createdAt }) => {
    const said = content.parts.flatMap(partOf)
    return said.length === 0 ? [] : [{ at: createdAt.toISOString(), role, said }]
  })
}

function wholeCall(part: ToolPart, maxOutput: number): TranscriptCall {
  const call = { tool: toolNameOf(part), input: cut(json(part.input), maxOutput) }
  if (part.state === 'output-available') return { ...call, output: cut(json(part.output), maxOutput) }
  if (part.state === 'output-error') return { ...call, error: cut(part.errorText, maxOutput) }
  if (part.state === 'output-denied') return { ...call, error: `denied: ${part.approval.reason ?? ''}` }
  return { ...call, error: 'not completed' }
}

function json(value: unknown): string {
  return JSON.stringify(value) ?? ''
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length).toWellFormed()
}
