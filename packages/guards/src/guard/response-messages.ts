import {
  Halt,
  isToolPart,
  type Message,
  type MessagePart,
  type ProcessOutputResultArgs,
  TripWire,
} from '@millrace/core'
import { inspectContent } from './inspect-content.ts'
import type { PrecedingText } from './inspector.ts'
import type { JoinedText } from './joined-text.ts'
import { type ContentItem, contentOfMessage, messageWithContent } from './message-text.ts'
import { PartTruncator } from './part-truncator.ts'
import { isProse, type Prose, precedingTextOf, type TruncatePart } from './preceding-text.ts'
import type { SeenContent } from './seen-content.ts'
import type { StepStreamOptions, SurfaceRunSettings } from './surface-run-settings.ts'
import type { Task } from './task.ts'
import { hashOf } from './text-hash.ts'
import type { Place } from './treatment.ts'

/** The messages that a run has made. Each step is a text of its own. */
export class ResponseMessages {
  readonly #settings: SurfaceRunSettings
  readonly #seen: SeenContent
  readonly #structured: boolean | undefined

  constructor({ settings, seen, structured }: StepStreamOptions) {
    this.#settings = settings
    this.#seen = seen
    this.#structured = structured
  }

  /**
   * Inspects what was not inspected in the stream. If a finding ends the run, the remaining messages are redacted
   * first.
   */
  *inspect(args: ProcessOutputResultArgs): Task<void> {
    const { messages } = args
    for (const [index, message] of messages.entries()) {
      try {
        yield* this.#replaceTreated(message, { args, isPast: false })
      } catch (error) {
        if (!Halt.isInstance(error) && !TripWire.isInstance(error)) throw error
        for (const rest of messages.slice(index)) yield* this.#replaceTreated(rest, { args, isPast: true })
        throw error
      }
    }
  }

  *#replaceTreated(message: Message, review: Review): Task<void> {
    const treated = yield* this.#message(message, review)
    if (treated !== message) review.args.messageList.replace(treated)
  }

  *#message(message: Message, { args, isPast }: Review): Task<Message> {
    const steps = stepsOf(message.content.parts)
    const items = contentOfMessage(message).map((item) => {
      const { passage, position } = item
      return passage === undefined ? item : { ...item, passage: `${passage} ${steps[position]}` }
    })
    const known = yield* this.#known(items)
    const places = new Map<string, Place>()
    const placeOf = (item: ContentItem): Place | undefined => {
      const { passage, toolCallId, position } = item
      if (known.has(passage ?? item)) return undefined
      const surface = this.#settings.surfaces.outbound(item, this.#structured)
      if (surface === undefined) return undefined
      const key = `${surface} ${passage ?? position}`
      const place = places.get(key) ?? placeAt(args, { surface, message, toolCallId, isPast })
      places.set(key, place)
      return place
    }
    const truncations: Truncation[] = []
    const { treated, found } = yield* inspectContent(this.#settings.inspector, items, {
      treatment: this.#settings.treatment,
      placeOf,
      groupOf: ({ position, kind }) => `${position} ${kind}`,
      texts: (passage, { surface }) => ({
        json: surface === 'object',
        alone: true,
        before: this.#before(passage, { message, steps, args, truncations }),
      }),
    })
    for (const { part, keep } of truncations) {
      const position = message.content.parts.indexOf(part)
      const index = items.findIndex((item) => item.position === position && item.passage !== undefined)
      if (index !== -1) treated[index] = (treated[index] as string).slice(0, keep)
    }
    yield* this.#recordTexts(items, treated)
    return messageWithContent(message, treated, this.#removedParts(found, message))
  }

  /** What was inspected before and has not changed since: passages by name, all other values by themselves. */
  *#known(items: readonly ContentItem[]): Task<ReadonlySet<string | ContentItem>> {
    const known = new Set<string | ContentItem>()
    const texts = new Map<string, string>()
    for (const item of items) {
      const { passage, value } = item
      if (passage !== undefined) texts.set(passage, (texts.get(passage) ?? '') + (value as string))
      else if (yield* this.#seen.has(value, item)) known.add(item)
    }
    for (const [passage, text] of texts) if (yield* this.#seen.hasText(text)) known.add(passage)
    return known
  }

  *#recordTexts(items: readonly ContentItem[], treated: readonly unknown[]): Task<void> {
    const texts = new Map<string, string>()
    for (const [index, item] of items.entries()) {
      const { passage } = item
      if (passage === undefined) continue
      texts.set(passage, (texts.get(passage) ?? '') + (treated[index] as string))
    }
    for (const text of texts.values()) yield* this.#seen.recordText(text)
  }

  /** The end of the assistant's text before a step of a message. */
  #before(passage: string, { message, steps, args, truncations }: PassageOptions): PrecedingText | undefined {
    const [kind, step] = passage.split(' ')
    if ((kind !== 'text' && kind !== 'reasoning') || message.role !== 'assistant') return undefined
    const { messageList } = args
    const { surfaces, inspector } = this.#settings
    const all = messageList.get()
    const earlier = all.slice(0, Math.max(0, all.indexOf(message))).filter(({ role }) => role === 'assistant')
    const parts = message.content.parts.filter((_, position) => (steps[position] as number) < Number(step))
    const blocks = earlier.map((each) => ({
      message: each,
      parts: each.content.parts as readonly MessagePart[],
    }))
    blocks.push({ message, parts })
    const truncator = new PartTruncator(messageList, {
      mayTruncate: (owner) => messageList.originOf(owner.id) === 'response' || surfaces.watches('history'),
    })
    const truncate: TruncatePart = (owner, part, keep) => {
      // The current message is rewritten as a whole afterwards.
      if (owner === message) truncations.push({ part, keep })
      else truncator.truncate(owner, part, keep)
    }
    return precedingTextOf(blocks, { kind, open: inspector.reach, truncate })
  }

  /** The parts that are removed because of their findings. Tool calls are never removed. */
  #removedParts(found: ReadonlySet<number>, { content: { parts } }: Message): ReadonlySet<number> {
    if (!this.#settings.treatment.filters) return new Set()
    const isRemovable = (position: number): boolean => {
      const part = parts[position]
      return part !== undefined && !isToolPart(part)
    }
    return new Set([...found].filter(isRemovable))
  }
}

/** A truncation of a part where a match begins that a later text completed. */
interface Truncation {
  readonly part: MessagePart
  readonly keep: number
}

interface Review {
  readonly args: ProcessOutputResultArgs
  /** The run has already ended because of a finding. */
  readonly isPast: boolean
}

interface PassageOptions {
  readonly message: Message
  /** The step of each part, by position. */
  readonly steps: readonly number[]
  readonly args: ProcessOutputResultArgs
  readonly truncations: Truncation[]
}

/** The step of each part in the message, by position. */
function stepsOf(parts: readonly MessagePart[]): number[] {
  let step = 0
  return parts.map(({ type }) => (type === 'step-start' ? ++step : step))
}

function placeAt(
  { abort, halt, abortSignal, reportUsage, requestContext }: ProcessOutputResultArgs,
  {
    surface,
    message,
    toolCallId,
    isPast,
  }: { surface: string; message: Message; toolCallId: string | undefined; isPast: boolean },
): Place {
  return {
    surface,
    context: { abortSignal, reportUsage, requestContext },
    ...(isPast ? { isPast, silent: true } : { control: { abort, halt } }),
    messageId: message.id,
    found: false,
    ...(toolCallId !== undefined && { toolCallId }),
  }
}

/** Removes the parts of the last step that have findings. */
export function removeParts(
  parts: MessagePart[],
  texts: readonly { readonly kind: Prose; readonly text: JoinedText }[],
): void {
  const start = parts.findLastIndex(({ type }) => type === 'step-start') + 1
  for (const { kind, text } of texts) {
    let next = 0
    for (const part of parts.slice(start)) {
      if (!isProse(part, kind)) continue
      const hash = hashOf(part.text)
      // Parts that became empty are not in the message.
      const index = text.parts.findIndex((each, at) => at >= next && each.hash.key === hash)
      if (index === -1) continue
      next = index + 1
      if (text.parts[index]?.isRemoved) parts.splice(parts.indexOf(part), 1)
    }
  }
}
