import {
  type AbortOrRetry,
  type ChunkType,
  isToolPart,
  type Message,
  type MessageList,
  type MessagePart,
  type ProcessExecutionArgs,
  type ProcessExecutionResult,
  type ProcessInputArgs,
  type ProcessInputStepArgs,
  type ProcessInputStepReturn,
  type ProcessOutputResultArgs,
  type ProcessToolCallArgs,
  type ProcessToolCallResult,
  type ProcessToolResultArgs,
  type ProcessToolResultResult,
} from '@millrace/core'
import type { Surface } from '../guard/options.ts'
import type { Place } from '../guard/treatment.ts'
import { JudgedText } from './judged-text.ts'
import type { WindowSettings } from './treatment.ts'
import { textOf, type Unit, unitsOf, withUnits } from './units.ts'
import type { Judgement } from './verdict.ts'
import { type Asking, WindowJudge } from './window-judge.ts'
import type { Window } from './windows.ts'

interface StreamControl extends Asking {
  readonly abort: AbortOrRetry
}

type TextDelta = Extract<ChunkType, { type: 'text-delta' | 'reasoning-delta' }>
type TextEnd = Extract<ChunkType, { type: 'text-end' | 'reasoning-end' }>
type ToolChunk = Extract<ChunkType, { type: 'tool-call' | 'tool-result' | 'tool-error' }>
type WholePart = Extract<ChunkType, { type: 'source' | 'custom' | 'file' | 'reasoning-file' }>
type Passed = ChunkType | readonly ChunkType[] | null

/** A guard by windows in one run. */
export class WindowRun {
  readonly #settings: WindowSettings
  readonly #judge: WindowJudge
  /** Messages judged, as they were left. */
  readonly #messages = new Map<string, { left: Message; leftOut: boolean }>()
  #structured = false
  readonly #open = new Map<string, JudgedText>()
  /** Texts that have passed the stream, as they were left. */
  readonly #texts = new Set<string>()
  /** Values of calls that have passed, as they were left. */
  readonly #values = new Map<string, { input?: unknown; result?: unknown }>()
  /** Ends the checks of a step that is over or rejected. */
  #step = new AbortController()

  constructor(settings: WindowSettings) {
    this.#settings = settings
    this.#judge = new WindowJudge(settings)
  }

  async input(args: ProcessInputArgs): Promise<MessageList | undefined> {
    const { messages, messageList, abort } = args
    let changed = false
    for (const message of messages) {
      if (messageList.originOf(message.id) !== 'input') continue
      const place: Place = { surface: 'input', abort, messageId: message.id, found: false }
      const { left, leftOut } = await this.#message(message, place, args)
      if (leftOut) messageList.remove(message.id)
      else if (left !== message) messageList.replace(left)
      changed ||= leftOut || left !== message
    }
    return changed ? messageList : undefined
  }

  async inputStep(args: ProcessInputStepArgs): Promise<ProcessInputStepReturn> {
    const { messages, messageList, structuredOutput, abort } = args
    this.#structured = structuredOutput !== undefined
    const view = await Promise.all(
      messages.map(async (message) => {
        const origin = messageList.originOf(message.id)
        const surface = origin === 'input' ? 'input' : 'history'
        if (origin === 'response' || !this.#settings.surfaces.has(surface)) return message
        const known = this.#messages.get(message.id)
        const isKnown = known && (known.left === message || known.leftOut)
        const place: Place = {
          surface,
          messageId: message.id,
          found: false,
          ...(surface === 'input' && { abort }),
        }
        const { left, leftOut } = isKnown ? known : await this.#message(message, place, args)
        return leftOut ? undefined : left
      }),
    )
    if (view.every((message, index) => message === messages[index])) return undefined
    return view.filter((message) => message !== undefined)
  }

  async #message(
    message: Message,
    place: Place,
    asking: Asking,
  ): Promise<{ left: Message; leftOut: boolean }> {
    const units = unitsOf(saidIn(message))
    const left = withSaid(message, await this.#judge.units(units, place, asking))
    const { treatment } = this.#settings
    const leftOut =
      place.found && (treatment === 'filter' || (treatment === 'block' && place.surface === 'history'))
    const seen = { left, leftOut }
    this.#messages.set(message.id, seen)
    return seen
  }

  chunk(part: ChunkType, control: StreamControl): Passed | Promise<Passed> {
    switch (part.type) {
      case 'step-start':
        this.#step.abort(new DOMException('The step is over.', 'AbortError'))
        this.#step = new AbortController()
        this.#open.clear()
        return part
      case 'text-delta':
      case 'reasoning-delta':
        return this.#delta(part, control)
      case 'text-end':
      case 'reasoning-end':
        return this.#ended(part)
      case 'tool-input-delta':
        return this.#settings.surfaces.has('tool-input') && this.#settings.treatment !== 'warn' ? null : part
      case 'tool-call':
      case 'tool-result':
      case 'tool-error':
        return this.#tool(part, control)
      case 'source':
      case 'custom':
      case 'file':
      case 'reasoning-file':
        return this.#part(part, control)
      default:
        return part
    }
  }

  /** A part that comes in one piece. */
  async #part(part: WholePart, { abort, ...asking }: StreamControl): Promise<Passed> {
    const surface = part.type === 'reasoning-file' ? 'reasoning' : this.#answer
    const units = unitsOf([part])
    if (units.length === 0 || !this.#settings.surfaces.has(surface)) return part
    const place: Place = { surface, abort, found: false }
    const left = await this.#judge.units(units, place, asking)
    for (const unit of left) this.#texts.add(textOf(unit))
    if (place.found && this.#settings.treatment === 'filter') return null
    return withUnits([part], left)[0] as WholePart
  }

  get #answer(): Surface {
    return this.#structured ? 'object' : 'answer'
  }

  #delta(part: TextDelta, control: StreamControl): Passed | Promise<Passed> {
    const surface = part.type === 'reasoning-delta' ? 'reasoning' : this.#answer
    if (!this.#settings.surfaces.has(surface)) return part
    const key = `${part.type} ${part.id}`
    let text = this.#open.get(key)
    if (!text) {
      const { abort, abortSignal, reportUsage, requestContext } = control
      const place: Place = { surface, abort, found: false }
      text = this.#judgedText(place, {
        abortSignal: AbortSignal.any([abortSignal, this.#step.signal]),
        reportUsage,
        requestContext,
      })
      this.#open.set(key, text)
    }
    const passed = (textDelta: string): Passed => {
      if (this.#settings.treatment === 'warn' || textDelta === part.textDelta) return part
      return textDelta === '' && !part.providerMetadata ? null : { ...part, textDelta }
    }
    const out = text.push(part.textDelta)
    return typeof out === 'string' ? passed(out) : out.then(passed)
  }

  #judgedText(place: Place, asking: Asking): JudgedText {
    let isFiltered = false
    return new JudgedText({
      windows: this.#settings.windows,
      // What is only reported holds nothing up.
      mostPending: this.#settings.treatment === 'warn' ? Number.POSITIVE_INFINITY : 1,
      check: (window) => this.#judge.judge(window, place, asking),
      treat: (window, judgement) => {
        const left = isFiltered ? '' : this.#treat(window, judgement, place)
        isFiltered ||= this.#settings.treatment === 'filter' && judgement.flagged
        return left
      },
    })
  }

  #treat(window: Window, judgement: Judgement, place: Place): string {
    try {
      return this.#judge.treat(window, judgement, place)
    } catch (error) {
      this.#step.abort(error)
      throw error
    }
  }

  #ended(part: TextEnd): Passed | Promise<Passed> {
    const type = part.type === 'text-end' ? 'text-delta' : 'reasoning-delta'
    const key = `${type} ${part.id}`
    const text = this.#open.get(key)
    if (!text) return part
    this.#open.delete(key)
    const passed = (textDelta: string): Passed => {
      this.#texts.add(text.left)
      if (this.#settings.treatment === 'warn' || textDelta === '') return part
      return [{ type, id: part.id, textDelta }, part]
    }
    const out = text.end()
    return typeof out === 'string' ? passed(out) : out.then(passed)
  }

  async #tool(part: ToolChunk, { abort, ...asking }: StreamControl): Promise<ChunkType> {
    const { toolCallId } = part
    const seen = this.#seen(toolCallId)
    const changes: { input?: unknown; output?: unknown; error?: unknown } = {}
    if (this.#settings.surfaces.has('tool-input') && !('input' in seen && seen.input === part.input)) {
      const place: Place = { surface: 'tool-input', abort, toolCallId, found: false }
      seen.input = changes.input = await this.#judge.value(part.input, place, asking)
    }
    if (this.#settings.surfaces.has('tool-result') && part.type !== 'tool-call') {
      const key = part.type === 'tool-result' ? 'output' : 'error'
      const result = part.type === 'tool-result' ? part.output : part.error
      if (!('result' in seen && seen.result === result)) {
        const place: Place = { surface: 'tool-result', abort, toolCallId, found: false }
        seen.result = changes[key] = await this.#judge.value(result, place, asking)
      }
    }
    return { ...part, ...changes } as ToolChunk
  }

  #seen(toolCallId: string): { input?: unknown; result?: unknown } {
    const seen = this.#values.get(toolCallId) ?? {}
    this.#values.set(toolCallId, seen)
    return seen
  }

  /** What another processor has made of a call since it passed the stream. */
  async toolCall(args: ProcessToolCallArgs): Promise<ProcessToolCallResult> {
    const { toolCall, abort } = args
    const { toolCallId, input } = toolCall
    const seen = this.#seen(toolCallId)
    if ('input' in seen && seen.input === input) return
    const place: Place = { surface: 'tool-input', abort, toolCallId, found: false }
    seen.input = await this.#judge.value(input, place, args)
    return seen.input === input ? undefined : { input: seen.input }
  }

  /** What a tool gives, before anything of it is kept; and what it shows the model of that. */
  async execution({
    direction,
    value,
    toolCall,
    ...args
  }: ProcessExecutionArgs): Promise<ProcessExecutionResult> {
    if (direction === 'in' || value === undefined) return
    const { toolCallId } = toolCall
    const isPast = !this.#values.has(toolCallId)
    const place: Place = {
      surface: 'tool-result',
      toolCallId,
      found: false,
      ...(isPast ? { isPast } : { abort: args.abort }),
    }
    const left = await this.#judge.value(value, place, args)
    if (direction === 'out' && !isPast) this.#seen(toolCallId).result = left
    return left === value ? undefined : { value: left }
  }

  /** A result, before any later processor sees it. */
  async toolResult(args: ProcessToolResultArgs): Promise<ProcessToolResultResult> {
    const { toolCall, status, output, error, abort } = args
    const { toolCallId } = toolCall
    const value = status === 'success' ? output : error
    const seen = this.#seen(toolCallId)
    if ('result' in seen && seen.result === value) return
    const place: Place = { surface: 'tool-result', abort, toolCallId, found: false }
    seen.result = await this.#judge.value(value, place, args)
    if (seen.result === value) return
    return status === 'success' ? { output: seen.result } : { error: seen.result as string }
  }

  /** What a message of this run has that did not pass the stream, such as what another processor wrote into it. */
  async outputResult(args: ProcessOutputResultArgs): Promise<MessageList | undefined> {
    const { messages, messageList, abort } = args
    let changed = false
    for (const message of messages) {
      const parts = saidIn(message)
      const left = await Promise.all(
        parts.map(async (part) => {
          const surface = this.#unseen(part)
          if (surface === undefined) return unitsOf([part])
          const place: Place = { surface, abort, messageId: message.id, found: false }
          return this.#judge.units(unitsOf([part]), place, args)
        }),
      )
      const out = withSaid(message, left.flat())
      if (out === message) continue
      messageList.replace(out)
      changed = true
    }
    return changed ? messageList : undefined
  }

  /** The surface of a part that has not passed, and is to be judged. Calls have hooks of their own. */
  #unseen(part: MessagePart): Surface | undefined {
    const isReasoning = part.type.startsWith('reasoning') || (part.type as string) === 'thinking'
    const surface = isReasoning ? 'reasoning' : this.#answer
    if (isToolPart(part) || !this.#settings.surfaces.has(surface)) return undefined
    return unitsOf([part]).every((unit) => this.#texts.has(textOf(unit))) ? undefined : surface
  }
}

/** What a message says, its metadata last. */
function saidIn({ content }: Message): MessagePart[] {
  return [...content.parts, { type: 'data-metadata', data: content.metadata }]
}

/** The message with what is left of its units; the same where nothing changed. */
function withSaid(message: Message, units: readonly Unit[]): Message {
  const { content } = message
  const parts = withUnits(saidIn(message), units)
  const { data } = parts.pop() as { data: unknown }
  if (data === content.metadata && parts.every((part, index) => part === content.parts[index])) return message
  const metadata = data === undefined ? {} : { metadata: data as typeof content.metadata & {} }
  return { ...message, content: { parts, ...metadata } }
}
