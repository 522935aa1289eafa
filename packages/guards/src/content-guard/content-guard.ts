import {
  type Message,
  type MessageList,
  type MessagePart,
  MillraceError,
  type OptionNames,
  PerRun,
  type ProcessInputArgs,
  type ProcessOutputResultArgs,
  type ProcessOutputStreamArgs,
  type ProcessOutputStreamResult,
  type Processor,
  requireOneOf,
  requireOptions,
} from '@millrace/core'
import { type Control, endRun } from '../guard/end-run.ts'
import { checkResponse, type Finding, type Surface } from '../guard/options.ts'
import { perform, type Task } from '../guard/task.ts'
import { pushInSlices, slicesOf } from '../slices.ts'
import { type LengthLimit, LengthMeter, type LengthUnit } from './length-meter.ts'

export interface ContentGuardOptions {
  /** Identifies the processor in results, events and errors. Default: `'content-guard'`. */
  readonly id?: string
  /** The maximum length of a message in this turn's input. 0: no limit. Default: no limit. */
  readonly maxInputLength?: number
  /** The maximum length of the answer, over all steps of the run. 0: no limit. Default: no limit. */
  readonly maxOutputLength?: number
  /** The unit of lengths. `'grapheme'` counts what a reader sees as one character. Default: `'code-point'`. */
  readonly unit?: LengthUnit
  /**
   * The maximum size of a message in UTF-8 bytes, in addition to the length. Default: 4 for each code point, 32 for
   * each grapheme.
   */
  readonly maxInputBytes?: number
  /**
   * The maximum size of the answer in UTF-8 bytes, in addition to the length. Default: 4 for each code point, 32 for
   * each grapheme.
   */
  readonly maxOutputBytes?: number
  /** `'block'`, `'halt'`, `'truncate'` or `'warn'`. Default: `'block'`. */
  readonly strategy?: LengthStrategy
  /**
   * The answer of a halted run: a text, or a function of the finding. Only with `'halt'`. Default: a sentence that
   * declines.
   */
  readonly response?: string | ((finding: LengthFinding) => string)
  /** What is limited. Default: `['input', 'answer']`. */
  readonly surfaces?: readonly ('input' | 'answer')[]
  /** `'monitor'` reports and changes nothing. Default: `'enforce'`. */
  readonly mode?: 'enforce' | 'monitor'
  /** Called once for each text that is too long. `start` is the limit, `end` the length that had arrived by then. */
  readonly onDetection?: (finding: LengthFinding) => void
  /** `'skip'` continues the run without the guard if the guard fails. Default: `'fail'`. */
  readonly onError?: 'fail' | 'skip'
}

const CONTENT_GUARD_OPTIONS: OptionNames<ContentGuardOptions> = {
  id: 'optional',
  maxInputLength: 'optional',
  maxOutputLength: 'optional',
  unit: 'optional',
  maxInputBytes: 'optional',
  maxOutputBytes: 'optional',
  strategy: 'optional',
  response: 'optional',
  surfaces: 'optional',
  mode: 'optional',
  onDetection: 'optional',
  onError: 'optional',
}

type LengthStrategy = 'block' | 'halt' | 'truncate' | 'warn'

export type LengthFinding = Omit<Finding, 'strategy'> & { readonly strategy: LengthStrategy }

interface Run {
  /** How much of the limit the answer has used: now, and when the step began. */
  used: { length: number; bytes: number }
  atStep: { number: number; used: { length: number; bytes: number } } | undefined
  readonly texts: Map<string, { meter: LengthMeter; place: number; isReported: boolean }>
  isReported: boolean
}

const BYTES_PER: Record<LengthUnit, number> = { 'code-point': 4, grapheme: 32 }

/** Limits the length of messages and answers. */
export class ContentGuard implements Processor {
  readonly id: string
  readonly onError: 'fail' | 'skip'
  readonly processInput?: NonNullable<Processor['processInput']>
  readonly processOutputStream?: NonNullable<Processor['processOutputStream']>
  readonly processOutputResult?: NonNullable<Processor['processOutputResult']>
  readonly #strategy: LengthStrategy
  readonly #enforced: boolean
  readonly #onDetection: ContentGuardOptions['onDetection']
  readonly #response: ContentGuardOptions['response']
  readonly #runs = new PerRun<Run>()

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(given: ContentGuardOptions) {
    const options = requireOptions('ContentGuard', given, CONTENT_GUARD_OPTIONS)
    const {
      id = 'content-guard',
      strategy = 'block',
      unit = 'code-point',
      mode = 'enforce',
      onError = 'fail',
    } = options
    const { surfaces = ['input', 'answer'], maxInputBytes, maxOutputBytes } = options
    requireOneOf('strategy', strategy, ['block', 'halt', 'truncate', 'warn'])
    checkResponse(strategy, options.response)
    requireOneOf('mode', mode, ['enforce', 'monitor'])
    for (const surface of surfaces) requireOneOf('surfaces', surface, ['input', 'answer'])
    const input = limitOf(options.maxInputLength, { unit, bytes: maxInputBytes })
    const output = limitOf(options.maxOutputLength, { unit, bytes: maxOutputBytes })
    if (!input && !output) {
      throw new MillraceError(
        'CONFIG_INVALID',
        'ContentGuard has no limit. Pass maxInputLength or maxOutputLength.',
      )
    }
    this.id = id
    this.onError = onError
    this.#strategy = strategy
    this.#enforced = mode === 'enforce'
    this.#onDetection = options.onDetection
    this.#response = options.response
    if (input && surfaces.includes('input')) this.processInput = (args) => perform(this.#input(args, input))
    if (output && surfaces.includes('answer')) {
      this.processOutputStream = (args) => this.#chunk(args, output)
      this.processOutputResult = (args) => perform(this.#result(args, output))
    }
  }

  *#input(
    { messages, messageList, ...control }: ProcessInputArgs,
    limit: LengthLimit,
  ): Task<MessageList | undefined> {
    let changed = false
    for (const message of messages) {
      if (messageList.originOf(message.id) !== 'input' || message.role !== 'user') continue
      const left = yield* this.#message(message, new LengthMeter(limit), (start, end) => {
        // A halted run is stored with its answer, so the message is truncated first.
        if (this.#enforced && this.#strategy === 'halt') messageList.replace(withinLimit(message, limit))
        this.#tooLong({ surface: 'input', messageId: message.id, start, end }, limit, control)
      })
      if (left !== message) messageList.replace(left)
      changed ||= left !== message
    }
    return changed ? messageList : undefined
  }

  #chunk(
    { part, abort, halt, state, stepNumber }: ProcessOutputStreamArgs,
    limit: LengthLimit,
  ): ProcessOutputStreamResult | Promise<ProcessOutputStreamResult> {
    const run = this.#run(state)
    if (part.type === 'step-start') {
      run.texts.clear()
      if (run.atStep?.number === stepNumber) run.used = run.atStep.used
      run.atStep = { number: stepNumber, used: run.used }
      return part
    }
    if (part.type !== 'text-delta' && part.type !== 'text-end') return part
    let text = run.texts.get(part.id)
    if (!text) {
      text = { meter: new LengthMeter(limit, run.used), place: 0, isReported: false }
      run.texts.set(part.id, text)
    }
    const open = text
    const { meter } = open
    const wasOver = meter.isOver
    const passed = (textDelta: string): ProcessOutputStreamResult => {
      open.place += textDelta.length
      run.used = meter.used
      if (meter.isOver && !wasOver) {
        run.isReported = true
        const isDelta = part.type === 'text-delta'
        const end = open.place + Math.max(1, isDelta ? part.textDelta.length - textDelta.length : 1)
        this.#tooLong({ surface: 'answer', start: open.place, end }, limit, { abort, halt })
      }
      if (part.type === 'text-end') run.texts.delete(part.id)
      if (!this.#truncates) return part
      if (part.type === 'text-end')
        return textDelta === '' ? part : [{ type: 'text-delta', id: part.id, textDelta }, part]
      if (textDelta === part.textDelta) return part
      return textDelta === '' && !part.providerMetadata ? null : { ...part, textDelta }
    }
    if (part.type === 'text-end') return passed(meter.end())
    const out = pushInSlices(part.textDelta, (slice) => meter.push(slice))
    return typeof out === 'string' ? passed(out) : out.then(passed)
  }

  /** Limits text that was not in the stream, such as text that other processors added. */
  *#result(
    { messages, messageList, abort, halt, state }: ProcessOutputResultArgs,
    limit: LengthLimit,
  ): Task<MessageList | undefined> {
    let used = { length: 0, bytes: 0 }
    let changed = false
    const { isReported } = this.#run(state)
    for (const message of messages) {
      if (message.role !== 'assistant') continue
      const meter = new LengthMeter(limit, used)
      const left = yield* this.#message(message, meter, (start, end) => {
        if (!isReported)
          this.#tooLong({ surface: 'answer', messageId: message.id, start, end }, limit, { abort, halt })
      })
      used = meter.used
      if (left !== message) messageList.replace(left)
      changed ||= left !== message
    }
    return changed ? messageList : undefined
  }

  /** Limits a message. Text parts that do not fit are removed. */
  *#message(
    message: Message,
    meter: LengthMeter,
    onOver: (start: number, end: number) => void,
  ): Task<Message> {
    const { parts } = message.content
    const left: MessagePart[] = []
    for (const part of parts) {
      if (part.type !== 'text') {
        left.push(part)
        continue
      }
      const wasOver = meter.isOver
      let text = ''
      for (const slice of slicesOf(part.text)) {
        text += meter.push(slice)
        yield slice.length
      }
      text += meter.end()
      if (meter.isOver && !wasOver) onOver(text.length, part.text.length)
      if (!this.#truncates || text === part.text) left.push(part)
      else if (text !== '') left.push({ ...part, text })
    }
    const isSame = left.length === parts.length && left.every((part, index) => part === parts[index])
    return isSame ? message : { ...message, content: { ...message.content, parts: left } }
  }

  get #truncates(): boolean {
    return this.#enforced && this.#strategy === 'truncate'
  }

  #run(state: object): Run {
    let run = this.#runs.get(state)
    if (!run) {
      run = { used: { length: 0, bytes: 0 }, atStep: undefined, texts: new Map(), isReported: false }
      this.#runs.set(state, run)
    }
    return run
  }

  #tooLong(
    place: { surface: Surface; start: number; end: number; messageId?: string },
    limit: LengthLimit,
    control: Control,
  ): void {
    const strategy = this.#strategy
    const detection = { type: 'length', score: 1, recognizer: this.id, start: place.start, end: place.end }
    const finding = { ...detection, ...place, processorId: this.id, strategy, enforced: this.#enforced }
    this.#onDetection?.(finding)
    if (!this.#enforced || (strategy !== 'block' && strategy !== 'halt')) return
    const what = place.surface === 'input' ? 'A message' : 'The answer'
    const unit = limit.unit === 'grapheme' ? 'graphemes' : 'code points'
    endRun(control, {
      strategy,
      reason: `${what} is longer than ${limit.length} ${unit} or ${limit.bytes} bytes.`,
      metadata: { surface: place.surface, detections: [detection] },
      finding,
      response: this.#response,
    })
  }
}

/** The message with as much of its text as fits. */
function withinLimit(message: Message, limit: LengthLimit): Message {
  const meter = new LengthMeter(limit)
  const parts = message.content.parts.map(
    (part): MessagePart =>
      part.type === 'text' ? { ...part, text: meter.push(part.text) + meter.end() } : part,
  )
  return { ...message, content: { ...message.content, parts } }
}

function limitOf(
  length = 0,
  { unit, bytes }: { unit: LengthUnit; bytes: number | undefined },
): LengthLimit | undefined {
  for (const value of [length, bytes ?? 0]) {
    if (value === Number.POSITIVE_INFINITY || (Number.isInteger(value) && value >= 0)) continue
    throw new MillraceError(
      'CONFIG_INVALID',
      `A length limit is ${value}. Use an integer of at least 0. 0 is no limit.`,
    )
  }
  if (length === 0 && bytes === undefined) return undefined
  if (BYTES_PER[unit] === undefined) {
    throw new MillraceError('CONFIG_INVALID', `unit is '${unit}'. Use 'code-point' or 'grapheme'.`)
  }
  const most = length === 0 ? Number.POSITIVE_INFINITY : length
  return { length: most, unit, bytes: bytes ?? BYTES_PER[unit] * most }
}
