import {
  type MessageList,
  type MessagePart,
  MillraceError,
  newestTurn,
  type OptionNames,
  PerRun,
  type ProcessInputStepArgs,
  type ProcessInputStepReturn,
  type ProcessOutputResultArgs,
  type ProcessOutputStreamArgs,
  type ProcessOutputStreamResult,
  type Processor,
  promptLimit,
  requireOneOf,
  requireOptions,
  type TextPart,
  type WarmUpArgs,
} from '@millrace/core'
import { type Control, checkResponse, endRun, type Finding, pushInSlices } from '@millrace/guards/guard'
import { definitionsOf } from './definitions.ts'
import { type Encoding, type EncodingName, encodingOf, loadEncoding } from './encoding.ts'
import { LimitedText, type TokenBudget } from './limited-text.ts'
import { MessageTokens } from './message-tokens.ts'
import { tokensInSlices, warmUpEncoding } from './text-tokens.ts'

export interface TokenLimiterProcessorOptions {
  /** Identifies the processor in results, events and errors. Default: `'token-limiter'`. */
  readonly id?: string
  /** The maximum number of tokens, for the prompt and for the answer separately. */
  readonly limit?: number
  /**
   * The maximum number of tokens of a prompt: system messages, history, input, and this run's tool calls. Default:
   * `limit`; without any limit, the context window.
   */
  readonly inputLimit?: number
  /** The maximum number of tokens of the answer's text, over all steps of the run. Default: `limit`. */
  readonly outputLimit?: number
  /** `'truncate'`, `'block'` or `'halt'`. Default: `'truncate'`. */
  readonly strategy?: TokenStrategy
  /**
   * The answer of a halted run: a text, or a function of the finding. Only with `'halt'`. Default: a sentence that
   * declines.
   */
  readonly response?: string | ((finding: TokenFinding) => string)
  /**
   * The encoding, or `'estimate'`. Default: the model's encoding; `o200k_base` if the limiter is in `outputProcessors`
   * only.
   */
  readonly encoding?: EncodingName | 'estimate'
  /** The id of the model whose encoding is used. Default: the run's model. */
  readonly model?: string
  /** The surfaces to limit. Default: `['input', 'answer']`. */
  readonly surfaces?: readonly ('input' | 'answer')[]
  /** `'monitor'` reports and changes nothing. Default: `'enforce'`. */
  readonly mode?: 'enforce' | 'monitor'
  /** Called for every prompt that is too long, and once for an answer that is too long. */
  readonly onDetection?: (finding: TokenFinding) => void
  /** `'skip'` continues the run without the limiter if it fails. Default: `'fail'`. */
  readonly onError?: 'fail' | 'skip'
}

const TOKEN_LIMITER_PROCESSOR_OPTIONS: OptionNames<TokenLimiterProcessorOptions> = {
  id: 'optional',
  limit: 'optional',
  inputLimit: 'optional',
  outputLimit: 'optional',
  strategy: 'optional',
  response: 'optional',
  encoding: 'optional',
  model: 'optional',
  surfaces: 'optional',
  mode: 'optional',
  onDetection: 'optional',
  onError: 'optional',
}

type TokenStrategy = 'truncate' | 'block' | 'halt'

/** A prompt or an answer that exceeds its limit. */
export interface TokenFinding extends Pick<Finding, 'type' | 'score' | 'processorId' | 'enforced'> {
  readonly surface: 'input' | 'answer'
  readonly strategy: TokenStrategy
  readonly limit: number
  /** The tokens of a prompt. Unknown for an answer, which is cut. */
  readonly tokens?: number
}

/** The limiter's state of a run. */
interface Run {
  encoding: Encoding | undefined
  budget: TokenBudget | undefined
  /** The budget when the step began: a discarded attempt gets back what it used. */
  atStep: { number: number; left: number } | undefined
  readonly texts: Map<string, { limited: LimitedText; left: string }>
  /** The tokens of texts that passed the stream completely, by text. */
  readonly passed: Map<string, number>
  /** Whether an answer that is too long was reported. */
  isReported: boolean
}

/**
 * Limits prompts and answers to a number of tokens; without one, prompts to the context window of the agent.
 *
 * Whole turns are removed from a prompt, oldest first. The newest user message and the messages of this run always stay;
 * if they alone exceed the limit, the run fails with `RUN_PROMPT_TOO_LONG`, with the number of tokens. The
 * transcript and what is stored keep all messages. The answer is cut at its limit.
 */
export class TokenLimiterProcessor implements Processor {
  readonly id: string
  readonly onError: 'fail' | 'skip'
  readonly #options: TokenLimiterProcessorOptions
  readonly #strategy: TokenStrategy
  readonly #enforced: boolean
  /** `undefined`: the room that the context window leaves. */
  readonly #inputLimit: number | undefined
  readonly #outputLimit: number
  readonly #runs = new PerRun<Run>()
  readonly #counters = new Map<Encoding, MessageTokens>()

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(given: number | TokenLimiterProcessorOptions = {}) {
    this.#options = requireOptions(
      'TokenLimiterProcessor',
      typeof given === 'number' ? { limit: given } : given,
      TOKEN_LIMITER_PROCESSOR_OPTIONS,
    )
    const { id = 'token-limiter', onError = 'fail', limit, inputLimit, outputLimit } = this.#options
    const { strategy = 'truncate', mode = 'enforce', surfaces = ['input', 'answer'] } = this.#options
    requireOneOf('strategy', strategy, ['truncate', 'block', 'halt'])
    checkResponse(strategy, this.#options.response)
    requireOneOf('mode', mode, ['enforce', 'monitor'])
    for (const surface of surfaces) requireOneOf('surfaces', surface, ['input', 'answer'])
    this.id = id
    this.onError = onError
    this.#enforced = mode === 'enforce'
    this.#strategy = strategy
    const limitOf = (surface: 'input' | 'answer', given: number | undefined): number =>
      surfaces.includes(surface) ? requireLimit(given ?? limit) : Number.POSITIVE_INFINITY
    const isByWindow = [limit, inputLimit, outputLimit].every((given) => given === undefined)
    if (isByWindow && !surfaces.includes('input')) {
      throw new MillraceError(
        'CONFIG_INVALID',
        'TokenLimiterProcessor has no limit for the answer. Pass a number of tokens.',
      )
    }
    this.#inputLimit = isByWindow ? undefined : limitOf('input', inputLimit)
    this.#outputLimit = limitOf('answer', outputLimit)
  }

  /** Loads the table of the encoding. */
  async warmUp({ model: { modelId } }: WarmUpArgs): Promise<void> {
    const { encoding, model = modelId } = this.#options
    await warmUpEncoding(encoding ?? encodingOf(model))
  }

  processInputStep(args: ProcessInputStepArgs): ProcessInputStepReturn | Promise<ProcessInputStepReturn> {
    const { encoding, model } = this.#options
    const name = encoding ?? encodingOf(model ?? args.model.modelId)
    const run = this.#run(args.state)
    if (run.encoding?.name === name) return this.#prompt(args, run.encoding)
    return loadEncoding(name).then((loaded) => {
      run.encoding = loaded
      return this.#prompt(args, loaded)
    })
  }

  processOutputStream(
    args: ProcessOutputStreamArgs,
  ): ProcessOutputStreamResult | Promise<ProcessOutputStreamResult> {
    const { part, abort, halt, stepNumber } = args
    const control = { abort, halt }
    if (this.#outputLimit === Number.POSITIVE_INFINITY) return part
    const run = this.#run(args.state)
    if (run.encoding) return this.#chunk(part, { run, encoding: run.encoding, control, stepNumber })
    return this.#load(run).then((encoding) => this.#chunk(part, { run, encoding, control, stepNumber }))
  }

  /** Limits text that was not in the stream, such as text that other processors added. */
  processOutputResult(
    args: ProcessOutputResultArgs,
  ): MessageList | undefined | Promise<MessageList | undefined> {
    if (this.#outputLimit === Number.POSITIVE_INFINITY) return undefined
    const run = this.#run(args.state)
    if (run.encoding) return this.#result(args, run.encoding)
    return this.#load(run).then((encoding) => this.#result(args, encoding))
  }

  #run(state: object): Run {
    let run = this.#runs.get(state)
    if (!run) {
      run = {
        encoding: undefined,
        budget: undefined,
        atStep: undefined,
        texts: new Map(),
        passed: new Map(),
        isReported: false,
      }
      this.#runs.set(state, run)
    }
    return run
  }

  async #load(run: Run): Promise<Encoding> {
    const { encoding, model } = this.#options
    run.encoding = await loadEncoding(encoding ?? (model === undefined ? 'o200k_base' : encodingOf(model)))
    return run.encoding
  }

  #prompt(
    args: ProcessInputStepArgs,
    encoding: Encoding,
  ): ProcessInputStepReturn | Promise<ProcessInputStepReturn> {
    const limit = this.#inputLimit
    if (limit === undefined) return this.#withinWindow(args, encoding)
    if (limit === Number.POSITIVE_INFINITY) return undefined
    const tokens = this.#counter(encoding)
    const counting = tokens.prepare(args.messages, args.systemMessages)
    const room = { limit, taken: 0 }
    return counting
      ? counting.then(() => this.#limited(args, tokens, room))
      : this.#limited(args, tokens, room)
  }

  async #withinWindow(args: ProcessInputStepArgs, encoding: Encoding): Promise<ProcessInputStepReturn> {
    const limit = promptLimit(args)
    if (limit === undefined) {
      throw new MillraceError(
        'CONFIG_INVALID',
        `'${this.id}' has no limit, and the agent no contextWindow. Pass contextWindow to the agent, or a number of tokens here.`,
      )
    }
    const tokens = this.#counter(encoding)
    const definitions = await definitionsOf(args)
    await tokens.prepare(args.messages, args.systemMessages, definitions)
    return this.#limited(args, tokens, { limit, taken: tokens.ofDefinitions(definitions) })
  }

  /** @param room `taken`: the tokens of everything but messages */
  #limited(
    args: ProcessInputStepArgs,
    tokens: MessageTokens,
    { limit, taken }: { limit: number; taken: number },
  ): ProcessInputStepReturn {
    const { messages, messageList, systemMessages } = args
    const counts = messages.map((message) => tokens.of(message))
    let total = taken + tokens.ofSystem(systemMessages)
    for (const count of counts) total += count
    if (total <= limit) return undefined
    const finding = this.#report('input', limit, total)
    if (!this.#enforced) return undefined
    this.#end(args, finding, `The prompt has ${total} tokens; the limit is ${limit}.`)

    const newest = newestTurn(messages, messageList)
    let start = 0
    while (start < newest && total > limit) {
      do total -= counts[start++] as number
      while (start < newest && messages[start]?.role !== 'user')
    }
    if (total > limit) {
      throw new MillraceError(
        'RUN_PROMPT_TOO_LONG',
        `'${this.id}': The system messages, the newest user message and what followed it have ${total} tokens; the limit is ${limit}. Raise the limit, or shorten the input, the instructions or the tool results.`,
      )
    }
    return messages.slice(start)
  }

  #counter(encoding: Encoding): MessageTokens {
    let counter = this.#counters.get(encoding)
    if (!counter) {
      counter = new MessageTokens(encoding)
      this.#counters.set(encoding, counter)
    }
    return counter
  }

  #budget(encoding: Encoding): TokenBudget {
    return { left: Math.floor(this.#outputLimit / encoding.factor) }
  }

  #chunk(
    part: ProcessOutputStreamArgs['part'],
    {
      run,
      encoding,
      control,
      stepNumber,
    }: Pick<ProcessOutputStreamArgs, 'stepNumber'> & { run: Run; encoding: Encoding; control: Control },
  ): ProcessOutputStreamResult | Promise<ProcessOutputStreamResult> {
    run.budget ??= this.#budget(encoding)
    const { budget } = run
    switch (part.type) {
      case 'step-start':
        run.texts.clear()
        if (run.atStep?.number === stepNumber) budget.left = run.atStep.left
        run.atStep = { number: stepNumber, left: budget.left }
        return part
      case 'text-delta': {
        let text = run.texts.get(part.id)
        if (!text) {
          text = { limited: new LimitedText(encoding, budget), left: '' }
          run.texts.set(part.id, text)
        }
        const open = text
        const passed = (textDelta: string): ProcessOutputStreamResult => {
          open.left += textDelta
          this.#requireRoom(open.limited, run, control)
          if (!this.#enforced || textDelta === part.textDelta) return part
          return textDelta === '' && !part.providerMetadata ? null : { ...part, textDelta }
        }
        const out = pushInSlices(part.textDelta, (slice) => open.limited.push(slice))
        return typeof out === 'string' ? passed(out) : out.then(passed)
      }
      case 'text-end': {
        const text = run.texts.get(part.id)
        run.texts.delete(part.id)
        const textDelta = text?.limited.end() ?? ''
        if (text) {
          this.#requireRoom(text.limited, run, control)
          if (!text.limited.isFull) run.passed.set(text.left + textDelta, text.limited.tokens)
        }
        return !this.#enforced || textDelta === ''
          ? part
          : [{ type: 'text-delta', id: part.id, textDelta }, part]
      }
      default:
        return part
    }
  }

  #requireRoom({ isFull }: LimitedText, run: Run, control: Control): void {
    if (!isFull) return
    const finding = this.#findingOf('answer', this.#outputLimit)
    if (!run.isReported) this.#options.onDetection?.(finding)
    run.isReported = true
    const reason = `The answer has more than ${this.#outputLimit} tokens, which is the limit.`
    if (this.#enforced) this.#end(control, finding, reason)
  }

  /** Ends the run with the strategies `block` and `halt`. */
  #end(control: Control, finding: TokenFinding, reason: string): void {
    const strategy = this.#strategy
    if (strategy === 'block') control.abort(reason)
    if (strategy !== 'halt') return
    endRun(control, { strategy, reason, metadata: {}, finding, response: this.#options.response })
  }

  #report(surface: 'input' | 'answer', limit: number, tokens?: number): TokenFinding {
    const finding = this.#findingOf(surface, limit, tokens)
    this.#options.onDetection?.(finding)
    return finding
  }

  #findingOf(surface: 'input' | 'answer', limit: number, tokens?: number): TokenFinding {
    return {
      type: 'tokens',
      score: 1,
      processorId: this.id,
      surface,
      strategy: this.#strategy,
      enforced: this.#enforced,
      limit,
      ...(tokens !== undefined && { tokens }),
    }
  }

  async #result(
    { messages, messageList, abort, halt, state }: ProcessOutputResultArgs,
    encoding: Encoding,
  ): Promise<MessageList | undefined> {
    // In `monitor` mode nothing is changed, and the finding was reported.
    if (!this.#enforced && this.#run(state).isReported) return undefined
    const budget = this.#budget(encoding)
    const control = { abort, halt }
    let changed = false
    for (const message of messages) {
      if (message.role !== 'assistant') continue
      const parts: MessagePart[] = []
      for (const part of message.content.parts) {
        parts.push(
          part.type === 'text' ? await this.#resultPart(part, { budget, encoding, control, state }) : part,
        )
      }
      if (parts.every((part, index) => part === message.content.parts[index])) continue
      changed = true
      messageList.replace({ ...message, content: { ...message.content, parts } })
    }
    return changed ? messageList : undefined
  }

  async #resultPart(
    part: TextPart,
    {
      budget,
      encoding,
      control,
      state,
    }: { budget: TokenBudget; encoding: Encoding; control: Control } & Pick<ProcessOutputResultArgs, 'state'>,
  ): Promise<TextPart> {
    const tokens = this.#run(state).passed.get(part.text) ?? (await tokensInSlices(part.text, encoding))
    if (tokens <= budget.left) {
      budget.left -= tokens
      return part
    }
    const limited = new LimitedText(encoding, budget)
    const text = (await pushInSlices(part.text, (slice) => limited.push(slice))) + limited.end()
    this.#requireRoom(limited, this.#run(state), control)
    return !this.#enforced || text === part.text ? part : { ...part, text }
  }
}

function requireLimit(limit = Number.POSITIVE_INFINITY): number {
  if (limit === Number.POSITIVE_INFINITY || (Number.isInteger(limit) && limit > 0)) return limit
  throw new MillraceError('CONFIG_INVALID', `A token limit is ${limit}. Use an integer of at least 1.`)
}
