import {
  Halt,
  type Message,
  type MessageList,
  type ProcessInputArgs,
  type ProcessInputStepArgs,
} from '@millrace/core'
import { inspectContent } from './inspect-content.ts'
import type { InspectedTexts, Inspector, PrecedingText } from './inspector.ts'
import { type ContentItem, contentOfMessage, messageWithContent } from './message-text.ts'
import { PartTruncator } from './part-truncator.ts'
import { type Block, isProse, PROSE, type Prose, precedingTextOf } from './preceding-text.ts'
import { RequestCollector } from './request-collector.ts'
import type { SurfaceRunSettings } from './surface-run-settings.ts'
import type { Task } from './task.ts'
import type { Control, HookContext, Place } from './treatment.ts'

/** A message after inspection. */
interface Inspected {
  readonly treated: Message
  readonly isRemoved: boolean
  /**
   * How many units at the end of its prose may be the beginning of a match that continues in the next message, by kind.
   */
  readonly open: Readonly<Record<Prose, number>>
  /** The end of the earlier text of the same role, by kind, and the last message of that role before this one. */
  readonly before: Readonly<Record<Prose, string>>
  readonly previous: Message | undefined
}

interface Walk {
  readonly messageList: MessageList
  readonly context: HookContext
  readonly control: Control
  /** Whether only this turn's messages are inspected. */
  readonly inputOnly: boolean
  readonly truncator: PartTruncator
  /** The messages before this one, after inspection. `undefined`: removed. */
  readonly view: (Message | undefined)[]
  /** The last message so far, by role. */
  readonly previous: Map<string, Message>
  readonly changed: Set<string>
}

type At = Pick<Place, 'context' | 'control' | 'isPast' | 'silent'> & { readonly origin: 'input' | 'history' }
type PrecedingTexts = Partial<Record<Prose, PrecedingText | undefined>>

/** The messages of a run that go to the model: those of this turn, remembered ones, and those of the context. */
export class InboundMessages {
  readonly #settings: SurfaceRunSettings
  readonly #known = new Map<string, Inspected>()
  /** Ids of this turn's messages that are not inspected. */
  readonly #passed = new Set<string>()

  constructor(settings: SurfaceRunSettings) {
    this.#settings = settings
  }

  *input(args: ProcessInputArgs): Task<void> {
    const { messages, messageList } = args
    if (this.#settings.inputScope === 'last') {
      const own = messages.filter(({ id, role }) => role === 'user' && messageList.originOf(id) === 'input')
      for (const message of messages) {
        if (messageList.originOf(message.id) !== 'input' || message === own.at(-1)) continue
        this.#passed.add(message.id)
      }
    }
    yield* this.#walk(args, true)
    for (const message of messages) {
      if (this.#known.get(message.id)?.isRemoved) messageList.remove(message.id)
    }
  }

  *inputStep(args: ProcessInputStepArgs): Task<Message[] | undefined> {
    return yield* this.#walk(args, false)
  }

  /** Redacts the messages of this turn that the input hooks did not show to the guard. */
  *redactUnseen(messageList: MessageList, context: HookContext): Task<void> {
    const { treatment, surfaces, redactsUnseen } = this.#settings
    if (!redactsUnseen || !treatment.changes || !surfaces.watches('input')) return
    for (const message of messageList.get('input')) {
      if (this.#known.has(message.id)) continue
      const { treated } = yield* this.#inspect(message, {}, { context, isPast: true, origin: 'input' })
      if (treated !== message) messageList.replace(treated)
    }
  }

  /** Inspects all messages in order. Returns them after treatment; `undefined` if nothing changed. */
  *#walk(
    { messages, messageList, abort, halt, ...rest }: ProcessInputArgs | ProcessInputStepArgs,
    inputOnly: boolean,
  ): Task<Message[] | undefined> {
    const { abortSignal, reportUsage, requestContext } = rest
    const view: (Message | undefined)[] = []
    const truncator = this.#truncator(messageList, view)
    const walk: Walk = {
      messageList,
      context: { abortSignal, reportUsage, requestContext },
      control: { abort, halt },
      inputOnly,
      truncator,
      view,
      previous: new Map(),
      changed: new Set(),
    }
    yield* this.#ahead(messages, walk)
    for (const message of messages) {
      const treated = yield* this.#inspectNext(message, walk)
      view.push(treated)
      if (treated) walk.previous.set(treated.role, treated)
    }
    if (view.every((treated, index) => treated === messages[index])) return undefined
    return view.filter((treated) => treated !== undefined)
  }

  /** Passes all new messages to the inspector at once, so that it can check them in parallel. */
  *#ahead(messages: readonly Message[], walk: Walk): Task<void> {
    const { inspector } = this.#settings
    if (!inspector.ahead) return
    const collector = new RequestCollector()
    for (const [index, message] of messages.entries()) {
      const at = this.#at(message, walk)
      if (!at || this.#knownAs(message)) continue
      const preceding = this.#precedingTexts(message, messages.slice(0, index), walk.truncator)
      yield* this.#inspectWith(collector, message, { preceding, at })
    }
    if (collector.requests.length > 0) yield* inspector.ahead(collector.requests)
  }

  #truncator(messageList: MessageList, view: (Message | undefined)[]): PartTruncator {
    const { surfaces } = this.#settings
    const originOf = ({ id }: Message): 'input' | 'history' | 'response' => {
      const origin = messageList.originOf(id)
      return origin === 'input' || origin === 'response' ? origin : 'history'
    }
    return new PartTruncator(messageList, {
      mayTruncate(message) {
        const origin = originOf(message)
        return origin === 'response'
          ? surfaces.outbound({ kind: 'text' }, undefined) !== undefined
          : surfaces.watches(origin)
      },
      onTruncate: (id, treated) => {
        const index = view.findIndex((message) => message?.id === id)
        if (index !== -1) view[index] = treated
        const known = this.#known.get(id)
        if (known)
          this.#known.set(id, {
            ...known,
            treated: treated ?? known.treated,
            isRemoved: treated === undefined,
          })
      },
    })
  }

  *#inspectNext(message: Message, walk: Walk): Task<Message | undefined> {
    const { messageList, truncator, view, previous, changed } = walk
    const { id, role } = message
    if (messageList.originOf(id) === 'response') changed.add(role)
    const at = this.#at(message, walk)
    if (!at) return message
    const known = this.#knownAs(message)
    const isSame = known !== undefined && !changed.has(role) && known.previous === previous.get(role)
    if (isSame) return known.isRemoved ? undefined : known.treated
    changed.add(role)
    const preceding = this.#precedingTexts(message, view, truncator)
    const inspected = yield* this.#redactOnHalt(known, { message, preceding, at, messageList })
    const { treated, isRemoved } = inspected
    this.#known.set(id, { ...inspected, previous: previous.get(role) })
    if (treated !== message && messageList.find(id) === message) messageList.replace(treated)
    return isRemoved ? undefined : treated
  }

  /**
   * Inspects a message. If that halts the run, the message is redacted first: a halted run is stored with its answer,
   * unlike a blocked one.
   */
  *#redactOnHalt(
    known: Inspected | undefined,
    {
      message,
      preceding,
      at,
      messageList,
    }: { message: Message; preceding: PrecedingTexts; at: At; messageList: MessageList },
  ): Task<Inspected> {
    const inspect = (how: At): Task<Inspected> =>
      known ? this.#inspectAgain(known, preceding, how) : this.#inspect(message, preceding, how)
    try {
      return yield* inspect(at)
    } catch (error) {
      if (!Halt.isInstance(error)) throw error
      const { control: _, ...past } = at
      const { treated } = yield* inspect({ ...past, isPast: true, silent: true })
      messageList.replace(treated)
      throw error
    }
  }

  /** Where a message is in the run; `undefined` if it is not inspected. */
  #at({ id }: Message, { messageList, inputOnly, context, control }: Walk): At | undefined {
    const listed = messageList.originOf(id)
    const origin = listed === 'input' ? 'input' : 'history'
    if (listed === 'response' || (inputOnly && origin !== 'input') || this.#passed.has(id)) return undefined
    if (!this.#settings.surfaces.watches(origin)) return undefined
    return { context, origin, ...(origin === 'input' && { control }) }
  }

  #knownAs(message: Message): Inspected | undefined {
    const known = this.#known.get(message.id)
    return known && (known.treated === message || known.isRemoved) ? known : undefined
  }

  /** The end of the preceding text of the same role, by kind of prose, where a match may continue in this message. */
  #precedingTexts(
    message: Message,
    view: readonly (Message | undefined)[],
    truncator: PartTruncator,
  ): PrecedingTexts {
    const preceding: PrecedingTexts = {}
    for (const kind of PROSE) {
      if (!message.content.parts.some((part) => isProse(part, kind))) continue
      const blocks: Block[] = []
      let open: number | undefined
      let length = 0
      for (let index = view.length - 1; index >= 0; index--) {
        const earlier = view[index]
        if (earlier?.role !== message.role) continue
        const { parts } = earlier.content
        const size = parts.reduce((sum, part) => sum + (isProse(part, kind) ? part.text.length : 0), 0)
        if (size === 0) continue
        open ??= this.#openIn(earlier, kind)
        blocks.unshift({ message: earlier, parts })
        length += size
        if (length > open + MOST_CONTEXT) break
      }
      if (open) preceding[kind] = precedingTextOf(blocks, { kind, open, truncate: truncator.truncate })
    }
    return preceding
  }

  #openIn(message: Message, kind: Prose): number {
    const known = this.#known.get(message.id)
    return known?.treated === message ? known.open[kind] : this.#settings.inspector.reach
  }

  *#inspect(message: Message, preceding: PrecedingTexts, at: At): Task<Inspected> {
    const inspected = yield* this.#inspectWith(this.#settings.inspector, message, { preceding, at })
    this.#known.set(message.id, inspected)
    return inspected
  }

  *#inspectWith(
    inspector: Inspector,
    message: Message,
    { preceding, at }: { preceding: PrecedingTexts; at: At },
  ): Task<Inspected> {
    const { treatment, surfaces } = this.#settings
    const open = { text: 0, reasoning: 0 }
    const places = new Map<string, Place>()
    const placeOf = (item: ContentItem): Place | undefined => {
      const surface = surfaces.inbound(at.origin, item)
      if (surface === undefined) return undefined
      const key = `${surface} ${item.passage ?? `${item.position} ${item.toolCallId}`}`
      const place = places.get(key) ?? placeAt(at, { surface, message, item })
      places.set(key, place)
      return place
    }
    const items = contentOfMessage(message)
    const { treated } = yield* inspectContent(inspector, items, {
      treatment: inspector === this.#settings.inspector ? treatment : undefined,
      placeOf,
      groupOf: ({ position }) => String(position),
      texts: (passage) => ({ json: false, alone: true, before: preceding[passage as Prose] }),
      onTexts(passage, inspected) {
        if (passage === 'text' || passage === 'reasoning') open[passage] = inspected.open
      },
    })
    return {
      treated: messageWithContent(message, treated),
      isRemoved: [...places.values()].some((place) => treatment.removes(place)),
      open,
      before: textsOf(preceding),
      previous: undefined,
    }
  }

  /**
   * A message that was inspected before. The text before it may have changed since: then only the boundary is scanned
   * again.
   */
  *#inspectAgain(known: Inspected, preceding: PrecedingTexts, at: At): Task<Inspected> {
    const before = textsOf(preceding)
    if (known.isRemoved || PROSE.every((kind) => before[kind] === known.before[kind])) return known
    let inspected: Inspected = { ...known, before }
    for (const kind of PROSE) {
      const own = preceding[kind]
      if (own && before[kind] !== known.before[kind])
        inspected = yield* this.#seam(inspected, { kind, own, at })
    }
    this.#known.set(known.treated.id, inspected)
    return inspected
  }

  *#seam(known: Inspected, { kind, own, at }: { kind: Prose; own: PrecedingText; at: At }): Task<Inspected> {
    const { inspector, treatment, surfaces } = this.#settings
    const { treated: message } = known
    const items = contentOfMessage(message)
    const indexes = [...items.keys()].filter((index) => items[index]?.passage === kind)
    const first = items[indexes[0] ?? -1]
    const surface = first && surfaces.inbound(at.origin, first)
    if (!first || surface === undefined) return known
    const place = placeAt(at, { surface, message, item: first })
    const texts = indexes.map((index) => items[index]?.value as string)
    const inspected: InspectedTexts = yield* inspector.seam(own, texts, place)
    const treated = items.map(({ value }) => value)
    for (const [position, index] of indexes.entries()) treated[index] = inspected.treated[position]
    return {
      ...known,
      treated: messageWithContent(message, treated),
      isRemoved: treatment.removes(place),
      open: { ...known.open, [kind]: Math.max(known.open[kind], inspected.open) },
    }
  }
}

/** More than the context that is kept before a possible match, in UTF-16 units. */
const MOST_CONTEXT = 128

function placeAt(
  { context, control, isPast, silent }: At,
  { surface, message, item }: { surface: string; message: Message; item: ContentItem },
): Place {
  const { toolCallId } = item
  return {
    surface,
    context,
    messageId: message.id,
    found: false,
    ...(control && { control }),
    ...(isPast && { isPast }),
    ...(silent && { silent }),
    ...(toolCallId !== undefined && { toolCallId }),
  }
}

function textsOf(preceding: PrecedingTexts): Record<Prose, string> {
  return { text: preceding.text?.text ?? '', reasoning: preceding.reasoning?.text ?? '' }
}
