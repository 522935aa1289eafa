import type { Chunk, MessageList } from '@millrace/core'
import { ChunkQueue, type Delta, type Passed } from './chunk-queue.ts'
import { inspectContent } from './inspect-content.ts'
import type { PrecedingText } from './inspector.ts'
import { JoinedText } from './joined-text.ts'
import { type ContentItem, contentOfParts, partsWithContent, type TextKind } from './message-text.ts'
import { PartTruncator } from './part-truncator.ts'
import { type Prose, precedingTextOf } from './preceding-text.ts'
import type { SeenContent } from './seen-content.ts'
import type { StepStreamOptions, SurfaceRunSettings } from './surface-run-settings.ts'
import { isPromise, perform, type Task } from './task.ts'
import type { Control, HookContext, Place } from './treatment.ts'
import { isWhole } from './whole-chunk.ts'

/** The arguments of the stream hook that a step's inspection needs. */
export interface ChunkControl extends Control, HookContext {
  readonly messageList: MessageList
}

type Key = 'text' | 'reasoning' | `input ${string}`

/** The stream of one step, or of one attempt at it: inspects its texts and the chunks between them. */
export class StepStream {
  readonly #settings: SurfaceRunSettings
  readonly #seen: SeenContent
  readonly #structured: boolean | undefined
  readonly #queue = new ChunkQueue()
  readonly #texts = new Map<Key, { text: JoinedText; place: Place }>()
  /** The texts and reasoning of this step that have ended. */
  readonly ended: { kind: Prose; text: JoinedText }[] = []
  /** The text that most deltas belong to. */
  #answer: JoinedText | undefined
  /** Aborts the checks of a step that is over or discarded. */
  readonly #until = new AbortController()
  #found = false

  constructor({ settings, seen, structured }: StepStreamOptions) {
    this.#settings = settings
    this.#seen = seen
    this.#structured = structured
  }

  /** The step is over or discarded: aborts its checks. */
  abandon(): void {
    this.#until.abort(new DOMException('The step is over.', 'AbortError'))
  }

  chunk(part: Chunk, control: ChunkControl): Passed | null | Promise<Passed | null> {
    switch (part.type) {
      case 'text-delta':
      case 'reasoning-delta':
      case 'tool-input-delta':
        return part.providerMetadata === undefined ? this.#piece(part, control) : this.#slow(part, control)
      case 'text-end':
        if (part.providerMetadata === undefined && this.#answer?.endsAlone(part.id))
          return this.#queue.pass(part)
        return this.#slow(part, control)
      // Made of text that was inspected.
      case 'object-delta':
        return part
      default:
        return this.#slow(part, control)
    }
  }

  /** A delta without provider metadata. */
  #piece(part: Delta, control: ChunkControl): Passed | Promise<Passed> {
    switch (part.type) {
      case 'text-delta':
        return this.#delta(this.#answer ?? this.#textOf('text', part, control), part, part.id)
      case 'reasoning-delta':
        return this.#delta(this.#textOf('reasoning', part, control), part, part.id)
      case 'tool-input-delta':
        return this.#delta(this.#textOf(`input ${part.toolCallId}`, part, control), part, part.toolCallId)
    }
  }

  #delta(text: JoinedText | undefined, part: Delta, id: string): Passed | Promise<Passed> {
    return text ? text.delta(part, id) : this.#queue.pass(part)
  }

  #slow(part: Chunk, control: ChunkControl): Passed | null | Promise<Passed | null> {
    return perform(this.#take(part, control))
  }

  *#take(part: Chunk, control: ChunkControl): Task<Passed | null> {
    if (part.type === 'response-end') return yield* this.#finish(part)
    if (part.type === 'step-finish') return yield* this.#finishStep(part, control)
    if (part.type === 'tool-call') this.#seen.beginCall(part.toolCallId)
    const { treated, isRemoved } = isWhole(part)
      ? yield* this.#whole(part, control)
      : { treated: yield* this.#metadata(part, control), isRemoved: false }
    switch (treated.type) {
      case 'text-delta':
      case 'reasoning-delta':
      case 'tool-input-delta':
        return yield* settled(this.#piece(treated, control))
      case 'text-start':
      case 'reasoning-start':
        this.#textOf(proseOf(treated), treated, control)?.start(treated.id)
        return this.#queue.pass(treated)
      case 'text-end':
      case 'reasoning-end':
        yield* this.#texts.get(proseOf(treated))?.text.end(treated.id) ?? nothing()
        return this.#queue.pass(treated)
      case 'tool-input-end': {
        const key: Key = `input ${treated.toolCallId}`
        yield* this.#texts.get(key)?.text.finish() ?? nothing()
        this.#texts.delete(key)
        return this.#queue.pass(treated)
      }
      default:
        return isRemoved ? null : this.#queue.pass(treated)
    }
  }

  /** The response is complete: all of its texts are decided. */
  *#finish(part: Chunk): Task<Passed> {
    for (const [key, { text, place }] of this.#texts) {
      yield* text.finish()
      this.#found ||= place.found
      if (key !== 'text' && key !== 'reasoning') continue
      this.#seen.recordHash(text.key)
      this.ended.push({ kind: key, text })
    }
    this.#texts.clear()
    this.#answer = undefined
    return this.#queue.pass(part)
  }

  *#finishStep(part: Extract<Chunk, { type: 'step-finish' }>, control: ChunkControl): Task<Passed> {
    this.#settings.inspector.finishStep?.()
    // The metadata may contain the answer again, token by token.
    const { providerMetadata: _, ...rest } = part
    if (this.#found && this.#settings.treatment.changes) return this.#queue.pass(rest)
    return this.#queue.pass(yield* this.#metadata(part, control))
  }

  /** A chunk that is a whole part, or a whole tool result. */
  *#whole(part: Chunk, control: ChunkControl): Task<{ treated: Chunk; isRemoved: boolean }> {
    const { treated, isFound } = yield* this.#content(part, control)
    const isOfCall = 'toolCallId' in part
    this.#found ||= isFound && (!isOfCall || part.type === 'tool-call')
    return { treated, isRemoved: isFound && !isOfCall && this.#settings.treatment.filters }
  }

  /** Inspects the provider metadata of a chunk. */
  *#metadata<PART extends Chunk>(part: PART, control: ChunkControl): Task<PART> {
    if (!('providerMetadata' in part) || part.providerMetadata === undefined) return part
    const { type, providerMetadata } = part
    const { treated } = yield* this.#content({ type, providerMetadata }, control)
    return treated.providerMetadata === providerMetadata
      ? part
      : { ...part, providerMetadata: treated.providerMetadata }
  }

  *#content<PART extends { type: string }>(
    part: PART,
    control: ChunkControl,
  ): Task<{ treated: PART; isFound: boolean }> {
    const { inspector, treatment } = this.#settings
    const items = contentOfParts([part])
    const known = new Set<ContentItem>()
    for (const item of items) if (yield* this.#seen.hasCallValue(item.value, item)) known.add(item)
    const places = new Map<string, Place>()
    const placeOf = (item: ContentItem): Place | undefined => {
      if (known.has(item)) return undefined
      const surface = this.#settings.surfaces.outbound(item, this.#structured)
      if (surface === undefined) return undefined
      const place = places.get(surface) ?? this.#placeAt(surface, { control, toolCallId: item.toolCallId })
      places.set(surface, place)
      return place
    }
    const { treated, found } = yield* inspectContent(inspector, items, {
      treatment,
      placeOf,
      groupOf: ({ kind }) => kind,
      texts: () => ({ json: false, alone: false, before: undefined }),
    })
    for (const [index, item] of items.entries()) {
      if (this.#settings.surfaces.outbound(item, this.#structured) !== undefined) {
        yield* this.#seen.record(treated[index], item)
      }
    }
    return { treated: partsWithContent([part], treated)[0] as PART, isFound: found.size > 0 }
  }

  #textOf(key: Key, part: Chunk, control: ChunkControl): JoinedText | undefined {
    const known = this.#texts.get(key)
    if (known) return known.text
    const { treatment, inspector, surfaces } = this.#settings
    const isInput = key !== 'text' && key !== 'reasoning'
    const kind: TextKind = isInput ? 'tool-input' : key
    const surface = surfaces.outbound({ kind }, this.#structured)
    // The tool call repeats the whole input, so its deltas need no inspection if nothing is changed.
    if (surface === undefined || (isInput && !treatment.changes)) return undefined
    const toolCallId = 'toolCallId' in part ? part.toolCallId : undefined
    const place = this.#placeAt(surface, { control, toolCallId, silent: isInput && !treatment.endsRuns })
    const text = new JoinedText({
      queue: this.#queue,
      observes: !treatment.changes,
      filters: treatment.filters && !isInput,
      open: (edits) =>
        inspector.open(
          place,
          {
            json: key === 'text' ? this.#structured : isInput,
            before: isInput ? undefined : this.#before(key, control.messageList),
            until: this.#until.signal,
          },
          edits,
        ),
    })
    this.#texts.set(key, { text, place })
    if (key === 'text') this.#answer = text
    return text
  }

  /** The end of the assistant's text so far. */
  #before(kind: Prose, messageList: MessageList): PrecedingText | undefined {
    const { inspector, surfaces } = this.#settings
    const blocks = messageList
      .get()
      .filter(({ role }) => role === 'assistant')
      .map((message) => ({ message, parts: message.content.parts }))
    const { truncate } = new PartTruncator(messageList, {
      mayTruncate: ({ id }) => messageList.originOf(id) === 'response' || surfaces.watches('history'),
    })
    return precedingTextOf(blocks, { kind, open: inspector.reach, truncate })
  }

  #placeAt(
    surface: string,
    {
      control,
      toolCallId,
      silent = false,
    }: { control: ChunkControl; toolCallId?: string | undefined; silent?: boolean },
  ): Place {
    const { abort, halt, abortSignal, reportUsage, requestContext } = control
    return {
      surface,
      context: { abortSignal, reportUsage, requestContext },
      control: { abort, halt },
      found: false,
      ...(silent && { silent }),
      ...(toolCallId !== undefined && { toolCallId }),
    }
  }
}

function proseOf({ type }: Chunk): Prose {
  return type.startsWith('text') ? 'text' : 'reasoning'
}

function* settled(passed: Passed | Promise<Passed>): Task<Passed> {
  return isPromise(passed) ? ((yield passed) as Passed) : passed
}

function* nothing(): Task<void> {}
