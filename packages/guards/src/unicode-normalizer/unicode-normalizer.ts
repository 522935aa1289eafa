import {
  type Chunk,
  type Message,
  type MessageList,
  type OptionNames,
  PerRun,
  type ProcessInputArgs,
  type ProcessInputStepArgs,
  type ProcessInputStepReturn,
  type ProcessOutputResultArgs,
  type ProcessOutputStreamArgs,
  type Processor,
  type ProcessorArgs,
  type ProcessToolResultArgs,
  type ProcessToolResultResult,
  requireOneOf,
  requireOptions,
} from '@millrace/core'
import { rewriteValue } from '../guard/bytes/opened-value.ts'
import { rewriteMessage, type TextKind } from '../guard/message-text.ts'
import { SURFACES, type Surface } from '../guard/options.ts'
import { perform, type Task } from '../guard/task.ts'
import { slicesOf } from '../slices.ts'
import { collapse } from './collapse.ts'
import { resolveEscapes } from './json-escapes.ts'
import { foldLookAlikes, loadPrototypes, type Prototype } from './look-alikes.ts'
import { type NormalizeOptions, normalize } from './normalize.ts'
import { chain, type TextPass } from './text-pass.ts'

export interface UnicodeNormalizerOptions extends Omit<NormalizeOptions, 'whitespace'> {
  /** Identifies the processor in results, events and errors. Default: `'unicode-normalizer'`. */
  readonly id?: string
  /**
   * `'unify'`: one kind of space and one kind of line end. `'collapse'`: also one space for several, at most one empty
   * line, and no white space at the ends. `'keep'`: unchanged. Default: `'unify'`.
   */
  readonly whitespace?: 'keep' | 'unify' | 'collapse'
  /**
   * Turn characters that look like ASCII letters and digits into them, by Unicode TR39. `true` or `'mixed'`: in words
   * that also have ASCII letters. `'all'`: everywhere, at the cost of Cyrillic or Greek text. Default: `false`.
   */
  readonly lookAlikes?: boolean | 'mixed' | 'all'
  /** Which surfaces are normalized. Default: all. */
  readonly surfaces?: readonly Surface[]
  /** `'skip'` continues the run without the normalizer if it fails. Default: `'fail'`. */
  readonly onError?: 'fail' | 'skip'
}

const UNICODE_NORMALIZER_OPTIONS: OptionNames<UnicodeNormalizerOptions> = {
  form: 'optional',
  invisible: 'optional',
  id: 'optional',
  whitespace: 'optional',
  lookAlikes: 'optional',
  surfaces: 'optional',
  onError: 'optional',
}

interface Run {
  readonly seen: Map<string, Message>
  readonly open: Map<string, OpenText>
  /** Texts that were normalized in the stream. */
  readonly passed: Set<string>
  structured: boolean
}

interface OpenText {
  readonly pass: TextPass
  /** The output so far. */
  left: string
}

/** How the texts of a value are normalized: not at all, as prose, or as JSON. */
type Form = 'none' | 'prose' | 'json'

type TextDelta = Extract<Chunk, { type: 'text-delta' | 'reasoning-delta' }>

/**
 * Normalizes Unicode, so that later processors need not handle variants: NFKC, no invisible characters, ordinary
 * spaces. Emoji are preserved.
 */
export class UnicodeNormalizer implements Processor {
  readonly id: string
  readonly onError: 'fail' | 'skip'
  readonly #surfaces: ReadonlySet<Surface>
  readonly #options: UnicodeNormalizerOptions
  readonly #scope: 'mixed' | 'all' | undefined
  readonly #runs = new PerRun<Run>()
  #prototypeOf: Prototype | undefined

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(given: UnicodeNormalizerOptions = {}) {
    const options = requireOptions('UnicodeNormalizer', given, UNICODE_NORMALIZER_OPTIONS)
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
    return this.#with(args, (run) => perform(this.#input(args, run)))
  }

  processInputStep(args: ProcessInputStepArgs): ProcessInputStepReturn | Promise<ProcessInputStepReturn> {
    return this.#with(args, (run) => perform(this.#step(args, run)))
  }

  processOutputStream(
    args: ProcessOutputStreamArgs,
  ): Chunk | readonly Chunk[] | null | Promise<Chunk | readonly Chunk[] | null> {
    const { part } = args
    return this.#with(args, (run) => perform(this.#chunk(part, run)))
  }

  processToolResult(args: ProcessToolResultArgs): ProcessToolResultResult | Promise<ProcessToolResultResult> {
    if (!this.#surfaces.has('tool-result')) return undefined
    return this.#with(args, (run) => perform(this.#toolResult(args, run)))
  }

  processOutputResult(
    args: ProcessOutputResultArgs,
  ): MessageList | undefined | Promise<MessageList | undefined> {
    return this.#with(args, (run) => perform(this.#result(args, run)))
  }

  /** Loads the table of look-alikes if it is used. */
  async warmUp(): Promise<void> {
    if (this.#scope !== undefined) this.#prototypeOf ??= await loadPrototypes()
    await perform(this.#whole(SAMPLE))
  }

  /** Calls `use` with the state of the run: at once, unless the table of look-alikes has to be loaded. */
  #with<T>({ state }: ProcessorArgs, use: (run: Run) => T | Promise<T>): T | Promise<T> {
    let run = this.#runs.get(state)
    if (!run) {
      run = { seen: new Map(), open: new Map(), passed: new Set(), structured: false }
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

  /** Normalizes a whole text in slices, yielding to the event loop in between. */
  *#whole(text: string, json = false): Task<string> {
    const open = { pass: this.#begin(json), left: '' }
    yield* take(open, text)
    return open.left + open.pass.end()
  }

  /** A JSON value with all its texts normalized. */
  *#value(value: unknown, { passed }: Run): Task<unknown> {
    const texts: string[] = []
    rewriteValue(value, (text) => {
      texts.push(text)
      return text
    })
    const left: string[] = []
    for (const text of texts) {
      const normalized = passed.has(text) ? text : yield* this.#whole(text)
      // Several hooks get the same value.
      passed.add(normalized)
      left.push(normalized)
    }
    let next = 0
    return rewriteValue(value, () => left[next++] as string)
  }

  /** A message with its texts normalized as their kind requires. */
  *#rewritten(
    message: Message,
    formOf: (kind: TextKind) => Form,
    passed?: ReadonlySet<string>,
  ): Task<Message> {
    const texts: { text: string; json: boolean }[] = []
    const rewrite = (onText: (text: string, json: boolean) => string): Message =>
      rewriteMessage(message, (value, { kind, field, mediaType }) => {
        const form = field === 'address' ? 'none' : formOf(kind)
        if (form === 'none') return value
        return rewriteValue(value, (text) => onText(text, form === 'json'), { mediaType })
      })
    rewrite((text, json) => {
      texts.push({ text, json })
      return text
    })
    const left: string[] = []
    for (const { text, json } of texts) left.push(passed?.has(text) ? text : yield* this.#whole(text, json))
    let next = 0
    return rewrite(() => left[next++] as string)
  }

  *#toolResult({ status, output, error }: ProcessToolResultArgs, run: Run): Task<ProcessToolResultResult> {
    if (status !== 'success') return error === undefined ? undefined : { error: yield* this.#whole(error) }
    const left = yield* this.#value(output, run)
    return left === output ? undefined : { output: left }
  }

  *#input({ messages, messageList }: ProcessInputArgs, run: Run): Task<MessageList | undefined> {
    if (!this.#surfaces.has('input')) return undefined
    let changed = false
    for (const message of messages) {
      if (messageList.originOf(message.id) !== 'input') continue
      const left = yield* this.#message(message, run)
      if (left !== message) messageList.replace(left)
      changed ||= left !== message
    }
    return changed ? messageList : undefined
  }

  *#step(
    { messages, messageList, structuredOutput }: ProcessInputStepArgs,
    run: Run,
  ): Task<ProcessInputStepReturn> {
    run.structured = structuredOutput !== undefined
    let changed = false
    const view: Message[] = []
    for (const message of messages) {
      const origin = messageList.originOf(message.id)
      const isOurs = origin !== 'response' && this.#surfaces.has(origin === 'input' ? 'input' : 'history')
      const left = isOurs ? yield* this.#message(message, run) : message
      if (left !== message && messageList.find(message.id) === message) messageList.replace(left)
      changed ||= left !== message
      view.push(left)
    }
    return changed ? view : undefined
  }

  *#message(message: Message, run: Run): Task<Message> {
    if (run.seen.get(message.id) === message) return message
    const left = yield* this.#rewritten(message, (kind) =>
      kind === 'data' || kind === 'provider' ? 'none' : 'prose',
    )
    run.seen.set(message.id, left)
    return left
  }

  *#chunk(part: Chunk, run: Run): Task<Chunk | readonly Chunk[] | null> {
    switch (part.type) {
      case 'step-start':
        run.open.clear()
        return part
      case 'text-delta':
        return yield* this.#delta(part, { run, surface: run.structured ? 'object' : 'answer' })
      case 'reasoning-delta':
        return yield* this.#delta(part, { run, surface: 'reasoning' })
      case 'text-end':
      case 'reasoning-end': {
        const type = part.type === 'text-end' ? 'text-delta' : 'reasoning-delta'
        const textDelta = end(run, `${type} ${part.id}`)
        return textDelta === '' ? part : [{ type, id: part.id, textDelta }, part]
      }
      case 'tool-input-delta': {
        if (!this.#surfaces.has('tool-input')) return part
        const open = this.#opened(run, `input ${part.toolCallId}`, true)
        const inputTextDelta = yield* take(open, part.inputTextDelta)
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
        return yield* this.#tool(part, run)
      default:
        return part
    }
  }

  *#delta(part: TextDelta, { run, surface }: { run: Run; surface: Surface }): Task<Chunk | null> {
    if (!this.#surfaces.has(surface)) return part
    const open = this.#opened(run, `${part.type} ${part.id}`, surface === 'object')
    const textDelta = yield* take(open, part.textDelta)
    if (textDelta === part.textDelta) return part
    return textDelta === '' && !part.providerMetadata ? null : { ...part, textDelta }
  }

  #opened(run: Run, key: string, json: boolean): OpenText {
    let open = run.open.get(key)
    if (!open) {
      open = { pass: this.#begin(json), left: '' }
      run.open.set(key, open)
    }
    return open
  }

  *#tool(part: Extract<Chunk, { type: 'tool-call' | 'tool-result' | 'tool-error' }>, run: Run): Task<Chunk> {
    let left = part
    if (this.#surfaces.has('tool-input')) {
      const input = yield* this.#value(part.input, run)
      if (input !== part.input) left = { ...left, input }
    }
    if (!this.#surfaces.has('tool-result')) return left
    if (left.type === 'tool-result') {
      const output = yield* this.#value(left.output, run)
      if (output !== left.output) left = { ...left, output }
    } else if (left.type === 'tool-error') {
      const error = yield* this.#whole(left.error)
      if (error !== left.error) left = { ...left, error }
    }
    return left
  }

  /** Normalizes text that was not in the stream, such as text that other processors added. */
  *#result({ messages, messageList }: ProcessOutputResultArgs, run: Run): Task<MessageList | undefined> {
    const formOf = (kind: TextKind): Form => {
      if (kind === 'data' || kind === 'provider') return 'none'
      const isJson = kind === 'text' && run.structured
      const surface = kind !== 'text' ? kind : isJson ? 'object' : 'answer'
      if (!this.#surfaces.has(surface)) return 'none'
      return isJson ? 'json' : 'prose'
    }
    let changed = false
    for (const message of messages) {
      const left = yield* this.#rewritten(message, formOf, run.passed)
      if (left !== message) messageList.replace(left)
      changed ||= left !== message
    }
    return changed ? messageList : undefined
  }
}

/** A Latin text with one Cyrillic letter. */
const SAMPLE = 'The quick brown f\u043ex jumps over the lazy dog.'

/** Takes the next chunk of a text. Returns the output. */
function* take(open: OpenText, piece: string): Task<string> {
  let out = ''
  for (const slice of slicesOf(piece)) {
    out += open.pass.push(slice)
    yield slice.length
  }
  open.left += out
  return out
}

function end({ open, passed }: Run, key: string): string {
  const text = open.get(key)
  open.delete(key)
  if (!text) return ''
  const tail = text.pass.end()
  passed.add(text.left + tail)
  return tail
}
