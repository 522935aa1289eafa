import {
  type LanguageModel,
  type Message,
  type MessageList,
  MillraceError,
  type ModelSettings,
  type OptionNames,
  type ProcessInputArgs,
  type ProcessOutputResultArgs,
  type Processor,
  type ProcessorArgs,
  requireOptions,
  textOfParts,
} from '@millrace/core'
import { proseAnswers, userMessages } from '../rewriter/messages-to-rewrite.ts'
import { replaceText } from '../rewriter/replace-text.ts'
import { type Rewriter, rewriter } from '../rewriter/rewriter.ts'
import { beginningOf, CUT_MARK, cutParts } from './shorten.ts'

export interface LargeMessageSummarizerOptions {
  /** Identifies the processor in results, events and errors. Default: `'large-message-summarizer'`. */
  readonly id?: string
  /** The maximum length of a message, in UTF-16 units of text. Longer messages are shortened. Default: 1,000. */
  readonly maxLength?: number
  /** Writes a summary. Without a model the message is cut and ends in `... [summarized]`. */
  readonly model?: LanguageModel
  /** The instructions of the model, in addition to the maximum length. Default: a sentence. */
  readonly instructions?: string
  /** Settings of the model call. */
  readonly modelSettings?: ModelSettings
  /** Processors of its own model calls, such as a `CostGuard` with a `store` of its own. */
  readonly processors?: readonly Processor[]
  /** The timeout for one message, including retries, in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number
  /** If the model fails: `'cut'`, `'keep'` the message, or `'fail'` the run. Default: `'cut'`. */
  readonly onFailure?: 'cut' | 'keep' | 'fail'
  /** `'input'` is this turn's user messages. Default: `['answer']`. */
  readonly surfaces?: readonly ('answer' | 'input')[]
  /** Called for every message that was too long. */
  readonly onSummary?: (event: LargeMessageSummarizerEvent) => void
  /** `'skip'` continues the run without the processor if it fails. Default: `'fail'`. */
  readonly onError?: 'fail' | 'skip'
}

const LARGE_MESSAGE_SUMMARIZER_OPTIONS: OptionNames<LargeMessageSummarizerOptions> = {
  id: 'optional',
  maxLength: 'optional',
  model: 'optional',
  instructions: 'optional',
  modelSettings: 'open',
  processors: 'optional',
  timeoutMs: 'optional',
  onFailure: 'optional',
  surfaces: 'optional',
  onSummary: 'optional',
  onError: 'optional',
}

export interface LargeMessageSummarizerEvent {
  readonly processorId: string
  readonly messageId: string
  /** `kept`: the model failed, and the message is unchanged. */
  readonly how: 'summarized' | 'cut' | 'kept'
  /** The lengths of the text before and after, in UTF-16 units. */
  readonly originalLength: number
  readonly length: number
  /** The tokens that the model used. */
  readonly inputTokens: number
  readonly outputTokens: number
  /** The error, if the model's summary could not be used. */
  readonly failure?: unknown
}

const INSTRUCTIONS =
  'Summarise the text in its own language, from the point of view it is written from. Keep names, numbers, decisions and open questions.'

/**
 * Shortens long messages: as a whole, once the answer is complete, so a memory listed after it stores the short form.
 * The metadata of a shortened message has `summarized: true` and `originalLength`. Structured answers are not changed.
 */
export class LargeMessageSummarizer implements Processor {
  readonly id: string
  readonly onError: 'fail' | 'skip'
  readonly processInput?: NonNullable<Processor['processInput']>
  readonly processOutputResult?: NonNullable<Processor['processOutputResult']>
  readonly #maxLength: number
  readonly #summarize: Rewriter | undefined
  readonly #onFailure: 'cut' | 'keep' | 'fail'
  readonly #onSummary: LargeMessageSummarizerOptions['onSummary']

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(given: number | LargeMessageSummarizerOptions = {}) {
    const settings = requireOptions(
      'LargeMessageSummarizer',
      typeof given === 'number' ? { maxLength: given } : given,
      LARGE_MESSAGE_SUMMARIZER_OPTIONS,
    )
    const {
      id = 'large-message-summarizer',
      maxLength = 1_000,
      onFailure = 'cut',
      onError = 'fail',
    } = settings
    const { model, instructions = INSTRUCTIONS, modelSettings, processors, timeoutMs = 30_000 } = settings
    const { surfaces = ['answer'] } = settings
    if (!Number.isInteger(maxLength) || maxLength < 1) {
      throw new MillraceError('CONFIG_INVALID', `maxLength is ${maxLength}. Use an integer of at least 1.`)
    }
    if (!['cut', 'keep', 'fail'].includes(onFailure)) {
      throw new MillraceError('CONFIG_INVALID', `onFailure is '${onFailure}'. Use 'cut', 'keep' or 'fail'.`)
    }
    const unknown = surfaces.find((surface) => surface !== 'answer' && surface !== 'input')
    if (unknown !== undefined || surfaces.length === 0) {
      throw new MillraceError('CONFIG_INVALID', `surfaces has '${unknown}'. Use 'answer' and 'input'.`)
    }
    this.id = id
    this.onError = onError
    this.#maxLength = maxLength
    this.#onFailure = onFailure
    this.#onSummary = settings.onSummary
    this.#summarize =
      model === undefined
        ? undefined
        : rewriter({
            model,
            name: 'summarizer',
            instructions: `${instructions}\nUse at most ${maxLength} characters.`,
            timeoutMs,
            modelSettings,
            processors,
          })
    if (surfaces.includes('input')) this.processInput = (args) => this.#input(args)
    if (surfaces.includes('answer')) this.processOutputResult = (args) => this.#answer(args)
  }

  #input(args: ProcessInputArgs): Promise<MessageList | undefined> {
    return this.#shortenAll(userMessages(args), args.messageList, args)
  }

  #answer(args: ProcessOutputResultArgs): Promise<MessageList | undefined> {
    return this.#shortenAll(proseAnswers(args), args.messageList, args)
  }

  async #shortenAll(
    messages: readonly Message[],
    messageList: MessageList,
    args: SummarizeArgs,
  ): Promise<MessageList | undefined> {
    const long = messages.filter((message) => this.#isTooLong(message))
    if (long.length === 0) return undefined
    const shortened = await Promise.all(long.map((message) => this.#shorten(message, args)))
    for (const message of shortened) messageList.replace(message)
    return messageList
  }

  #isTooLong({ content: { parts, metadata } }: Message): boolean {
    const { length } = textOfParts(parts)
    // A message that was cut before exceeds the limit by the mark.
    return length > this.#maxLength + (metadata?.summarized === true ? CUT_MARK.length : 0)
  }

  async #shorten(message: Message, args: SummarizeArgs): Promise<Message> {
    const { parts } = message.content
    const text = textOfParts(parts)
    const outcome = await this.#outcome(text, args)
    const left =
      outcome.how === 'kept'
        ? parts
        : outcome.how === 'cut'
          ? cutParts(parts, this.#maxLength)
          : replaceText(parts, outcome.text)
    const { text: _, ...rest } = outcome
    this.#onSummary?.({
      processorId: this.id,
      messageId: message.id,
      originalLength: text.length,
      length: textOfParts(left).length,
      ...rest,
    })
    if (outcome.how === 'kept') return message
    const earlier = message.content.metadata?.originalLength
    const originalLength = typeof earlier === 'number' ? earlier : text.length
    const metadata = { ...message.content.metadata, summarized: true, originalLength }
    return { ...message, content: { ...message.content, parts: left, metadata } }
  }

  async #outcome(text: string, args: SummarizeArgs): Promise<Outcome> {
    const used = { inputTokens: 0, outputTokens: 0 }
    if (!this.#summarize) return { how: 'cut', text: '', ...used }
    try {
      const summary = await this.#summarize(text, args)
      // Cuts a summary that exceeds the maximum length.
      return { how: 'summarized', ...summary, text: beginningOf(summary.text, this.#maxLength) }
    } catch (failure) {
      if (args.abortSignal.aborted) throw args.abortSignal.reason
      if (this.#onFailure === 'fail') throw failure
      return { how: this.#onFailure === 'keep' ? 'kept' : 'cut', text: '', ...used, failure }
    }
  }
}

type Outcome = Pick<LargeMessageSummarizerEvent, 'how' | 'inputTokens' | 'outputTokens' | 'failure'> & {
  readonly text: string
}

type SummarizeArgs = Pick<ProcessorArgs, 'abortSignal' | 'reportUsage' | 'requestContext'>
