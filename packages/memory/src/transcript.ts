import { isToolPart, type Message, type MessagePart, toolNameOf } from '@millrace/core'

/** Longer outputs of tools are cut: what matters of them was said. */
const MAX_OUTPUT_CHARACTERS = 2_000

/** One message, as a model reads it that is to take notes of a conversation and not to take part in it. */
export interface TranscriptLine {
  /** ISO 8601. */
  at: string
  role: Message['role']
  said: (string | { tool: string; output: string })[]
}

/** Messages as lines: their text, and what tools have answered. Messages without either are left out. */
export function transcriptOf(messages: readonly Message[]): TranscriptLine[] {
  return messages.flatMap(({ role, content, createdAt }) => {
    const said = content.parts.flatMap(partOf)
    return said.length === 0 ? [] : [{ at: createdAt.toISOString(), role, said }]
  })
}

function partOf(part: MessagePart): TranscriptLine['said'] {
  if (part.type === 'text') return part.text === '' ? [] : [part.text]
  if (!isToolPart(part) || part.state !== 'output-available') return []
  const output = JSON.stringify(part.output) ?? ''
  return [{ tool: toolNameOf(part), output: output.slice(0, MAX_OUTPUT_CHARACTERS).toWellFormed() }]
}
