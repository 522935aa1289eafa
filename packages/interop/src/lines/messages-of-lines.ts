import type { Message, MessagePart, SystemMessage } from '@millrace/core'
import { isSameLine, type Line, textOfLine } from './line.ts'
import type { Piece, SourceLine } from './lines-of-messages.ts'
import { partsOfLine } from './parts-of-line.ts'

/** A line as a modifier left it, and the index of the known line it matches; `undefined` marks a new one. */
export interface EditedLine {
  line: Line
  place: number | undefined
}

export interface Rewritten {
  /** Unchanged messages are the same objects as before. */
  messages: Message[]
  systemMessages: SystemMessage[]
  /** The new messages, each with the message it was split from, if any. */
  added: Map<Message, Message | undefined>
  isChanged: boolean
}

/**
 * Converts lines back to messages. Only what differs is created anew: parts without a line (reasoning,
 * sources, data) stay at their position, and ids, metadata and provider options are kept. A result needs its
 * call: a result without a call is dropped, and a call whose result was removed is open again.
 */
export function rewrite(known: readonly SourceLine[], edited: readonly EditedLine[]): Rewritten {
  const isChanged =
    known.length !== edited.length ||
    edited.some(
      ({ line, place }, index) => place !== index || !isSameLine(line, (known[index] as SourceLine).line),
    )
  const results = new Map<string, Line>()
  for (const { line } of edited) if (line.callId !== undefined) results.set(line.callId, line)
  const answered = new Set(known.flatMap(({ line }) => (line.callId === undefined ? [] : [line.callId])))

  const systemMessages: SystemMessage[] = []
  const pieces: NewPiece[] = []
  for (const { line, place } of edited) {
    const before = place === undefined ? undefined : known[place]
    if (line.role === 'system') systemMessages.push(systemMessage(line, before))
    else if (line.role !== 'tool') {
      const source = before?.source.kind === 'piece' && before.line.role === line.role ? before : undefined
      const piece = source?.source.kind === 'piece' ? source.source.piece : undefined
      const parts = partsOfLine(line, { piece, before: source?.line, results, answered })
      pieces.push({ role: line.role === 'user' ? 'user' : 'assistant', piece, parts })
    }
  }
  return { ...group(pieces), systemMessages, isChanged }
}

interface NewPiece {
  role: 'user' | 'assistant'
  piece: Piece | undefined
  parts: readonly MessagePart[]
}

function systemMessage(line: Line, before: SourceLine | undefined): SystemMessage {
  const content = textOfLine(line)
  if (before?.source.kind !== 'system') return { role: 'system', content }
  const { message } = before.source
  return message.content === content ? message : { ...message, content }
}

/**
 * Joins consecutive pieces of one message again. If a message was split into several groups, the last one
 * keeps its id.
 */
function group(pieces: readonly NewPiece[]): { messages: Message[]; added: Rewritten['added'] } {
  const groups: [NewPiece, ...NewPiece[]][] = []
  for (const piece of pieces) {
    const previous = groups.at(-1)?.at(-1)?.piece
    const follows =
      previous !== undefined &&
      piece.piece?.message === previous.message &&
      piece.piece.index > previous.index
    if (follows) groups.at(-1)?.push(piece)
    else groups.push([piece])
  }
  const last = new Map(groups.map((members) => [members[0].piece?.message.id, members]))
  const added: Rewritten['added'] = new Map()
  const messages = groups.map((members) => {
    const message = messageOf(members, last.get(members[0].piece?.message.id) === members)
    const original = members[0].piece?.message
    if (original?.id !== message.id) added.set(message, original)
    return message
  })
  return { messages, added }
}

function messageOf(members: readonly [NewPiece, ...NewPiece[]], keepsId: boolean): Message {
  const [{ piece, role }] = members
  const parts = members.flatMap((member) => [
    ...(member.piece?.lead ?? []),
    ...member.parts,
    ...(member.piece?.tail ?? []),
  ])
  if (!piece) return { id: crypto.randomUUID(), role, content: { parts }, createdAt: new Date() }
  const { message } = piece
  const before = message.content.parts
  const isSame =
    keepsId && parts.length === before.length && parts.every((part, index) => part === before[index])
  if (isSame) return message
  const id = keepsId ? message.id : crypto.randomUUID()
  return { ...message, id, content: { ...message.content, parts } }
}
