import { isToolPart, type Message, type MessagePart } from '@millrace/core'
import { hasResult, type LegacyView } from './legacy-messages.ts'
import type { LegacyMessage } from './memory-processor.ts'

/** The parts of one message that are kept. */
interface KeptParts {
  message: Message
  parts: MessagePart[]
  results: Set<string>
}

/**
 * Converts legacy messages back to the messages they were made from, in their order. Legacy messages with the
 * same id become one message again. A tool call and its result are kept or removed together. A legacy message
 * with an unknown id becomes a new message.
 */
export function fromLegacy(
  lines: readonly LegacyMessage[],
  originals: readonly Message[],
  view: LegacyView,
): Message[] {
  const byId = new Map(originals.map((message) => [message.id, message]))
  const keptById = new Map<string, KeptParts>()
  for (const line of lines) {
    const rest = keptPartsOf(line)
    if (line.role === 'tool') for (const { toolCallId } of listOf(line.content)) rest.results.add(toolCallId)
    else rest.parts.push({ type: 'step-start' }, ...partsOf(line, view))
  }
  return [...keptById.values()].flatMap(({ message, parts, results }) => {
    const kept = parts.filter((part) => !isToolPart(part) || !hasResult(part) || results.has(part.toolCallId))
    const steps = message.role === 'assistant' ? kept : kept.filter(({ type }) => type !== 'step-start')
    if (kept.every(({ type }) => type === 'step-start')) return []
    return [isSame(steps, message) ? message : { ...message, content: { ...message.content, parts: steps } }]
  })

  function keptPartsOf({ id = crypto.randomUUID(), role }: LegacyMessage): KeptParts {
    const known = keptById.get(id)
    if (known) return known
    const message = byId.get(id) ?? {
      id,
      role: role === 'tool' ? 'assistant' : role,
      content: { parts: [] },
      createdAt: new Date(),
    }
    const rest: KeptParts = { message, parts: [], results: new Set() }
    keptById.set(id, rest)
    return rest
  }
}

function partsOf(line: LegacyMessage, view: LegacyView): MessagePart[] {
  const whole = view.partsOf.get(line)
  if (whole) return whole
  if (typeof line.content === 'string') return [{ type: 'text', text: line.content }]
  return listOf(line.content).flatMap((part): MessagePart[] => {
    const known = view.partOf.get(part)
    if (known) return [known]
    return part.type === 'text' && typeof part.text === 'string' ? [{ type: 'text', text: part.text }] : []
  })
}

// biome-ignore lint/suspicious/noExplicitAny: see `LegacyMessage`
function listOf(content: any): any[] {
  return Array.isArray(content) ? content : []
}

/** Whether the parts that a model sees are the same. */
function isSame(parts: readonly MessagePart[], { content }: Message): boolean {
  const shown = (list: readonly MessagePart[]): MessagePart[] =>
    list.filter((part) => isToolPart(part) || ['text', 'reasoning', 'file'].includes(part.type))
  const [left, right] = [shown(parts), shown(content.parts)]
  return left.length === right.length && left.every((part, index) => part === right[index])
}
