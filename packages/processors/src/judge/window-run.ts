import type {
  AbortOrRetry,
  ChunkType,
  Message,
  MessageList,
  MessagePart,
  ProcessInputArgs,
  ProcessInputStepArgs,
  ProcessInputStepReturn,
  ProcessOutputResultArgs,
  ProcessorArgs,
  ProcessToolCallArgs,
  ProcessToolCallResult,
  ProcessToolResultArgs,
  ProcessToolResultResult,
} from '@millrace/core'
import { rewriteJson } from '../guard/json-value.ts'
import { rewriteMessage } from '../guard/message-text.ts'
import type { Place } from '../guard/treatment.ts'
import { JudgedText } from './judged-text.ts'
import { REDACTED, type WindowSettings, WindowTreatment } from './treatment.ts'
import type { Judgement } from './verdict.ts'
import { type Window, windowsOf } from './windows.ts'

/** What a check is given of the hook that asks for it. */
type Asking = Pick<ProcessorArgs, 'abortSignal' | 'reportUsage'>

interface StreamControl extends Asking {
  readonly abort: AbortOrRetry
}

type TextDelta = Extract<ChunkType, { type: 'text-delta' | 'reasoning-delta' }>
type TextEnd = Extract<ChunkType, { type: 'text-end' | 'reasoning-end' }>
type ToolChunk = Extract<ChunkType, { type: 'tool-call' | 'tool-result' | 'tool-error' }>
type Passed = ChunkType | readonly ChunkType[] | null

const HARMLESS: Judgement = {
  flagged: false,
  categories: [],
  score: 0,
  reason: '',
  calls: 0,
  inputTokens: 0,
  outputTokens: 0,
}

/** A guard by windows in one run. */
export class WindowRun {
  readonly #settings: WindowSettings
  readonly #treatment: WindowTreatment
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
    this.#treatment = new WindowTreatment(settings)
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
    const texts: string[] = []
    rewriteMessage(message, (text) => {
      texts.push(text)
      return text
    })
    const rewritten = await this.#whole(texts, place, asking)
    let next = 0
    const left = rewriteMessage(message, () => rewritten[next++] as string)
    const { treatment } = this.#settings
    const leftOut =
      place.found && (treatment === 'filter' || (treatment === 'block' && place.surface === 'history'))
    const seen = { left, leftOut }
    this.#messages.set(message.id, seen)
    return seen
  }

  /** Whole texts, judged at the same time, as they are left. */
  async #whole(texts: readonly string[], place: Place, asking: Asking): Promise<string[]> {
    const windows = texts.map((text) => windowsOf(text, this.#settings.windows))
    const judgements = await this.#judge(windows.flat(), place, asking)
    let next = 0
    return windows.map((ofText) =>
      ofText.map((window) => this.#treatment.treat(window, judgements[next++] as Judgement, place)).join(''),
    )
  }

  async #judge(
    windows: readonly Window[],
    { surface }: Place,
    { abortSignal, reportUsage }: Asking,
  ): Promise<Judgement[]> {
    const asked = windows.filter(({ text }) => text.trim() !== '')
    if (asked.length === 0) return windows.map(() => HARMLESS)
    const judged = await this.#settings.check(
      asked.map(({ before, text }) => before + text),
      { abortSignal, reportUsage },
    )
    for (const judgement of judged) this.#treatment.count(judgement, surface)
    return windows.map((window) => judged[asked.indexOf(window)] ?? HARMLESS)
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
      default:
        return part
    }
  }

  #delta(part: TextDelta, control: StreamControl): Passed | Promise<Passed> {
    const surface = part.type === 'reasoning-delta' ? 'reasoning' : this.#structured ? 'object' : 'answer'
    if (!this.#settings.surfaces.has(surface)) return part
    const key = `${part.type} ${part.id}`
    let text = this.#open.get(key)
    if (!text) {
      const { abort, abortSignal, reportUsage } = control
      const place: Place = { surface, abort, found: false }
      text = this.#judgedText(place, {
        abortSignal: AbortSignal.any([abortSignal, this.#step.signal]),
        reportUsage,
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
      check: async (window) => (await this.#judge([window], place, asking))[0] as Judgement,
      treat: (window, judgement) => {
        const left = isFiltered ? '' : this.#treat(window, judgement, place)
        isFiltered ||= this.#settings.treatment === 'filter' && judgement.flagged
        return left
      },
    })
  }

  #treat(window: Window, judgement: Judgement, place: Place): string {
    try {
      return this.#treatment.treat(window, judgement, place)
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
      seen.input = changes.input = await this.#value(part.input, place, asking)
    }
    if (this.#settings.surfaces.has('tool-result') && part.type !== 'tool-call') {
      const key = part.type === 'tool-result' ? 'output' : 'error'
      const result = part.type === 'tool-result' ? part.output : part.error
      if (!('result' in seen && seen.result === result)) {
        const place: Place = { surface: 'tool-result', abort, toolCallId, found: false }
        seen.result = changes[key] = await this.#value(result, place, asking)
      }
    }
    return { ...part, ...changes } as ToolChunk
  }

  #seen(toolCallId: string): { input?: unknown; result?: unknown } {
    const seen = this.#values.get(toolCallId) ?? {}
    this.#values.set(toolCallId, seen)
    return seen
  }

  /** A JSON value, judged as one text. What is flagged loses all its strings. */
  async #value(value: unknown, place: Place, asking: Asking): Promise<unknown> {
    const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
    await this.#whole([text], place, asking)
    const { treatment } = this.#settings
    if (!place.found || treatment === 'warn' || treatment === 'block') return value
    return rewriteJson(value, () => REDACTED)
  }

  /** What another processor has made of a call since it passed the stream. */
  async toolCall(args: ProcessToolCallArgs): Promise<ProcessToolCallResult> {
    const { toolCall, abort } = args
    const { toolCallId, input } = toolCall
    const seen = this.#seen(toolCallId)
    if ('input' in seen && seen.input === input) return
    const place: Place = { surface: 'tool-input', abort, toolCallId, found: false }
    seen.input = await this.#value(input, place, args)
    return seen.input === input ? undefined : { input: seen.input }
  }

  /** A result, before any later processor sees it. */
  async toolResult(args: ProcessToolResultArgs): Promise<ProcessToolResultResult> {
    const { toolCall, status, output, error, abort } = args
    const { toolCallId } = toolCall
    const place: Place = { surface: 'tool-result', abort, toolCallId, found: false }
    const value = status === 'success' ? output : error
    const seen = this.#seen(toolCallId)
    seen.result = await this.#value(value, place, args)
    if (seen.result === value) return
    return status === 'success' ? { output: seen.result } : { error: seen.result as string }
  }

  /** What a message of this run has that did not pass the stream, such as what another processor wrote into it. */
  async outputResult(args: ProcessOutputResultArgs): Promise<MessageList | undefined> {
    const { messages, messageList, abort } = args
    let changed = false
    for (const message of messages) {
      const parts = await Promise.all(
        message.content.parts.map(async (part): Promise<MessagePart> => {
          if ((part.type !== 'text' && part.type !== 'reasoning') || this.#texts.has(part.text)) return part
          const surface = part.type === 'reasoning' ? 'reasoning' : this.#structured ? 'object' : 'answer'
          if (!this.#settings.surfaces.has(surface)) return part
          const place: Place = { surface, abort, messageId: message.id, found: false }
          const [text = ''] = await this.#whole([part.text], place, args)
          return text === part.text ? part : { ...part, text }
        }),
      )
      if (parts.every((part, index) => part === message.content.parts[index])) continue
      messageList.replace({ ...message, content: { ...message.content, parts } })
      changed = true
    }
    return changed ? messageList : undefined
  }
}
