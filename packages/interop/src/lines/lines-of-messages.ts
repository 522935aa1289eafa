import {
  isToolPart,
  type Message,
  type MessagePart,
  type SteeringMessagePart,
  type SystemMessage,
  type ToolCall,
  type ToolPart,
  toolNameOf,
} from '@millrace/core'
import { fileUrl } from './file-reference.ts'
import { type Line, type LineCall, type LineContent, textLine } from './line.ts'

/**
 * A line with the piece of the message that it was made from, so that unchanged lines can be converted back
 * without loss.
 */
export interface SourceLine {
  line: Line
  source: Source
}

type Source =
  | { kind: 'system'; message: SystemMessage }
  | { kind: 'piece'; piece: Piece }
  | { kind: 'result'; part: ToolPart }

/**
 * The part of a message that makes up one line: the whole message, one step of an answer, or a user message
 * within an answer.
 */
export interface Piece {
  message: Message
  /** `step-start` parts before the piece and, for a message's last piece, after it. */
  lead: MessagePart[]
  parts: MessagePart[]
  tail: MessagePart[]
  steering: SteeringMessagePart | undefined
  /** The index of the piece in its message. */
  index: number
  /** The number of pieces of the message. */
  count: number
}

/** A transcript as lines, system messages first. Every message has at least one line. */
export function linesOf(
  messages: readonly Message[],
  systemMessages: readonly SystemMessage[] = [],
): SourceLine[] {
  const lines: SourceLine[] = systemMessages.map((message) => ({
    line: textLine('system', message.content),
    source: { kind: 'system', message },
  }))
  for (const message of messages) {
    if (message.role === 'system') continue
    for (const piece of piecesOf(message)) {
      lines.push({ line: pieceLine(piece), source: { kind: 'piece', piece } })
      if (message.role !== 'assistant') continue
      for (const part of piece.parts) {
        if (!isOwnCall(part)) continue
        const text = resultText(part)
        if (text === undefined) continue
        const line: Line = { ...textLine('tool', text), callId: part.toolCallId }
        lines.push({ line, source: { kind: 'result', part } })
      }
    }
  }
  return lines
}

/** Calls that the agent executes. Calls that a provider executes have no tool line. */
export function isOwnCall(part: MessagePart): part is ToolPart {
  return isToolPart(part) && !part.providerExecuted && part.state !== 'input-streaming'
}

/** The input of a call as JSON. If it was not valid JSON, the raw text of the model. */
export function argsOf(input: unknown): string {
  return typeof input === 'string' ? input : (JSON.stringify(input) ?? '{}')
}

/** The calls that the agent must answer. */
export function linesOfCalls(toolCalls: readonly ToolCall[]): LineCall[] {
  return toolCalls
    .filter(({ providerExecuted }) => !providerExecuted)
    .map(({ toolCallId, toolName, input }) => ({ id: toolCallId, name: toolName, args: argsOf(input) }))
}

/** The text of the tool line for an answered call. */
export function resultText(part: ToolPart): string | undefined {
  switch (part.state) {
    case 'output-available':
      return outputText(part.output)
    case 'output-error':
      return part.errorText
    case 'output-denied':
      return part.approval.reason ?? 'The call was denied.'
    default:
      return undefined
  }
}

/** The output of a tool as text: a string as it is, anything else as JSON. */
export function outputText(output: unknown): string {
  return typeof output === 'string' ? output : (JSON.stringify(output) ?? 'null')
}

function piecesOf(message: Message): Piece[] {
  const pieces: Piece[] = []
  let lead: MessagePart[] = []
  let parts: MessagePart[] = []
  const add = (steering?: SteeringMessagePart): void => {
    if (parts.length === 0 && !steering) return
    pieces.push({ message, lead, parts, tail: [], steering, index: pieces.length, count: 0 })
    lead = []
    parts = []
  }
  for (const part of message.content.parts) {
    if (part.type === 'step-start') {
      add()
      lead.push(part)
    } else if (part.type === 'steering-message') {
      add()
      add(part)
    } else parts.push(part)
  }
  add()
  const last = pieces.at(-1)
  if (last) last.tail = lead
  else pieces.push({ message, lead, parts: [], tail: [], steering: undefined, index: 0, count: 0 })
  for (const piece of pieces) piece.count = pieces.length
  return pieces
}

function pieceLine({ message, parts, steering }: Piece): Line {
  const role = steering || message.role === 'user' ? 'user' : 'assistant'
  return {
    role,
    content: contentOf(steering?.parts ?? parts),
    calls: role === 'user' ? [] : parts.filter(isOwnCall).map(callOf),
    callId: undefined,
  }
}

function contentOf(parts: readonly MessagePart[]): LineContent[] {
  return parts.flatMap((part): LineContent[] => {
    if (part.type === 'text') return part.text === '' ? [] : [{ type: 'text', text: part.text }]
    if (part.type !== 'file') return []
    return [{ type: 'file', url: fileUrl(part), mediaType: part.mediaType, filename: part.filename }]
  })
}

function callOf(part: ToolPart): LineCall {
  return { id: part.toolCallId, name: toolNameOf(part), args: argsOf(part.input) }
}
