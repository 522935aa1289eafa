import type {
  AbortOrRetry,
  ChunkType,
  Message,
  MessageList,
  MessageOrigin,
  MessagePart,
  ProcessInputArgs,
  ProcessInputStepArgs,
  ProcessInputStepReturn,
  ProcessOutputResultArgs,
  ProcessOutputStepArgs,
  ProcessOutputStreamArgs,
  ProcessToolCallArgs,
  ProcessToolCallResult,
  ProcessToolResultArgs,
  ProcessToolResultResult,
} from '@millrace/core'
import type { Detection } from '../scanner/recognizer.ts'
import { GuardedText } from './guarded-text.ts'
import { rewriteJson } from './json-value.ts'
import { rewriteMessage, rewritePart, type TextKind } from './message-text.ts'
import type { Surface } from './options.ts'
import { hashOf, TextHash } from './text-hash.ts'
import type { TextScanner } from './text-scanner.ts'
import { type GuardSettings, type Place, Treatment } from './treatment.ts'

interface OpenText {
  readonly text: GuardedText
  readonly place: Place
  readonly hash: TextHash
  readonly unreported: Detection[]
}

type TextDelta = Extract<ChunkType, { type: 'text-delta' | 'reasoning-delta' }>
/** What a chunk's hook gets of a run's controls. */
export type ChunkControl = Pick<ProcessOutputStreamArgs, 'abort' | 'abortSignal'>

type ToolChunk = Extract<ChunkType, { type: 'tool-call' | 'tool-result' | 'tool-error' }>

/** A guard in one run: every text of the run passes here, at whichever hook it appears. */
export class GuardRun {
  readonly #settings: GuardSettings
  readonly #scanner: TextScanner
  readonly #treatment: Treatment
  /** Messages inspected, as they were left; `null` for those left out. */
  readonly #messages = new Map<string, { left: Message; leftOut: boolean }>()
  /** Whether the answer is structured; `undefined` for a guard that sees the output only. */
  #structured: boolean | undefined
  readonly #open = new Map<string, OpenText>()
  /** What has passed the stream, as it was left. */
  readonly #texts = new Set<string>()
  readonly #values = new Map<string, { input?: unknown; result?: unknown }>()
  /** Beginnings of parts that are to be removed. */
  readonly #removed = new Set<string>()

  constructor(settings: GuardSettings, scanner: TextScanner) {
    this.#settings = settings
    this.#treatment = new Treatment(settings)
    this.#scanner = scanner
  }

  input({ messages, messageList, abort }: ProcessInputArgs): MessageList | undefined {
    let changed = false
    for (const message of messages) {
      if (messageList.originOf(message.id) !== 'input') continue
      const place: Place = { surface: 'input', abort, messageId: message.id, found: false }
      const left = rewriteMessage(message, (text, { toolCallId }) => this.#whole(text, { place, toolCallId }))
      const leftOut = this.#treatment.removes(place)
      this.#messages.set(message.id, { left, leftOut })
      if (leftOut) messageList.remove(message.id)
      else if (left !== message) messageList.replace(left)
      changed ||= leftOut || left !== message
    }
    return changed ? messageList : undefined
  }

  inputStep({
    messages,
    messageList,
    structuredOutput,
    abort,
  }: ProcessInputStepArgs): ProcessInputStepReturn {
    this.#structured = structuredOutput !== undefined
    let changed = false
    const view: Message[] = []
    for (const message of messages) {
      const origin = messageList.originOf(message.id)
      const surface = origin === 'input' ? 'input' : 'history'
      if (!this.watches(origin)) {
        view.push(message)
        continue
      }
      const { left, leftOut } = this.#message(message, {
        surface,
        abort: surface === 'input' ? abort : undefined,
      })
      if (!leftOut) view.push(left)
      if (left !== message && messageList.find(message.id) === message) messageList.replace(left)
      changed ||= leftOut || left !== message
    }
    return changed ? view : undefined
  }

  #message(
    message: Message,
    { surface, abort }: Pick<Place, 'surface' | 'abort'>,
  ): { left: Message; leftOut: boolean } {
    const known = this.#messages.get(message.id)
    if (known && (known.left === message || known.leftOut)) return known
    const place: Place = { surface, abort, messageId: message.id, found: false }
    const left = rewriteMessage(message, (text, { toolCallId }) => this.#whole(text, { place, toolCallId }))
    const seen = { left, leftOut: this.#treatment.removes(place) }
    this.#messages.set(message.id, seen)
    return seen
  }

  chunk(part: ChunkType, { abort }: Pick<ChunkControl, 'abort'>): ChunkType | readonly ChunkType[] | null {
    switch (part.type) {
      case 'step-start':
        this.#open.clear()
        return part
      case 'text-delta':
        return this.#delta(part, this.#structured ? 'object' : 'answer', abort)
      case 'reasoning-delta':
        return this.#delta(part, 'reasoning', abort)
      case 'text-end':
      case 'reasoning-end':
        return this.#ended(part)
      case 'tool-input-delta': {
        const out = this.#inputDelta(part.toolCallId, part.inputTextDelta, abort)
        if (out === part.inputTextDelta) return part
        return out === '' ? null : { ...part, inputTextDelta: out }
      }
      case 'tool-input-end': {
        const { toolCallId } = part
        const inputTextDelta = this.#take(`input ${toolCallId}`)
        return inputTextDelta === '' ? part : [{ type: 'tool-input-delta', toolCallId, inputTextDelta }, part]
      }
      case 'tool-call':
      case 'tool-result':
      case 'tool-error':
        return this.#tool(part, abort)
      default:
        return part
    }
  }

  /** Whether the answer is structured; `undefined` where the guard sees the output only. */
  get structured(): boolean | undefined {
    return this.#structured
  }

  /** Whether the guard changes what it sees, and does not only report. */
  get changes(): boolean {
    return this.#treatment.replacement !== undefined
  }

  /** Whether messages of this origin are inspected before they go to the model. */
  watches(origin: MessageOrigin | undefined): boolean {
    return origin !== 'response' && this.#settings.surfaces.has(origin === 'input' ? 'input' : 'history')
  }

  /** Whether a piece of a part is inspected in the stream. */
  inspects({ type }: ChunkType): boolean {
    const { surfaces } = this.#settings
    if (type === 'tool-input-delta') return surfaces.has('tool-input') && this.changes
    return surfaces.has(type === 'reasoning-delta' ? 'reasoning' : this.#structured ? 'object' : 'answer')
  }

  /** Whether a message has been inspected before. */
  isKnown({ id }: Message): boolean {
    return this.#messages.has(id)
  }

  /** Whether a message has been inspected as it is now. */
  isKnownAs(message: Message): boolean {
    const known = this.#messages.get(message.id)
    return known !== undefined && (known.left === message || known.leftOut)
  }

  /** Whether this input or result of a call is to be inspected, and has not been. */
  isToDo(toolCallId: string, value: { input: unknown } | { result: unknown }): boolean {
    const seen = this.#values.get(toolCallId)
    if ('input' in value) {
      return (
        this.#settings.surfaces.has('tool-input') && !(seen && 'input' in seen && seen.input === value.input)
      )
    }
    return (
      this.#settings.surfaces.has('tool-result') &&
      !(seen && 'result' in seen && seen.result === value.result)
    )
  }

  /** Whether this text of a message of the run is to be inspected, and has not passed the stream. */
  isUnchecked(part: MessagePart, kind: TextKind, text: string): boolean {
    return this.#settings.surfaces.has(this.#surfaceOf(kind)) && !this.#hasPassed(part, kind, text)
  }

  /** What another processor has made of a call since it passed the stream. */
  toolCall({ toolCall: { toolCallId, input }, abort }: ProcessToolCallArgs): ProcessToolCallResult {
    if (!this.isToDo(toolCallId, { input })) return
    const left = this.#json(input, { surface: 'tool-input', abort, toolCallId, found: false })
    return left === input ? undefined : { input: left }
  }

  /** A result, before any later processor sees it. */
  toolResult({ toolCall, status, output, error, abort }: ProcessToolResultArgs): ProcessToolResultResult {
    if (!this.#settings.surfaces.has('tool-result')) return
    const { toolCallId } = toolCall
    const place: Place = { surface: 'tool-result', abort, toolCallId, found: false }
    const seen = this.#values.get(toolCallId) ?? {}
    this.#values.set(toolCallId, seen)
    if (status !== 'success') {
      if (error === undefined) return
      seen.result = this.#whole(error, { place })
      return seen.result === error ? undefined : { error: seen.result as string }
    }
    seen.result = this.#json(output, place)
    return seen.result === output ? undefined : { output: seen.result }
  }

  /** Removes the parts in which something was found, of which the beginning had already passed. */
  outputStep({ messages }: Pick<ProcessOutputStepArgs, 'messages'>): void {
    const parts = messages.at(-1)?.content.parts
    if (!parts || this.#removed.size === 0) return
    for (let index = parts.length - 1; index >= 0; index--) {
      const part = parts[index] as MessagePart
      if ((part.type === 'text' || part.type === 'reasoning') && this.#removed.has(hashOf(part.text))) {
        parts.splice(index, 1)
      }
    }
    this.#removed.clear()
  }

  outputResult({ messages, messageList, abort }: ProcessOutputResultArgs): MessageList | undefined {
    let changed = false
    for (const message of messages) {
      const left = this.#response(message, abort)
      if (left !== message) messageList.replace(left)
      changed ||= left !== message
    }
    if (this.#settings.strategy !== 'redact' || !this.#settings.surfaces.has('input')) {
      return changed ? messageList : undefined
    }
    for (const message of messageList.get('input')) {
      if (this.isKnown(message)) continue
      const { left } = this.#message(message, { surface: 'input' })
      if (left !== message) messageList.replace(left)
      changed ||= left !== message
    }
    return changed ? messageList : undefined
  }

  /** What a message of this run has that did not pass the stream, such as what another processor wrote into it. */
  #response(message: Message, abort: AbortOrRetry): Message {
    let changed = false
    const parts: MessagePart[] = []
    for (const part of message.content.parts) {
      const place = { abort, messageId: message.id, found: false }
      const left = rewritePart(part, (text, { kind, toolCallId }) => {
        const surface = this.#surfaceOf(kind)
        if (!this.isUnchecked(part, kind, text)) return text
        const own: Place = { ...place, surface }
        const out = this.#whole(text, { place: own, toolCallId })
        place.found ||= own.found
        return out
      })
      const leftOut =
        this.#treatment.removes({ ...place, surface: 'answer' }) &&
        (part.type === 'text' || part.type === 'reasoning')
      if (!leftOut) parts.push(left)
      changed ||= leftOut || left !== part
    }
    return changed ? { ...message, content: { ...message.content, parts } } : message
  }

  #surfaceOf(kind: TextKind): Surface {
    return kind === 'text' ? (this.#structured ? 'object' : 'answer') : kind
  }

  #hasPassed(part: MessagePart, kind: TextKind, text: string): boolean {
    if (kind === 'text' || kind === 'reasoning') return this.#texts.has(hashOf(text))
    if (!('toolCallId' in part)) return false
    const seen = this.#values.get(part.toolCallId)
    if (!seen) return false
    if (kind === 'tool-input') return 'input' in seen && 'input' in part && part.input === seen.input
    if (!('result' in seen)) return false
    return (
      ('output' in part && part.output === seen.result) ||
      ('errorText' in part && part.errorText === seen.result)
    )
  }

  #delta(part: TextDelta, surface: Surface, abort: AbortOrRetry): ChunkType | null {
    if (!this.#settings.surfaces.has(surface)) return part
    const json = surface === 'object' ? true : surface === 'answer' ? this.#structured : false
    const open = this.#opened(`${part.type} ${part.id}`, { surface, abort, found: false }, json)
    const textDelta = open.text.push(part.textDelta)
    open.hash.add(textDelta)
    if (textDelta === part.textDelta) return part
    return textDelta === '' && !part.providerMetadata ? null : { ...part, textDelta }
  }

  #ended(part: Extract<ChunkType, { type: 'text-end' | 'reasoning-end' }>): ChunkType | readonly ChunkType[] {
    const type = part.type === 'text-end' ? 'text-delta' : 'reasoning-delta'
    const textDelta = this.#take(`${type} ${part.id}`)
    return textDelta === '' ? part : [{ type, id: part.id, textDelta }, part]
  }

  /** Ends a text, and returns what was held of it. */
  #take(key: string): string {
    const open = this.#open.get(key)
    if (!open) return ''
    this.#open.delete(key)
    const { place, hash, unreported } = open
    const tail = open.text.end()
    for (const detection of unreported) this.#treatment.report(detection, place)
    hash.add(tail)
    this.#texts.add(hash.key)
    if (this.#treatment.removes(place)) this.#removed.add(hash.key)
    return tail
  }

  #inputDelta(toolCallId: string, text: string, abort: AbortOrRetry): string {
    const { surfaces, strategy } = this.#settings
    if (!surfaces.has('tool-input') || !this.changes) return text
    const silent = strategy !== 'block'
    const place: Place = { surface: 'tool-input', abort, toolCallId, silent, found: false }
    return this.#opened(`input ${toolCallId}`, place, true).text.push(text)
  }

  #opened(key: string, place: Place, json: boolean | undefined): OpenText {
    const known = this.#open.get(key)
    if (known) return known
    const { strategy } = this.#settings
    const unreported: Detection[] = []
    const text = new GuardedText({
      scanner: this.#scanner,
      json,
      replacement: this.#treatment.replacement,
      stopAtMatch: strategy === 'filter' && place.surface !== 'tool-input',
      onMatch: (detection, kind) => {
        place.found = true
        if (this.#treatment.blocks(place)) this.#treatment.block([detection], place)
        if (kind.open) unreported.push(detection)
        else this.#treatment.report(detection, place)
      },
    })
    const open: OpenText = { text, place, hash: new TextHash(), unreported }
    this.#open.set(key, open)
    return open
  }

  #tool(part: ToolChunk, abort: AbortOrRetry): ChunkType {
    const { toolCallId } = part
    const seen = this.#values.get(toolCallId) ?? {}
    this.#values.set(toolCallId, seen)
    const changes: { input?: unknown; output?: unknown; error?: string } = {}
    if (this.isToDo(toolCallId, { input: part.input })) {
      seen.input = changes.input = this.#json(part.input, {
        surface: 'tool-input',
        abort,
        toolCallId,
        found: false,
      })
    }
    const result =
      part.type === 'tool-result' ? part.output : part.type === 'tool-error' ? part.error : undefined
    if (part.type !== 'tool-call' && this.isToDo(toolCallId, { result })) {
      const place: Place = { surface: 'tool-result', abort, toolCallId, found: false }
      if (part.type === 'tool-result') seen.result = changes.output = this.#json(part.output, place)
      else seen.result = changes.error = this.#whole(part.error, { place })
    }
    const current: typeof changes & ToolChunk = part
    const keys = Object.keys(changes) as (keyof typeof changes)[]
    return keys.every((key) => changes[key] === current[key]) ? part : ({ ...part, ...changes } as ToolChunk)
  }

  #json(value: unknown, place: Place): unknown {
    return rewriteJson(value, (text) => this.#whole(text, { place }))
  }

  /** Passes a whole text. */
  #whole(text: string, { place, toolCallId }: { place: Place; toolCallId?: string | undefined }): string {
    const { enforced, strategy } = this.#settings
    const at = toolCallId === undefined ? place : { ...place, toolCallId }
    const found: Detection[] = []
    const guarded = new GuardedText({
      scanner: this.#scanner,
      json: place.surface === 'object',
      replacement: this.#treatment.replacement,
      onMatch: (detection) => {
        found.push(detection)
      },
    })
    const out = guarded.push(text) + guarded.end()
    if (found.length === 0) return text
    place.found = true
    if (this.#treatment.blocks(place)) this.#treatment.block(found, at)
    for (const detection of found) this.#treatment.report(detection, at)
    return enforced && strategy === 'block' ? text : out
  }
}
