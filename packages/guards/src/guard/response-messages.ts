import {
  Halt,
  isToolPart,
  type Message,
  type MessagePart,
  type ProcessOutputResultArgs,
  TripWire,
} from '@millrace/core'
import { PartCutter } from './cut-parts.ts'
import { inspectSaid } from './inspect-said.ts'
import type { Before } from './inspector.ts'
import type { JoinedText } from './joined-text.ts'
import { type Saying, saidInMessage, withSaidInMessage } from './message-text.ts'
import type { Seen } from './seen.ts'
import type { StepStreamOptions, SurfaceRunSettings } from './surface-run-settings.ts'
import { type CutPart, endOf, isProse, type Prose } from './tail.ts'
import type { Task } from './task.ts'
import { hashOf } from './text-hash.ts'
import type { Place } from './treatment.ts'
import { textKey } from './value-hash.ts'

/** The messages that a run has made. Each step is a text of its own. */
export class ResponseMessages {
  readonly #settings: SurfaceRunSettings
  readonly #seen: Seen
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
        yield* this.#leave(message, { args, isPast: false })
      } catch (error) {
        if (!Halt.isInstance(error) && !TripWire.isInstance(error)) throw error
        for (const rest of messages.slice(index)) yield* this.#leave(rest, { args, isPast: true })
        throw error
      }
    }
  }

  *#leave(message: Message, review: Review): Task<void> {
    const left = yield* this.#message(message, review)
    if (left !== message) review.args.messageList.replace(left)
  }

  *#message(message: Message, { args, isPast }: Review): Task<Message> {
    const steps = stepsOf(message.content.parts)
    const sayings = saidInMessage(message).map((saying) => {
      const { passage, position } = saying
      return passage === undefined ? saying : { ...saying, passage: `${passage} ${steps[position]}` }
    })
    const known = yield* this.#known(sayings)
    const places = new Map<string, Place>()
    const placeOf = (saying: Saying): Place | undefined => {
      const { passage, toolCallId, position } = saying
      if (known.has(passage ?? saying)) return undefined
      const surface = this.#settings.surfaces.outbound(saying, this.#structured)
      if (surface === undefined) return undefined
      const key = `${surface} ${passage ?? position}`
      const place = places.get(key) ?? placeAt(args, { surface, message, toolCallId, isPast })
      places.set(key, place)
      return place
    }
    const cuts: Cut[] = []
    const { left, found } = yield* inspectSaid(this.#settings.inspector, sayings, {
      placeOf,
      groupOf: ({ position, kind }) => `${position} ${kind}`,
      texts: (passage, { surface }) => ({
        json: surface === 'object',
        alone: true,
        before: this.#before(passage, { message, steps, args, cuts }),
      }),
    })
    for (const { part, keep } of cuts) {
      const position = message.content.parts.indexOf(part)
      const index = sayings.findIndex(
        (saying) => saying.position === position && saying.passage !== undefined,
      )
      if (index !== -1) left[index] = (left[index] as string).slice(0, keep)
    }
    yield* this.#note(sayings, left)
    return withSaidInMessage(message, left, this.#leftOut(found, message))
  }

  /** What was inspected before and has not changed since: passages by name, all other values by themselves. */
  *#known(sayings: readonly Saying[]): Task<ReadonlySet<string | Saying>> {
    const known = new Set<string | Saying>()
    const texts = new Map<string, string>()
    for (const saying of sayings) {
      const { passage, value } = saying
      if (passage !== undefined) texts.set(passage, (texts.get(passage) ?? '') + (value as string))
      else if (yield* this.#seen.has(value, saying)) known.add(saying)
    }
    for (const [passage, text] of texts) if (this.#seen.hasText(yield* textKey(text))) known.add(passage)
    return known
  }

  *#note(sayings: readonly Saying[], left: readonly unknown[]): Task<void> {
    const texts = new Map<string, string>()
    for (const [index, saying] of sayings.entries()) {
      const { passage } = saying
      if (passage === undefined) continue
      texts.set(passage, (texts.get(passage) ?? '') + (left[index] as string))
    }
    for (const text of texts.values()) this.#seen.noteText(yield* textKey(text))
  }

  /** The end of what the assistant said before a step of a message. */
  #before(passage: string, { message, steps, args, cuts }: PassageOptions): Before | undefined {
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
    const cutter = new PartCutter(messageList, {
      mayCut: (owner) => messageList.originOf(owner.id) === 'response' || surfaces.watches('history'),
    })
    const cut: CutPart = (owner, part, keep) => {
      // The current message is rewritten as a whole afterwards.
      if (owner === message) cuts.push({ part, keep })
      else cutter.cut(owner, part, keep)
    }
    return endOf(blocks, { kind, open: inspector.reach, cut })
  }

  /** The parts that are removed because of their findings. Tool calls are never removed. */
  #leftOut(found: ReadonlySet<number>, { content: { parts } }: Message): ReadonlySet<number> {
    if (!this.#settings.treatment.filters) return new Set()
    const isLeftOut = (position: number): boolean => {
      const part = parts[position]
      return part !== undefined && !isToolPart(part)
    }
    return new Set([...found].filter(isLeftOut))
  }
}

/** A cut of a part where a match begins that a later text completed. */
interface Cut {
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
  readonly cuts: Cut[]
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
    asking: { abortSignal, reportUsage, requestContext },
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
