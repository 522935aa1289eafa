import type { Message, MessagePart, SystemMessage } from '@millrace/core'
import { isSameLine, type Line, textOfLine } from './line.ts'
import type { Piece, SourceLine } from './lines-of-messages.ts'
import { partsOfLine } from './parts-of-line.ts'

/** A line as a modifier left it, and which of the known ones it is; `undefined` marks a new one. */
export interface EditedLine {
  line: Line
  place: number | undefined
}

export interface Rewritten {
  /** What no modifier changed is the same object as before. */
  messages: Message[]
  systemMessages: SystemMessage[]
  /** The messages that were not there before, each with the one it was split from, if any. */
  added: Map<Message, Message | undefined>
  isChanged: boolean
}

/**
 * Lines as messages again. Only what differs is made anew: parts that have no line (reasoning, sources, data) stay
 * where they are, and so do ids, metadata and providers' options. A result goes with its call: one without a call is
 * left out, and a call whose result was removed has none.
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

/** Pieces of one message that still follow each other are one message again. Of several such groups the last keeps the id. */
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
