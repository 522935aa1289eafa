import { type Message, type MessageList, type MessagePart, newestTurn } from '@millrace/core'

/**
 * What of a prompt stays or goes as a whole: a message, or one step of an assistant's message. A tool call and its result are
 * in one step, so they are never parted.
 */
export interface Unit {
  readonly message: Message
  readonly parts: readonly MessagePart[]
  /** Which unit of its message it is, counted from 0. */
  readonly index: number
  /** It stays: this turn's user message, its context, and the newest step. */
  readonly isPinned: boolean
}

/** A place between two units, as JSON: before unit `units` of the message. */
export interface Position {
  readonly messageId: string
  readonly units: number
}

/**
 * The units of a prompt, in order.
 *
 * @param tasks Ids of user messages that stay, besides this turn's
 */
export function unitsOf(
  messages: readonly Message[],
  messageList: MessageList,
  tasks: readonly string[] = [],
): Unit[] {
  const turn = newestTurn(messages, messageList)
  const units: Unit[] = []
  for (const [place, message] of messages.entries()) {
    const { id, role } = message
    const isPinned =
      place === turn || role === 'system' || tasks.includes(id) || messageList.originOf(id) === 'context'
    for (const [index, parts] of stepsOf(message).entries()) units.push({ message, parts, index, isPinned })
  }
  const newest = units.findLastIndex(({ message }) => message.role === 'assistant')
  const task = units.findIndex(({ message }) => message === messages[turn])
  if (newest < task) return units
  return units.map((unit, index) => (index < newest ? unit : { ...unit, isPinned: true }))
}

/** How many units come before a place; `undefined` where the place is not there any more. */
export function unitsBefore(
  units: readonly Unit[],
  { messageId, units: count }: Position,
): number | undefined {
  const first = units.findIndex(({ message }) => message.id === messageId)
  if (first === -1) return undefined
  let place = first
  while (place < first + count && units[place]?.message.id === messageId) place++
  return place === first + count ? place : undefined
}

/** The place behind a unit. */
export function positionAfter({ message, index }: Unit): Position {
  return { messageId: message.id, units: index + 1 }
}

/** The messages of units, in order: those of which all units are there as they are, of others a copy with the rest. */
export function messagesOf(units: readonly Unit[]): Message[] {
  const messages: Message[] = []
  for (let start = 0; start < units.length; ) {
    const { message } = units[start] as Unit
    const parts: MessagePart[] = []
    let end = start
    for (; units[end]?.message === message; end++) parts.push(...(units[end] as Unit).parts)
    const isWhole = parts.length === message.content.parts.length
    messages.push(isWhole ? message : { ...message, content: { ...message.content, parts } })
    start = end
  }
  return messages
}

/** The parts of a message step by step. Only an assistant's message has several; each begins with its mark. */
function stepsOf({ role, content: { parts } }: Message): (readonly MessagePart[])[] {
  if (role !== 'assistant') return [parts]
  const steps: MessagePart[][] = []
  let hasContent = true
  for (const part of parts) {
    // Marks that follow each other begin one step.
    if (steps.length === 0 || (part.type === 'step-start' && hasContent)) {
      steps.push([])
      hasContent = false
    }
    steps.at(-1)?.push(part)
    hasContent ||= part.type !== 'step-start'
  }
  return steps.length === 0 ? [parts] : steps
}
