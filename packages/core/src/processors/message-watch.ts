import { isToolPart, type Message, type MessagePart } from '../messages/message.ts'
import type { PerRun } from '../per-run.ts'
import { type Budget, isSame, MAX_OBJECTS, snapshotOf } from './snapshot-of.ts'

/** A captured part. The fields that are compared in the whole history come first. */
interface CapturedPart {
  part: MessagePart
  type: string
  kind: 'text' | 'tool' | 'other'
  /** The text of a text part, or the input of a call. */
  first: unknown
  /** The metadata of a text part, or the output of a call. */
  second: unknown
  state: unknown
  /** A shallow copy of all fields. */
  copy: Record<string, unknown>
  /** A copy of the fields with their data, if the part has data and is within the depth. */
  data: Record<string, unknown> | undefined
  /** The number of objects in that copy. */
  size: number
}

interface CapturedMessage {
  message: Message
  role: Message['role']
  metadata: unknown
  list: MessagePart[]
  parts: CapturedPart[]
}

/** A change of a part or of a whole message. `before` or `after` is `undefined` if it was added or removed. */
export interface MessageChange {
  messageId: string
  /** Position of the first part that differs; `undefined` if the whole message differs. */
  partIndex?: number
  before: unknown
  after: unknown
  /** The new content, to be validated. */
  made: { message: Message } | { parts: readonly MessagePart[] } | undefined
}

/** How deep data is compared: the number of newest parts, and the number of objects in them. */
interface Depth extends Budget {
  parts: number
}

/** The watch of this key, which is added if there is none. */
export function watchIn(watches: PerRun<MessageWatch>, key: object): MessageWatch {
  return watches.get(key) ?? watches.set(key, new MessageWatch())
}

/**
 * Captures a list of messages and detects later changes, in place or through the list. Costs a few nanoseconds per
 * part. Only the data of tools and providers in the newest parts is compared deeply.
 */
export class MessageWatch {
  /** Number of newest parts whose data is compared. */
  parts: number = Number.POSITIVE_INFINITY
  /** The capture of a message from an earlier call. */
  readonly #known = new WeakMap<Message, CapturedMessage>()
  #captured: CapturedMessage[] = []

  /** Captures the messages. */
  capture(messages: readonly Message[]): void {
    const depth = this.#depth
    const captured: CapturedMessage[] = new Array(messages.length)
    for (let index = messages.length - 1; index >= 0; index--) {
      captured[index] = this.#captureMessage(messages[index] as Message, depth)
    }
    this.#captured = captured
  }

  /** Whether the messages differ from the captured ones. */
  isChanged(messages: readonly Message[]): boolean {
    const { length } = messages
    if (length !== this.#captured.length) return true
    const depth = this.#depth
    for (let index = length - 1; index >= 0; index--) {
      if (!isUnchanged(this.#captured[index] as CapturedMessage, messages[index] as Message, depth))
        return true
    }
    return false
  }

  /** All differences from the captured messages. */
  changes(messages: readonly Message[]): MessageChange[] {
    const before = new Map(this.#captured.map((captured) => [captured.message.id, captured]))
    const changes: MessageChange[] = []
    for (const message of messages) {
      const captured = before.get(message.id)
      before.delete(message.id)
      if (!captured)
        changes.push({
          messageId: message.id,
          before: undefined,
          after: message.content.parts,
          made: { message },
        })
      else if (!isUnchanged(captured, message, this.#depth))
        changes.push(changeOf(captured, message, this.#depth))
    }
    for (const { message, parts } of before.values()) {
      changes.push({ messageId: message.id, before: parts.map(copyOf), after: undefined, made: undefined })
    }
    return changes
  }

  get #depth(): Depth {
    return { left: MAX_OBJECTS, parts: this.parts }
  }

  #captureMessage(message: Message, depth: Depth): CapturedMessage {
    const { role, content } = message
    const list = content.parts
    const known = this.#known.get(message)
    const parts: CapturedPart[] = known ? known.parts : []
    for (let index = list.length - 1; index >= 0; index--) {
      const part = list[index] as MessagePart
      const earlier = parts[index]
      if (!earlier || !isUnedited(earlier, part, depth)) parts[index] = capturePart(part, depth)
    }
    parts.length = list.length
    const metadata = content.metadata === undefined ? undefined : snapshotOf(content.metadata, depth)
    if (known) {
      known.role = role
      known.metadata = metadata
      known.list = list
      return known
    }
    const captured = { message, role, metadata, list, parts }
    this.#known.set(message, captured)
    return captured
  }
}

function copyOf({ copy, data }: CapturedPart): unknown {
  return data ?? copy
}

function capturePart(part: MessagePart, depth: Depth): CapturedPart {
  const copy: Record<string, unknown> = { ...part }
  const { type } = part
  const kind = type === 'text' ? 'text' : isToolPart(part) ? 'tool' : 'other'
  const hasData = type !== 'step-start' && (kind !== 'text' || copy.providerMetadata !== undefined)
  const before = depth.left
  const isDeep = hasData && depth.parts > 0 && before > 0
  const data = isDeep ? (snapshotOf(part, depth) as Record<string, unknown>) : undefined
  const first = kind === 'tool' ? copy.input : copy.text
  const second = kind === 'tool' ? copy.output : copy.providerMetadata
  return { part, type, kind, first, second, state: copy.state, copy, data, size: before - depth.left }
}

function isUnchanged(captured: CapturedMessage, message: Message, depth: Depth): boolean {
  const { role, content } = message
  const { parts, metadata } = content
  if (captured.message !== message && captured.message.id !== message.id) return false
  if (captured.role !== role || parts.length !== captured.parts.length) return false
  if (metadata !== captured.metadata && !isSame(metadata, captured.metadata)) return false
  for (let index = parts.length - 1; index >= 0; index--) {
    if (!isUnedited(captured.parts[index] as CapturedPart, parts[index] as MessagePart, depth)) return false
  }
  return true
}

/** Whether a part is unchanged. */
function isUnedited(captured: CapturedPart, part: MessagePart, depth: Depth): boolean {
  if (captured.part !== part) return isSame(part, copyOf(captured))
  const now = part as LoosePart
  if (now.type !== captured.type) return false
  depth.parts--
  switch (captured.kind) {
    case 'text':
      if (now.text !== captured.first || now.providerMetadata !== captured.second) return false
      break
    case 'tool':
      if (now.input !== captured.first || now.output !== captured.second || now.state !== captured.state)
        return false
      if (now.errorText !== captured.copy.errorText || now.approval !== captured.copy.approval) return false
      break
    default:
      if (!isShallow(part, captured.copy)) return false
  }
  if (captured.data === undefined || depth.parts < 0 || depth.left <= 0) return true
  depth.left -= captured.size
  return isSame(part, captured.data)
}

type LoosePart = { type: string } & {
  [KEY in 'text' | 'providerMetadata' | 'input' | 'output' | 'state' | 'errorText' | 'approval']?: unknown
}

function isShallow(part: object, copy: Record<string, unknown>): boolean {
  const now = part as Record<string, unknown>
  for (const key in now) if (now[key] !== copy[key]) return false
  for (const key in copy) if (!(key in now)) return false
  return true
}

/**
 * The difference between a captured message and its current state: the parts from the first to the last that differ.
 */
function changeOf(captured: CapturedMessage, now: Message, depth: Depth): MessageChange {
  const { id: messageId, content } = now
  const { parts } = content
  const isKept = (index: number, other: number): boolean => {
    return isUnedited(captured.parts[index] as CapturedPart, parts[other] as MessagePart, { ...depth })
  }
  const least = Math.min(parts.length, captured.parts.length)
  let first = 0
  while (first < least && isKept(first, first)) first++
  let last = 0
  while (last < least - first && isKept(captured.parts.length - 1 - last, parts.length - 1 - last)) last++
  const before = captured.parts.slice(first, captured.parts.length - last).map(copyOf)
  const after = parts.slice(first, parts.length - last)
  if (before.length === 0 && after.length === 0) {
    const { role, metadata } = captured
    return {
      messageId,
      before: { role, metadata },
      after: { role: now.role, metadata: content.metadata },
      made: { parts: [] },
    }
  }
  return {
    messageId,
    partIndex: first,
    before: textAlone(before),
    after: textAlone(after),
    made: { parts: after },
  }
}

/** The text, if the only part is text or reasoning; otherwise the parts. */
function textAlone(parts: readonly unknown[]): unknown {
  const [first] = parts as readonly { type?: unknown; text?: unknown }[]
  const isText = parts.length === 1 && (first?.type === 'text' || first?.type === 'reasoning')
  return isText && typeof first.text === 'string' ? first.text : parts
}
