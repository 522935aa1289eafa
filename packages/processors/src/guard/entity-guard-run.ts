import type {
  ChunkType,
  Message,
  MessageList,
  ProcessExecutionArgs,
  ProcessExecutionResult,
  ProcessInputArgs,
  ProcessInputStepArgs,
  ProcessInputStepReturn,
  ProcessOutputResultArgs,
  ProcessOutputStepArgs,
  ProcessToolCallArgs,
  ProcessToolCallResult,
  ProcessToolResultArgs,
  ProcessToolResultResult,
} from '@millrace/core'
import { type EntityFinder, KnownEntities } from './entities.ts'
import { EntityScanner, TextCollector } from './entity-scan.ts'
import { type ChunkControl, GuardRun, isWhole } from './guard-run.ts'
import { GuardedText } from './guarded-text.ts'
import { rewriteJson } from './json-value.ts'
import { rewriteMessage, rewritePart, type ValuePlace } from './message-text.ts'
import { type Delta, deltaBefore, type End, keyOf } from './stream-texts.ts'
import type { TextScanner } from './text-scanner.ts'
import type { GuardSettings } from './treatment.ts'

type MaybePromise<T> = T | Promise<T>
interface EntityGuardOptions {
  readonly scanner: TextScanner
  readonly find: EntityFinder
  readonly threshold: number
  readonly onError: 'fail' | 'skip'
}

/**
 * A guard in one run that also asks a callback: every hook waits until the callback has seen the texts that are new,
 * and then does what a {@link GuardRun} does. In the stream a part is held until its end, unless it is left unchanged.
 */
export class EntityGuardRun {
  readonly #run: GuardRun
  readonly #entities: KnownEntities
  readonly #skips: boolean
  readonly #held = new Map<string, string>()
  /** What the callback threw for a text that has passed without it. */
  #failure: { error: unknown } | undefined

  constructor(settings: GuardSettings, { scanner, find, threshold, onError }: EntityGuardOptions) {
    const entities = new KnownEntities(find, { id: settings.id, threshold })
    this.#entities = entities
    this.#skips = onError === 'skip'
    this.#run = new GuardRun(settings, new EntityScanner(scanner, (text) => entities.in(text)))
  }

  input(args: ProcessInputArgs): MaybePromise<MessageList | undefined> {
    const { messages, messageList } = args
    const own = messages.filter(({ id }) => messageList.originOf(id) === 'input')
    return this.#after(own.flatMap(textsOf), args, () => this.#run.input(args))
  }

  inputStep(args: ProcessInputStepArgs): MaybePromise<ProcessInputStepReturn> {
    const { messages, messageList } = args
    const unknown = messages.filter(
      (message) =>
        this.#run.messages.watches(messageList.originOf(message.id)) &&
        !this.#run.messages.isKnownAs(message),
    )
    return this.#after(unknown.flatMap(textsOf), args, () => this.#run.inputStep(args))
  }

  chunk(part: ChunkType, control: ChunkControl): MaybePromise<ChunkType | readonly ChunkType[] | null> {
    switch (part.type) {
      case 'step-start':
        this.#held.clear()
        return this.#after(this.#run.messages.unseen(control.messageList).flatMap(textsOf), control, () =>
          this.#run.chunk(part, control),
        )
      case 'text-delta':
      case 'reasoning-delta':
      case 'tool-input-delta':
        return this.#delta(part, control)
      case 'text-end':
      case 'reasoning-end':
      case 'tool-input-end':
        return this.#end(part, control)
      case 'step-finish':
        if (this.#failure) {
          const { error } = this.#failure
          this.#failure = undefined
          throw error
        }
        return this.#pass(part, control)
      default:
        return this.#pass(part, control)
    }
  }

  toolCall(args: ProcessToolCallArgs): MaybePromise<ProcessToolCallResult> {
    const { toolCallId, input } = args.toolCall
    const texts = this.#textsIn(input, { kind: 'tool-input', field: 'input', toolCallId })
    return this.#after(texts, args, () => this.#run.toolCall(args))
  }

  execution(args: ProcessExecutionArgs): MaybePromise<ProcessExecutionResult> {
    const texts = args.direction === 'in' ? [] : this.#textsIn(args.value, resultOf(args))
    return this.#after(texts, args, () => this.#run.execution(args))
  }

  toolResult(args: ProcessToolResultArgs): MaybePromise<ProcessToolResultResult> {
    const texts = this.#textsIn(args.status === 'success' ? args.output : args.error, resultOf(args))
    return this.#after(texts, args, () => this.#run.toolResult(args))
  }

  outputStep(args: Pick<ProcessOutputStepArgs, 'messages'>): void {
    this.#run.outputStep(args)
  }

  outputResult(args: ProcessOutputResultArgs): MaybePromise<MessageList | undefined> {
    const texts = args.messages.flatMap(({ content }) => [
      ...content.parts.flatMap((part) => this.#textsOf(part, { again: true })),
      ...this.#textsIn(content.metadata, { kind: 'data', field: 'metadata' }, { again: true }),
    ])
    texts.push(...this.#run.messages.unseen(args.messageList).flatMap(textsOf))
    return this.#after(texts, args, () => this.#run.outputResult(args))
  }

  /** Takes a chunk through with what is in it as a whole. */
  #pass(part: ChunkType, control: ChunkControl): ReturnType<EntityGuardRun['chunk']> {
    return this.#after(this.#textsOfChunk(part), control, () => this.#run.chunk(part, control))
  }

  #delta(part: Delta, control: ChunkControl): ReturnType<EntityGuardRun['chunk']> {
    if (!this.#run.inspects(part)) return this.#pass(part, control)
    const key = keyOf(part)
    const delta = part.type === 'tool-input-delta' ? part.inputTextDelta : part.textDelta
    this.#held.set(key, (this.#held.get(key) ?? '') + delta)
    if (this.#run.changes && !part.providerMetadata) return null
    const left = this.#run.changes ? emptied(part) : part
    return this.#after(this.#textsOfChunk(part), control, () => this.#run.provider(left, control.abort))
  }

  #end(part: End, control: ChunkControl): ReturnType<EntityGuardRun['chunk']> {
    const key = keyOf(part)
    const text = this.#held.get(key)
    this.#held.delete(key)
    if (text === undefined) return this.#pass(part, control)
    const delta = deltaBefore(part, text)
    const json = part.type === 'text-end' ? this.#run.structured : part.type === 'tool-input-end'
    const texts = [...stringsIn(text, json), ...this.#textsOfChunk(part)]
    const goOn = (): readonly ChunkType[] => {
      const out = [...listOf(this.#run.chunk(delta, control)), ...listOf(this.#run.chunk(part, control))]
      return this.#run.changes ? out : [part]
    }
    const unknown = this.#entities.unknownOf(texts)
    if (unknown.length === 0) return goOn()
    return this.#entities.look(unknown, control.abortSignal).then(goOn, (error) => {
      if (!this.#skips) throw error
      // Throwing here would lose the text: it passes the recognisers, and the end of the step says what was skipped.
      this.#failure ??= { error }
      this.#entities.pass(unknown)
      return goOn()
    })
  }

  #textsOfChunk(part: ChunkType): string[] {
    if (isWhole(part)) return this.#textsOf(part)
    const metadata = 'providerMetadata' in part ? part.providerMetadata : undefined
    return this.#textsIn(metadata, { kind: 'provider', field: 'providerMetadata' })
  }

  /** The texts of a part of this run that are to be inspected. */
  #textsOf(part: { type: string }, { again = false }: { again?: boolean } = {}): string[] {
    const texts: string[] = []
    rewritePart(part, (value, at) => {
      texts.push(...this.#textsIn(value, at, { again }))
      return value
    })
    return texts
  }

  #textsIn(value: unknown, at: ValuePlace, { again = false }: { again?: boolean } = {}): string[] {
    if (value === undefined || !this.#run.isToDo(value, at)) return []
    const texts = textsIn(value).filter((text) => !again || !this.#run.hasPassed(text, at))
    const isJson = at.kind === 'text' && this.#run.structured === true
    return isJson ? texts.flatMap((text) => stringsIn(text, true)) : texts
  }

  /** Does what is to be done as soon as all texts are known: at once, where they are. */
  #after<T>(
    texts: readonly string[],
    { abortSignal }: Pick<ChunkControl, 'abortSignal'>,
    then: () => T,
  ): MaybePromise<T> {
    const unknown = this.#entities.unknownOf(texts)
    return unknown.length === 0 ? then() : this.#entities.look(unknown, abortSignal).then(then)
  }
}

/** What a scan of this text is given to see. */
function stringsIn(text: string, json: boolean | undefined): string[] {
  const collector = new TextCollector()
  const guarded = new GuardedText({ scanner: collector, json, onMatch: () => {} })
  guarded.push(text)
  guarded.end()
  return collector.texts
}

function textsOf(message: Message): string[] {
  const texts: string[] = []
  rewriteMessage(message, (value) => {
    texts.push(...textsIn(value))
    return value
  })
  return texts
}

function textsIn(value: unknown): string[] {
  const texts: string[] = []
  rewriteJson(value, (text) => {
    texts.push(text)
    return text
  })
  return texts
}

function resultOf({ toolCall }: { toolCall: { toolCallId: string } }): ValuePlace {
  return { kind: 'tool-result', field: 'output', toolCallId: toolCall.toolCallId }
}

function emptied(part: Delta): Delta {
  return part.type === 'tool-input-delta' ? { ...part, inputTextDelta: '' } : { ...part, textDelta: '' }
}

function listOf(chunks: ChunkType | readonly ChunkType[] | null): readonly ChunkType[] {
  if (chunks === null) return []
  return 'type' in chunks ? [chunks] : chunks
}
