import { isToolPart, type Message, type MessagePart } from '../messages/message.ts'
import type { PerRun } from '../per-run.ts'
import { type Budget, isSame, MAX_OBJECTS, snapshotOf } from './snapshot-of.ts'

/** A captured part. The fields that are compared in the whole history come first. */
interface SeenPart {
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

interface SeenMessage {
  message: Message
  role: Message['role']
  metadata: unknown
  list: MessagePart[]
  parts: SeenPart[]
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
  readonly #known = new WeakMap<Message, SeenMessage>()
  #seen: SeenMessage[] = []

  /** Captures the messages. */
  see(messages: readonly Message[]): void {
    const depth = this.#depth
    const seen: SeenMessage[] = new Array(messages.length)
    for (let index = messages.length - 1; index >= 0; index--) {
      seen[index] = this.#look(messages[index] as Message, depth)
    }
    this.#seen = seen
  }

  /** Whether the messages differ from the captured ones. */
  isChanged(messages: readonly Message[]): boolean {
    const { length } = messages
    if (length !== this.#seen.length) return true
    const depth = this.#depth
    for (let index = length - 1; index >= 0; index--) {
      if (!isUnchanged(this.#seen[index] as SeenMessage, messages[index] as Message, depth)) return true
    }
    return false
  }

  /** All differences from the captured messages. */
  changes(messages: readonly Message[]): MessageChange[] {
    const before = new Map(this.#seen.map((seen) => [seen.message.id, seen]))
    const changes: MessageChange[] = []
    for (const message of messages) {
      const seen = before.get(message.id)
      before.delete(message.id)
      if (!seen)
        changes.push({
          messageId: message.id,
          before: undefined,
          after: message.content.parts,
          made: { message },
        })
      else if (!isUnchanged(seen, message, this.#depth)) changes.push(changeOf(seen, message, this.#depth))
    }
    for (const { message, parts } of before.values()) {
      changes.push({ messageId: message.id, before: parts.map(seenAs), after: undefined, made: undefined })
    }
    return changes
  }

  get #depth(): Depth {
    return { left: MAX_OBJECTS, parts: this.parts }
  }

  #look(message: Message, depth: Depth): SeenMessage {
    const { role, content } = message
    const list = content.parts
    const known = this.#known.get(message)
    const parts: SeenPart[] = known ? known.parts : []
    for (let index = list.length - 1; index >= 0; index--) {
      const part = list[index] as MessagePart
      const earlier = parts[index]
      if (!earlier || !isUnedited(earlier, part, depth)) parts[index] = lookAt(part, depth)
    }
    parts.length = list.length
    const metadata = content.metadata === undefined ? undefined : snapshotOf(content.metadata, depth)
    if (known) {
      known.role = role
      known.metadata = metadata
      known.list = list
      return known
    }
    const seen = { message, role, metadata, list, parts }
    this.#known.set(message, seen)
    return seen
  }
}

function seenAs({ copy, data }: SeenPart): unknown {
  return data ?? copy
}

function lookAt(part: MessagePart, depth: Depth): SeenPart {
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

function isUnchanged(seen: SeenMessage, message: Message, depth: Depth): boolean {
  const { role, content } = message
  const { parts, metadata } = content
  if (seen.message !== message && seen.message.id !== message.id) return false
  if (seen.role !== role || parts.length !== seen.parts.length) return false
  if (metadata !== seen.metadata && !isSame(metadata, seen.metadata)) return false
  for (let index = parts.length - 1; index >= 0; index--) {
    if (!isUnedited(seen.parts[index] as SeenPart, parts[index] as MessagePart, depth)) return false
  }
  return true
}

/** Whether a part is unchanged. */
function isUnedited(seen: SeenPart, part: MessagePart, depth: Depth): boolean {
  if (seen.part !== part) return isSame(part, seenAs(seen))
  const now = part as LoosePart
  if (now.type !== seen.type) return false
  depth.parts--
  switch (seen.kind) {
    case 'text':
      if (now.text !== seen.first || now.providerMetadata !== seen.second) return false
      break
    case 'tool':
      if (now.input !== seen.first || now.output !== seen.second || now.state !== seen.state) return false
      if (now.errorText !== seen.copy.errorText || now.approval !== seen.copy.approval) return false
      break
    default:
      if (!isShallow(part, seen.copy)) return false
  }
  if (seen.data === undefined || depth.parts < 0 || depth.left <= 0) return true
  depth.left -= seen.size
  return isSame(part, seen.data)
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
function changeOf(seen: SeenMessage, now: Message, depth: Depth): MessageChange {
  const { id: messageId, content } = now
  const { parts } = content
  const isKept = (index: number, other: number): boolean => {
    return isUnedited(seen.parts[index] as SeenPart, parts[other] as MessagePart, { ...depth })
  }
  const least = Math.min(parts.length, seen.parts.length)
  let first = 0
  while (first < least && isKept(first, first)) first++
  let last = 0
  while (last < least - first && isKept(seen.parts.length - 1 - last, parts.length - 1 - last)) last++
  const before = seen.parts.slice(first, seen.parts.length - last).map(seenAs)
  const after = parts.slice(first, parts.length - last)
  if (before.length === 0 && after.length === 0) {
    const { role, metadata } = seen
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
