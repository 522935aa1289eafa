import { type Message, type MessageList, type MessagePart, newestTurn } from '@millrace/core'

/**
 * The smallest part of a prompt that can be hidden: a message, or one step of an assistant message. A tool
 * call and its result belong to the same step, so they are never separated.
 */
export interface Unit {
  readonly message: Message
  readonly parts: readonly MessagePart[]
  /** The index of the unit in its message. */
  readonly index: number
  /** Always shown: the user message of this turn, its context, and the newest step. */
  readonly isPinned: boolean
}

/** A position between two units, as JSON: before unit `units` of the message. */
export interface Position {
  readonly messageId: string
  readonly units: number
}

/**
 * The units of a prompt, in order.
 *
 * @param tasks Ids of further user messages that are pinned, besides this turn's
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

/** The number of units before a position. `undefined` if the position no longer exists. */
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

/** The position after a unit. */
export function positionAfter({ message, index }: Unit): Position {
  return { messageId: message.id, units: index + 1 }
}

/**
 * The messages of these units, in order. A message is returned unchanged if all its units are included,
 * otherwise as a copy with the included ones.
 */
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

/**
 * Splits the parts of a message into steps. Only an assistant message has several; each begins with a
 * `step-start` part.
 */
function stepsOf({ role, content: { parts } }: Message): (readonly MessagePart[])[] {
  if (role !== 'assistant') return [parts]
  const steps: MessagePart[][] = []
  let hasContent = true
  for (const part of parts) {
    // Consecutive `step-start` parts begin only one step.
    if (steps.length === 0 || (part.type === 'step-start' && hasContent)) {
      steps.push([])
      hasContent = false
    }
    steps.at(-1)?.push(part)
    hasContent ||= part.type !== 'step-start'
  }
  return steps.length === 0 ? [parts] : steps
}
