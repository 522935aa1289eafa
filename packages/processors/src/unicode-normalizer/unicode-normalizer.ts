import type {
  ChunkType,
  Message,
  MessageList,
  ProcessInputArgs,
  ProcessInputStepArgs,
  ProcessInputStepReturn,
  ProcessOutputResultArgs,
  ProcessOutputStreamArgs,
  Processor,
  ProcessorArgs,
  ProcessToolResultArgs,
  ProcessToolResultResult,
} from '@millrace/core'
import { MillraceError } from '@millrace/core'
import { rewriteJson } from '../guard/json-value.ts'
import { rewriteMessage } from '../guard/message-text.ts'
import { SURFACES, type Surface } from '../guard/options.ts'
import { collapse } from './collapse.ts'
import { resolveEscapes } from './json-escapes.ts'
import { foldLookAlikes, loadPrototypes, type Prototype } from './look-alikes.ts'
import { type NormalizeOptions, normalize } from './normalize.ts'
import { chain, passWhole, type TextPass } from './text-pass.ts'

export interface UnicodeNormalizerOptions extends Omit<NormalizeOptions, 'whitespace'> {
  /** Default: `unicode-normalizer`. */
  readonly id?: string
  /**
   * `unify` makes every kind of space a space, and every kind of line end a line feed; `collapse` also makes one space
   * of several, leaves at most one empty line, and trims. Default: `unify`.
   */
  readonly whitespace?: 'keep' | 'unify' | 'collapse'
  /**
   * Whether characters that look like ASCII letters and digits become them, by Unicode TR39: `mixed`, which is what
   * `true` means, in words that have ASCII letters too; `all`, everywhere, at the cost of text in Cyrillic or Greek.
   * Default: false.
   */
  readonly lookAlikes?: boolean | 'mixed' | 'all'
  /** Default: all. */
  readonly surfaces?: readonly Surface[]
  readonly onError?: 'fail' | 'skip'
}

interface Run {
  readonly seen: Map<string, Message>
  readonly open: Map<string, TextPass>
  structured: boolean
}

type TextDelta = Extract<ChunkType, { type: 'text-delta' | 'reasoning-delta' }>

/**
 * Writes text in one way, so that what follows need not know the others: NFKC, without what is not seen, with ordinary
 * spaces. Emoji stay whole.
 */
export class UnicodeNormalizer implements Processor {
  readonly id: string
  readonly onError: 'fail' | 'skip'
  readonly #surfaces: ReadonlySet<Surface>
  readonly #options: UnicodeNormalizerOptions
  readonly #scope: 'mixed' | 'all' | undefined
  readonly #runs = new WeakMap<object, Run>()
  #prototypeOf: Prototype | undefined

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(options: UnicodeNormalizerOptions = {}) {
    const { id = 'unicode-normalizer', surfaces = SURFACES, lookAlikes = false, onError = 'fail' } = options
    const { form = 'NFKC', whitespace = 'unify' } = options
    requireOneOf('form', form, ['NFC', 'NFKC', false])
    requireOneOf('whitespace', whitespace, ['keep', 'unify', 'collapse'])
    requireOneOf('lookAlikes', lookAlikes, [true, false, 'mixed', 'all'])
    for (const surface of surfaces) requireOneOf('surfaces', surface, SURFACES)
    this.id = id
    this.onError = onError
    this.#surfaces = new Set(surfaces)
    this.#options = options
    this.#scope = lookAlikes === true ? 'mixed' : lookAlikes === false ? undefined : lookAlikes
  }

  processInput(args: ProcessInputArgs): MessageList | undefined | Promise<MessageList | undefined> {
    return this.#with(args, (run) => this.#input(args, run))
  }

  processInputStep(args: ProcessInputStepArgs): ProcessInputStepReturn | Promise<ProcessInputStepReturn> {
    return this.#with(args, (run) => this.#step(args, run))
  }

  processOutputStream(
    args: ProcessOutputStreamArgs,
  ): ChunkType | readonly ChunkType[] | null | Promise<ChunkType | readonly ChunkType[] | null> {
    const { part } = args
    return this.#with(args, (run) => this.#chunk(part, run))
  }

  processToolResult(args: ProcessToolResultArgs): ProcessToolResultResult | Promise<ProcessToolResultResult> {
    const { status, output, error } = args
    if (!this.#surfaces.has('tool-result')) return undefined
    return this.#with(args, () => {
      if (status !== 'success') return error === undefined ? undefined : { error: this.#whole(error) }
      const left = rewriteJson(output, (text) => this.#whole(text))
      return left === output ? undefined : { output: left }
    })
  }

  processOutputResult(
    args: ProcessOutputResultArgs,
  ): MessageList | undefined | Promise<MessageList | undefined> {
    return this.#with(args, (run) => this.#result(args, run))
  }

  /** Goes on at once, unless the table of look-alikes has yet to be loaded. */
  #with<T>({ state }: ProcessorArgs, use: (run: Run) => T): T | Promise<T> {
    let run = this.#runs.get(state)
    if (!run) {
      run = { seen: new Map(), open: new Map(), structured: false }
      this.#runs.set(state, run)
    }
    const known = run
    if (this.#scope === undefined || this.#prototypeOf) return use(known)
    return loadPrototypes().then((prototypeOf) => {
      this.#prototypeOf = prototypeOf
      return use(known)
    })
  }

  #begin(json = false): TextPass {
    const { form, invisible, whitespace } = this.#options
    const passes = json ? [resolveEscapes()] : []
    passes.push(
      normalize({
        ...(form !== undefined && { form }),
        ...(invisible !== undefined && { invisible }),
        whitespace: whitespace === 'keep' ? 'keep' : 'unify',
      }),
    )
    if (this.#scope && this.#prototypeOf) passes.push(foldLookAlikes(this.#prototypeOf, this.#scope))
    if (whitespace === 'collapse') passes.push(collapse())
    return passes.length === 1 ? (passes[0] as TextPass) : chain(passes)
  }

  #whole(text: string, json = false): string {
    return passWhole(text, this.#begin(json))
  }

  #input({ messages, messageList }: ProcessInputArgs, run: Run): MessageList | undefined {
    if (!this.#surfaces.has('input')) return undefined
    let changed = false
    for (const message of messages) {
      if (messageList.originOf(message.id) !== 'input') continue
      const left = this.#message(message, run)
      if (left !== message) messageList.replace(left)
      changed ||= left !== message
    }
    return changed ? messageList : undefined
  }

  #step({ messages, messageList, structuredOutput }: ProcessInputStepArgs, run: Run): ProcessInputStepReturn {
    run.structured = structuredOutput !== undefined
    let changed = false
    const view = messages.map((message) => {
      const origin = messageList.originOf(message.id)
      if (origin === 'response' || !this.#surfaces.has(origin === 'input' ? 'input' : 'history'))
        return message
      const left = this.#message(message, run)
      if (left !== message && messageList.find(message.id) === message) messageList.replace(left)
      changed ||= left !== message
      return left
    })
    return changed ? view : undefined
  }

  #message(message: Message, run: Run): Message {
    if (run.seen.get(message.id) === message) return message
    const left = rewriteMessage(message, (value, { kind }) =>
      kind === 'data' || kind === 'provider' ? value : rewriteJson(value, (text) => this.#whole(text)),
    )
    run.seen.set(message.id, left)
    return left
  }

  #chunk(part: ChunkType, run: Run): ChunkType | readonly ChunkType[] | null {
    switch (part.type) {
      case 'step-start':
        run.open.clear()
        return part
      case 'text-delta':
        return this.#delta(part, { run, surface: run.structured ? 'object' : 'answer' })
      case 'reasoning-delta':
        return this.#delta(part, { run, surface: 'reasoning' })
      case 'text-end':
      case 'reasoning-end': {
        const type = part.type === 'text-end' ? 'text-delta' : 'reasoning-delta'
        const textDelta = end(run, `${type} ${part.id}`)
        return textDelta === '' ? part : [{ type, id: part.id, textDelta }, part]
      }
      case 'tool-input-delta': {
        if (!this.#surfaces.has('tool-input')) return part
        const inputTextDelta = this.#opened(run, `input ${part.toolCallId}`, true).push(part.inputTextDelta)
        if (inputTextDelta === part.inputTextDelta) return part
        return inputTextDelta === '' ? null : { ...part, inputTextDelta }
      }
      case 'tool-input-end': {
        const { toolCallId } = part
        const inputTextDelta = end(run, `input ${toolCallId}`)
        return inputTextDelta === '' ? part : [{ type: 'tool-input-delta', toolCallId, inputTextDelta }, part]
      }
      case 'tool-call':
      case 'tool-result':
      case 'tool-error':
        return this.#tool(part)
      default:
        return part
    }
  }

  #delta(part: TextDelta, { run, surface }: { run: Run; surface: Surface }): ChunkType | null {
    if (!this.#surfaces.has(surface)) return part
    const textDelta = this.#opened(run, `${part.type} ${part.id}`, surface === 'object').push(part.textDelta)
    if (textDelta === part.textDelta) return part
    return textDelta === '' && !part.providerMetadata ? null : { ...part, textDelta }
  }

  #opened(run: Run, key: string, json: boolean): TextPass {
    let pass = run.open.get(key)
    if (!pass) {
      pass = this.#begin(json)
      run.open.set(key, pass)
    }
    return pass
  }

  #tool(part: Extract<ChunkType, { type: 'tool-call' | 'tool-result' | 'tool-error' }>): ChunkType {
    const onText = (text: string): string => this.#whole(text)
    let left = part
    if (this.#surfaces.has('tool-input')) {
      const input = rewriteJson(part.input, onText)
      if (input !== part.input) left = { ...left, input }
    }
    if (!this.#surfaces.has('tool-result')) return left
    if (left.type === 'tool-result') {
      const output = rewriteJson(left.output, onText)
      if (output !== left.output) left = { ...left, output }
    } else if (left.type === 'tool-error') {
      const error = onText(left.error)
      if (error !== left.error) left = { ...left, error }
    }
    return left
  }

  /** For text that did not come through the stream: what other processors have added. */
  #result({ messages, messageList }: ProcessOutputResultArgs, run: Run): MessageList | undefined {
    let changed = false
    for (const message of messages) {
      const left = rewriteMessage(message, (value, { kind }) => {
        if (kind === 'data' || kind === 'provider') return value
        const isJson = kind === 'text' && run.structured
        const surface = kind !== 'text' ? kind : isJson ? 'object' : 'answer'
        return this.#surfaces.has(surface) ? rewriteJson(value, (text) => this.#whole(text, isJson)) : value
      })
      if (left !== message) messageList.replace(left)
      changed ||= left !== message
    }
    return changed ? messageList : undefined
  }
}

function end(run: Run, key: string): string {
  const pass = run.open.get(key)
  run.open.delete(key)
  return pass?.end() ?? ''
}

function requireOneOf(name: string, value: string | boolean, allowed: readonly (string | boolean)[]): void {
  if (allowed.includes(value)) return
  throw new MillraceError('CONFIG_INVALID', `${name} is '${value}'. Use one of: ${allowed.join(', ')}.`)
}
