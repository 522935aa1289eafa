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
  type ProcessOutputStepArgs,
  type ProcessOutputStreamArgs,
  type ProcessToolCallArgs,
  type ProcessToolCallResult,
  type ProcessToolResultArgs,
  type ProcessToolResultResult,
} from '@millrace/core'
import { GuardedMessages } from './guarded-messages.ts'
import { rewriteJson } from './json-value.ts'
import { rewritePart, type TextKind, type ValuePlace } from './message-text.ts'
import type { Surface } from './options.ts'
import { type Delta, StreamTexts } from './stream-texts.ts'
import { TextCheck } from './text-check.ts'
import type { TextScanner } from './text-scanner.ts'
import type { GuardSettings, Place } from './treatment.ts'

/** What a chunk's hook gets of a run's controls. */
export type ChunkControl = Pick<ProcessOutputStreamArgs, 'abort' | 'abortSignal' | 'messageList'>

const WHOLE: ReadonlySet<string> = new Set<ChunkType['type']>([
  'tool-call',
  'tool-result',
  'tool-error',
  'tool-denied',
  'source',
  'custom',
  'file',
  'reasoning-file',
])

/** Whether a chunk is a whole part, or the whole of its result. */
export function isWhole({ type }: ChunkType): boolean {
  return WHOLE.has(type)
}

interface Ends extends Pick<Place, 'abort' | 'messageId' | 'isPast'> {
  /** What has passed the stream is not looked at again. */
  readonly again?: boolean
  readonly onFound?: () => void
}

/** By what a call's own values are known again: what it got, and what came of it. */
const SLOTS: Readonly<Record<string, 'input' | 'result'>> = {
  input: 'input',
  output: 'result',
  error: 'result',
  errorText: 'result',
  reason: 'result',
}

/** A guard in one run: every text of the run passes here, at whichever hook it appears. */
export class GuardRun {
  readonly #settings: GuardSettings
  readonly messages: GuardedMessages
  readonly #check: TextCheck
  readonly #stream: StreamTexts
  /** What calls of this run got and gave, as it was left. */
  readonly #calls = new Map<string, { input?: unknown; result?: unknown }>()
  /** Whether the answer is structured; `undefined` for a guard that sees the output only. */
  #structured: boolean | undefined

  constructor(settings: GuardSettings, scanner: TextScanner) {
    this.#settings = settings
    this.#check = new TextCheck(settings, scanner)
    this.messages = new GuardedMessages(settings, this.#check)
    this.#stream = new StreamTexts(settings, this.#check)
  }

  input(args: ProcessInputArgs): MessageList | undefined {
    return this.messages.input(args)
  }

  inputStep(args: ProcessInputStepArgs): ProcessInputStepReturn {
    this.#structured = args.structuredOutput !== undefined
    return this.messages.inputStep(args)
  }

  chunk(
    part: ChunkType,
    { abort, messageList }: Pick<ChunkControl, 'abort' | 'messageList'>,
  ): ChunkType | readonly ChunkType[] | null {
    switch (part.type) {
      case 'step-start':
        this.#stream.begin()
        // The prompt is written. From now on messages may be stored: those of a run that waits, too.
        this.messages.redactUnseen(messageList)
        return part
      case 'text-delta':
      case 'reasoning-delta':
      case 'tool-input-delta': {
        const surface = this.#surfaceOfDelta(part)
        const left = this.#stream.delta(part, { surface, json: this.#isJson(part), abort })
        return left && this.provider(left, abort)
      }
      case 'text-end':
      case 'reasoning-end':
      case 'tool-input-end':
        return this.#stream.end(this.provider(part, abort))
      case 'step-finish': {
        // It may hold the answer once more, token by token.
        const { providerMetadata: _, ...rest } = part
        return this.#stream.found && this.changes ? rest : this.provider(part, abort)
      }
      case 'tool-call':
        this.#callOf(part.toolCallId)
        return this.#whole(part, abort)
      default:
        return isWhole(part) ? this.#whole(part, abort) : this.provider(part, abort)
    }
  }

  /** A chunk with what its provider says about it looked at. */
  provider<PART extends ChunkType>(part: PART, abort: AbortOrRetry): PART {
    if (!('providerMetadata' in part) || part.providerMetadata === undefined) return part
    const { providerMetadata } = part
    const left = this.#value(providerMetadata, { kind: 'provider', field: 'providerMetadata' }, { abort })
    return left === providerMetadata ? part : { ...part, providerMetadata: left }
  }

  /** Whether the answer is structured; `undefined` where the guard sees the output only. */
  get structured(): boolean | undefined {
    return this.#structured
  }

  /** Whether the guard changes what it sees, and does not only report. */
  get changes(): boolean {
    return this.#check.treatment.replacement !== undefined
  }

  /** Whether a piece of a part is inspected in the stream. */
  inspects(part: Delta): boolean {
    return (
      this.#settings.surfaces.has(this.#surfaceOfDelta(part)) &&
      (part.type !== 'tool-input-delta' || this.changes)
    )
  }

  /** Whether this value of the run is to be inspected, and has not passed. */
  isToDo(value: unknown, { kind, field, toolCallId }: ValuePlace): boolean {
    if (!this.#settings.surfaces.has(this.#surfaceOf(kind))) return false
    const slot = toolCallId === undefined ? undefined : SLOTS[field]
    const call = toolCallId === undefined ? undefined : this.#calls.get(toolCallId)
    return slot === undefined || call === undefined || !(slot in call && call[slot] === value)
  }

  /** Whether a text has passed the stream. Those of calls are known by the value they are in. */
  hasPassed(text: string, { field, toolCallId }: ValuePlace): boolean {
    return (toolCallId === undefined || SLOTS[field] === undefined) && this.#stream.hasPassed(text)
  }

  /** What another processor has made of a call since it passed the stream. */
  toolCall({ toolCall: { toolCallId, input }, abort }: ProcessToolCallArgs): ProcessToolCallResult {
    const left = this.#value(input, { kind: 'tool-input', field: 'input', toolCallId }, { abort })
    return left === input ? undefined : { input: left }
  }

  /** What a tool gives, before anything of it is kept; and what it shows the model of that. */
  execution({ direction, value, toolCall, abort }: ProcessExecutionArgs): ProcessExecutionResult {
    if (direction === 'in') return
    const { toolCallId } = toolCall
    const isPast = !this.#calls.has(toolCallId)
    const place: ValuePlace = {
      kind: 'tool-result',
      field: direction === 'out' ? 'output' : direction,
      toolCallId,
    }
    const left = this.#value(value, place, isPast ? { isPast } : { abort })
    return left === value ? undefined : { value: left }
  }

  /** A result, before any later processor sees it. */
  toolResult({ toolCall, status, output, error, abort }: ProcessToolResultArgs): ProcessToolResultResult {
    const { toolCallId } = toolCall
    const value = status === 'success' ? output : error
    const left = this.#value(value, { kind: 'tool-result', field: 'output', toolCallId }, { abort })
    if (left === value) return
    return status === 'success' ? { output: left } : { error: left as string }
  }

  /** Removes the parts in which something was found, of which the beginning had already passed. */
  outputStep({ messages }: Pick<ProcessOutputStepArgs, 'messages'>): void {
    const parts = messages.at(-1)?.content.parts
    if (parts) this.#stream.remove(parts)
  }

  outputResult({ messages, messageList, abort }: ProcessOutputResultArgs): MessageList | undefined {
    let changed = false
    for (const message of messages) {
      const left = this.#response(message, abort)
      if (left !== message) messageList.replace(left)
      changed ||= left !== message
    }
    changed = this.messages.redactUnseen(messageList) || changed
    return changed ? messageList : undefined
  }

  /** What a message of this run has that did not pass the stream, such as what another processor wrote into it. */
  #response(message: Message, abort: AbortOrRetry): Message {
    const ends = { abort, messageId: message.id, again: true }
    const { content } = message
    let changed = false
    const parts = content.parts.flatMap((part): MessagePart[] => {
      const { left, found } = this.#part(part, ends)
      const leftOut = !isToolPart(part) && this.#leavesOut(found)
      changed ||= leftOut || left !== part
      return leftOut ? [] : [left]
    })
    const metadata =
      content.metadata && this.#value(content.metadata, { kind: 'data', field: 'metadata' }, ends)
    if (!changed && metadata === content.metadata) return message
    return {
      ...message,
      content: {
        parts,
        ...(metadata !== undefined && { metadata: metadata as typeof content.metadata & {} }),
      },
    }
  }

  /** A part of this run, or a chunk that becomes one. */
  #part<PART extends { type: string }>(part: PART, ends: Ends): { left: PART; found: boolean } {
    let found = false
    const onFound = (): void => {
      found = true
    }
    const left = rewritePart(part, (value, at) => this.#value(value, at, { ...ends, onFound }))
    return { left, found }
  }

  #whole(part: ChunkType, abort: AbortOrRetry): ChunkType | null {
    const { left, found } = this.#part(part, { abort })
    const isAnswer = !isToolPart(part as MessagePart)
    this.#stream.found ||= found && (isAnswer || part.type === 'tool-call')
    return isAnswer && this.#leavesOut(found) ? null : left
  }

  #leavesOut(found: boolean): boolean {
    return this.#check.treatment.removes({ surface: 'answer', found })
  }

  /** A value of this run, as it is left. */
  #value(value: unknown, at: ValuePlace, { onFound, again = false, ...ends }: Ends): unknown {
    if (value === undefined || !this.isToDo(value, at)) return value
    const { kind, field, toolCallId } = at
    const ofCall = toolCallId === undefined ? {} : { toolCallId }
    const place: Place = { ...ends, ...ofCall, surface: this.#surfaceOf(kind), found: false }
    const left = rewriteJson(
      value,
      (text, name) => {
        if (again && this.hasPassed(text, at)) return text
        const rewritten = this.#check.text(text, place, name)
        this.#stream.note(rewritten)
        return rewritten
      },
      { numbers: kind !== 'provider' },
    )
    const slot = SLOTS[field]
    if (slot && toolCallId !== undefined && !ends.isPast) this.#callOf(toolCallId)[slot] = left
    if (place.found) onFound?.()
    return left
  }

  #callOf(toolCallId: string): { input?: unknown; result?: unknown } {
    const call = this.#calls.get(toolCallId) ?? {}
    this.#calls.set(toolCallId, call)
    return call
  }

  #surfaceOf(kind: TextKind): Surface {
    if (kind === 'text') return this.#structured ? 'object' : 'answer'
    return kind === 'data' || kind === 'provider' ? 'answer' : kind
  }

  #surfaceOfDelta({ type }: Delta): Surface {
    if (type === 'tool-input-delta') return 'tool-input'
    return this.#surfaceOf(type === 'reasoning-delta' ? 'reasoning' : 'text')
  }

  /** `undefined` where only the beginning of a text can tell. */
  #isJson({ type }: Delta): boolean | undefined {
    if (type === 'reasoning-delta') return false
    return type === 'tool-input-delta' ? true : this.#structured
  }
}
