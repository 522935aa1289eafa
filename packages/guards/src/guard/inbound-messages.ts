import {
  Halt,
  type Message,
  type MessageList,
  type ProcessInputArgs,
  type ProcessInputStepArgs,
} from '@millrace/core'
import { PartCutter } from './cut-parts.ts'
import { inspectSaid } from './inspect-said.ts'
import type { Before, InspectedTexts, Inspector } from './inspector.ts'
import { type Saying, saidInMessage, withSaidInMessage } from './message-text.ts'
import { RequestCollector } from './request-collector.ts'
import type { SurfaceRunSettings } from './surface-run-settings.ts'
import { type Block, endOf, isProse, PROSE, type Prose } from './tail.ts'
import type { Task } from './task.ts'
import type { Asking, Control, Place } from './treatment.ts'

/** A message after inspection. */
interface Inspected {
  readonly left: Message
  readonly leftOut: boolean
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
  readonly asking: Asking
  readonly control: Control
  /** Whether only this turn's messages are inspected. */
  readonly inputOnly: boolean
  readonly cutter: PartCutter
  /** The messages before this one, after inspection. `undefined`: removed. */
  readonly view: (Message | undefined)[]
  /** The last message so far, by role. */
  readonly previous: Map<string, Message>
  readonly changed: Set<string>
}

type At = Pick<Place, 'asking' | 'control' | 'isPast' | 'silent'> & { readonly origin: 'input' | 'history' }
type Befores = Partial<Record<Prose, Before | undefined>>

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
      if (this.#known.get(message.id)?.leftOut) messageList.remove(message.id)
    }
  }

  *inputStep(args: ProcessInputStepArgs): Task<Message[] | undefined> {
    return yield* this.#walk(args, false)
  }

  /** Redacts the messages of this turn that the input hooks did not show to the guard. */
  *redactUnseen(messageList: MessageList, asking: Asking): Task<void> {
    const { treatment, surfaces, redactsUnseen } = this.#settings
    if (!redactsUnseen || !treatment.changes || !surfaces.watches('input')) return
    for (const message of messageList.get('input')) {
      if (this.#known.has(message.id)) continue
      const { left } = yield* this.#inspect(message, {}, { asking, isPast: true, origin: 'input' })
      if (left !== message) messageList.replace(left)
    }
  }

  /** Inspects all messages in order. Returns them after treatment; `undefined` if nothing changed. */
  *#walk(
    { messages, messageList, abort, halt, ...rest }: ProcessInputArgs | ProcessInputStepArgs,
    inputOnly: boolean,
  ): Task<Message[] | undefined> {
    const { abortSignal, reportUsage, requestContext } = rest
    const view: (Message | undefined)[] = []
    const cutter = this.#cutter(messageList, view)
    const walk: Walk = {
      messageList,
      asking: { abortSignal, reportUsage, requestContext },
      control: { abort, halt },
      inputOnly,
      cutter,
      view,
      previous: new Map(),
      changed: new Set(),
    }
    yield* this.#ahead(messages, walk)
    for (const message of messages) {
      const left = yield* this.#next(message, walk)
      view.push(left)
      if (left) walk.previous.set(left.role, left)
    }
    if (view.every((left, index) => left === messages[index])) return undefined
    return view.filter((left) => left !== undefined)
  }

  /** Passes all new messages to the inspector at once, so that it can check them in parallel. */
  *#ahead(messages: readonly Message[], walk: Walk): Task<void> {
    const { inspector } = this.#settings
    if (!inspector.ahead) return
    const collector = new RequestCollector()
    for (const [index, message] of messages.entries()) {
      const at = this.#at(message, walk)
      if (!at || this.#knownAs(message)) continue
      const befores = this.#befores(message, messages.slice(0, index), walk.cutter)
      yield* this.#through(collector, message, { befores, at })
    }
    if (collector.requests.length > 0) yield* inspector.ahead(collector.requests)
  }

  #cutter(messageList: MessageList, view: (Message | undefined)[]): PartCutter {
    const { surfaces } = this.#settings
    const originOf = ({ id }: Message): 'input' | 'history' | 'response' => {
      const origin = messageList.originOf(id)
      return origin === 'input' || origin === 'response' ? origin : 'history'
    }
    return new PartCutter(messageList, {
      mayCut(message) {
        const origin = originOf(message)
        return origin === 'response'
          ? surfaces.outbound({ kind: 'text' }, undefined) !== undefined
          : surfaces.watches(origin)
      },
      onCut: (id, left) => {
        const index = view.findIndex((message) => message?.id === id)
        if (index !== -1) view[index] = left
        const known = this.#known.get(id)
        if (known) this.#known.set(id, { ...known, left: left ?? known.left, leftOut: left === undefined })
      },
    })
  }

  *#next(message: Message, walk: Walk): Task<Message | undefined> {
    const { messageList, cutter, view, previous, changed } = walk
    const { id, role } = message
    if (messageList.originOf(id) === 'response') changed.add(role)
    const at = this.#at(message, walk)
    if (!at) return message
    const known = this.#knownAs(message)
    const isSame = known !== undefined && !changed.has(role) && known.previous === previous.get(role)
    if (isSame) return known.leftOut ? undefined : known.left
    changed.add(role)
    const befores = this.#befores(message, view, cutter)
    const inspected = yield* this.#orHalt(known, { message, befores, at, messageList })
    const { left, leftOut } = inspected
    this.#known.set(id, { ...inspected, previous: previous.get(role) })
    if (left !== message && messageList.find(id) === message) messageList.replace(left)
    return leftOut ? undefined : left
  }

  /**
   * Inspects a message. If that halts the run, the message is redacted first: a halted run is stored with its answer,
   * unlike a blocked one.
   */
  *#orHalt(
    known: Inspected | undefined,
    {
      message,
      befores,
      at,
      messageList,
    }: { message: Message; befores: Befores; at: At; messageList: MessageList },
  ): Task<Inspected> {
    const inspect = (how: At): Task<Inspected> =>
      known ? this.#again(known, befores, how) : this.#inspect(message, befores, how)
    try {
      return yield* inspect(at)
    } catch (error) {
      if (!Halt.isInstance(error)) throw error
      const { control: _, ...past } = at
      const { left } = yield* inspect({ ...past, isPast: true, silent: true })
      messageList.replace(left)
      throw error
    }
  }

  /** Where a message is in the run; `undefined` if it is not inspected. */
  #at({ id }: Message, { messageList, inputOnly, asking, control }: Walk): At | undefined {
    const listed = messageList.originOf(id)
    const origin = listed === 'input' ? 'input' : 'history'
    if (listed === 'response' || (inputOnly && origin !== 'input') || this.#passed.has(id)) return undefined
    if (!this.#settings.surfaces.watches(origin)) return undefined
    return { asking, origin, ...(origin === 'input' && { control }) }
  }

  #knownAs(message: Message): Inspected | undefined {
    const known = this.#known.get(message.id)
    return known && (known.left === message || known.leftOut) ? known : undefined
  }

  /** The end of what the role of a message said before, by kind of prose, where it may continue in this message. */
  #befores(message: Message, view: readonly (Message | undefined)[], cutter: PartCutter): Befores {
    const befores: Befores = {}
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
      if (open) befores[kind] = endOf(blocks, { kind, open, cut: cutter.cut })
    }
    return befores
  }

  #openIn(message: Message, kind: Prose): number {
    const known = this.#known.get(message.id)
    return known?.left === message ? known.open[kind] : this.#settings.inspector.reach
  }

  *#inspect(message: Message, befores: Befores, at: At): Task<Inspected> {
    const inspected = yield* this.#through(this.#settings.inspector, message, { befores, at })
    this.#known.set(message.id, inspected)
    return inspected
  }

  *#through(
    inspector: Inspector,
    message: Message,
    { befores, at }: { befores: Befores; at: At },
  ): Task<Inspected> {
    const { treatment, surfaces } = this.#settings
    const open = { text: 0, reasoning: 0 }
    const places = new Map<string, Place>()
    const placeOf = (saying: Saying): Place | undefined => {
      const surface = surfaces.inbound(at.origin, saying)
      if (surface === undefined) return undefined
      const key = `${surface} ${saying.passage ?? `${saying.position} ${saying.toolCallId}`}`
      const place = places.get(key) ?? placeAt(at, { surface, message, saying })
      places.set(key, place)
      return place
    }
    const sayings = saidInMessage(message)
    const { left } = yield* inspectSaid(inspector, sayings, {
      placeOf,
      groupOf: ({ position }) => String(position),
      texts: (passage) => ({ json: false, alone: true, before: befores[passage as Prose] }),
      onTexts(passage, inspected) {
        if (passage === 'text' || passage === 'reasoning') open[passage] = inspected.open
      },
    })
    return {
      left: withSaidInMessage(message, left),
      leftOut: [...places.values()].some((place) => treatment.removes(place)),
      open,
      before: textsOf(befores),
      previous: undefined,
    }
  }

  /**
   * A message that was inspected before. The text before it may have changed since: then only the boundary is scanned
   * again.
   */
  *#again(known: Inspected, befores: Befores, at: At): Task<Inspected> {
    const before = textsOf(befores)
    if (known.leftOut || PROSE.every((kind) => before[kind] === known.before[kind])) return known
    let inspected: Inspected = { ...known, before }
    for (const kind of PROSE) {
      const own = befores[kind]
      if (own && before[kind] !== known.before[kind])
        inspected = yield* this.#seam(inspected, { kind, own, at })
    }
    this.#known.set(known.left.id, inspected)
    return inspected
  }

  *#seam(known: Inspected, { kind, own, at }: { kind: Prose; own: Before; at: At }): Task<Inspected> {
    const { inspector, treatment, surfaces } = this.#settings
    const { left: message } = known
    const sayings = saidInMessage(message)
    const indexes = [...sayings.keys()].filter((index) => sayings[index]?.passage === kind)
    const first = sayings[indexes[0] ?? -1]
    const surface = first && surfaces.inbound(at.origin, first)
    if (!first || surface === undefined) return known
    const place = placeAt(at, { surface, message, saying: first })
    const texts = indexes.map((index) => sayings[index]?.value as string)
    const inspected: InspectedTexts = yield* inspector.seam(own, texts, place)
    const left = sayings.map(({ value }) => value)
    for (const [position, index] of indexes.entries()) left[index] = inspected.left[position]
    return {
      ...known,
      left: withSaidInMessage(message, left),
      leftOut: treatment.removes(place),
      open: { ...known.open, [kind]: Math.max(known.open[kind], inspected.open) },
    }
  }
}

/** More than the context that is kept before a possible match, in UTF-16 units. */
const MOST_CONTEXT = 128

function placeAt(
  { asking, control, isPast, silent }: At,
  { surface, message, saying }: { surface: string; message: Message; saying: Saying },
): Place {
  const { toolCallId } = saying
  return {
    surface,
    asking,
    messageId: message.id,
    found: false,
    ...(control && { control }),
    ...(isPast && { isPast }),
    ...(silent && { silent }),
    ...(toolCallId !== undefined && { toolCallId }),
  }
}

function textsOf(befores: Befores): Record<Prose, string> {
  return { text: befores.text?.text ?? '', reasoning: befores.reasoning?.text ?? '' }
}
