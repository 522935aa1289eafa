import {
  type ControlArgs,
  type LanguageModel,
  type Message,
  type MessageList,
  MillraceError,
  type ModelSettings,
  type OptionNames,
  type ProcessInputArgs,
  type ProcessOutputResultArgs,
  type Processor,
  requireOptions,
  textOfParts,
} from '@millrace/core'
import { checkResponse, endRun } from '@millrace/guards/guard'
import { proseAnswers, userMessages } from '../rewriter/messages-to-rewrite.ts'
import { replaceText } from '../rewriter/replace-text.ts'
import { type Rewriter, type Rewritten, rewriter } from '../rewriter/rewriter.ts'
import { type DetectedLanguage, detectLanguage, isKnownLanguage, isSameLanguage } from './detect-language.ts'

export interface LanguageDetectorOptions {
  /** Identifies the processor in results, events and errors. Default: `'language-detector'`. */
  readonly id?: string
  /** The allowed languages, by ISO 639-1. The first is the target of translations. */
  readonly languages?: readonly string[]
  /**
   * What happens to a message in another language. `block` ends the run with a tripwire, `halt` with an answer,
   * `translate` replaces it by a model's translation, `warn` reports it, `detect` only stores the language. Default:
   * `'detect'`.
   */
  readonly strategy?: LanguageStrategy
  /**
   * The answer of a halted run: a text, or a function of the event. Only with `'halt'`. Default: a sentence that
   * declines.
   */
  readonly response?: string | ((event: LanguageDetectorEvent) => string)
  /** The model that translates. Required for `'translate'`. */
  readonly model?: LanguageModel
  /** Settings of the translator's model call. */
  readonly modelSettings?: ModelSettings
  /** Processors of its own model calls, such as a `CostGuard` with a `store` of its own. */
  readonly processors?: readonly Processor[]
  /** The timeout for one message, including retries, in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number
  /** If a translation fails: `'fail'` fails the run, `'keep'` keeps the message. Default: `'fail'`. */
  readonly onFailure?: 'fail' | 'keep'
  /** Keep the original text in the message's metadata, which guards do not check. Default: `false`. */
  readonly keepOriginal?: boolean
  /** This turn's user messages. `'answer'` is the answer of the run. Default: `['input']`. */
  readonly surfaces?: readonly ('input' | 'answer')[]
  /** The languages to distinguish. Fewer candidates give better results. Default: all 60. */
  readonly candidates?: readonly string[]
  /** The minimum number of letters. The language of shorter messages is unreliable, so they pass. Default: 10. */
  readonly minLetters?: number
  /** Called for every message in another language. */
  readonly onDetection?: (event: LanguageDetectorEvent) => void
  /** `'skip'` continues the run without the detector if it fails. Default: `'fail'`. */
  readonly onError?: 'fail' | 'skip'
}

const LANGUAGE_DETECTOR_OPTIONS: OptionNames<LanguageDetectorOptions> = {
  id: 'optional',
  languages: 'optional',
  strategy: 'optional',
  response: 'optional',
  model: 'optional',
  modelSettings: 'open',
  processors: 'optional',
  timeoutMs: 'optional',
  onFailure: 'optional',
  keepOriginal: 'optional',
  surfaces: 'optional',
  candidates: 'optional',
  minLetters: 'optional',
  onDetection: 'optional',
  onError: 'optional',
}

type LanguageStrategy = 'detect' | 'warn' | 'block' | 'halt' | 'translate'

export interface LanguageDetectorEvent {
  readonly processorId: string
  readonly surface: 'input' | 'answer'
  readonly messageId: string
  readonly language: string
  readonly score: number
  readonly strategy: LanguageStrategy
  /** The tokens that the translation used. */
  readonly inputTokens: number
  readonly outputTokens: number
}

/**
 * Detects the language of messages and stores it in their metadata, as `language: { code, score, isReliable }`. A
 * message whose language is unreliable passes, with any strategy.
 */
export class LanguageDetector implements Processor {
  readonly id: string
  readonly onError: 'fail' | 'skip'
  readonly processInput?: NonNullable<Processor['processInput']>
  readonly processOutputResult?: NonNullable<Processor['processOutputResult']>
  readonly #options: LanguageDetectorOptions
  readonly #strategy: LanguageStrategy
  readonly #languages: readonly string[]
  readonly #translate: Rewriter | undefined

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(given: LanguageDetectorOptions = {}) {
    const options = requireOptions('LanguageDetector', given, LANGUAGE_DETECTOR_OPTIONS)
    const { id = 'language-detector', strategy = 'detect', languages = [], onError = 'fail' } = options
    const { surfaces = ['input'], model, timeoutMs = 30_000, modelSettings, processors } = options
    checkOptions(options)
    this.id = id
    this.onError = onError
    this.#options = options
    this.#strategy = strategy
    this.#languages = languages
    if (strategy === 'translate' && model !== undefined) {
      this.#translate = rewriter({
        model,
        name: 'translator',
        instructions: `Translate the text into ${nameOf(languages[0] as string)}. Keep its form: markup, code, names, numbers, line breaks.`,
        timeoutMs,
        modelSettings,
        processors,
      })
    }
    if (surfaces.includes('input')) this.processInput = (args) => this.#input(args)
    if (surfaces.includes('answer')) this.processOutputResult = (args) => this.#answer(args)
  }

  /** Loads the library. */
  async warmUp(): Promise<void> {
    const { candidates, minLetters } = this.#options
    await detectLanguage('The quick brown fox jumps over the lazy dog.', { candidates, minLetters })
  }

  #input(args: ProcessInputArgs): Promise<MessageList | undefined> {
    return this.#all(userMessages(args), args.messageList, { surface: 'input', ...args })
  }

  #answer(args: ProcessOutputResultArgs): Promise<MessageList | undefined> {
    return this.#all(proseAnswers(args), args.messageList, { surface: 'answer', ...args })
  }

  async #all(
    messages: readonly Message[],
    messageList: MessageList,
    control: Control,
  ): Promise<MessageList | undefined> {
    const left = await Promise.all(messages.map((message) => this.#message(message, control)))
    let changed = false
    for (const [index, message] of left.entries()) {
      if (message === messages[index]) continue
      messageList.replace(message)
      changed = true
    }
    return changed ? messageList : undefined
  }

  async #message(message: Message, control: Control): Promise<Message> {
    const { candidates, minLetters } = this.#options
    const text = textOfParts(message.content.parts)
    const detected = await detectLanguage(text, { candidates, minLetters })
    const { language, score, isReliable } = detected
    if (language === undefined) return message
    const noted = withMetadata(message, { language: { code: language, score, isReliable } })
    if (!isReliable || this.#languages.length === 0) return noted
    if (this.#languages.some((welcome) => isSameLanguage(welcome, language))) return noted
    return this.#treat(noted, { ...detected, language, text }, control)
  }

  async #treat(message: Message, found: Found, control: Control): Promise<Message> {
    const { surface } = control
    const { language, score } = found
    const translated = this.#translate && (await this.#translation(found.text, control))
    const event: LanguageDetectorEvent = {
      processorId: this.id,
      surface,
      messageId: message.id,
      language,
      score,
      strategy: this.#strategy,
      inputTokens: translated?.inputTokens ?? 0,
      outputTokens: translated?.outputTokens ?? 0,
    }
    this.#options.onDetection?.(event)
    if (this.#strategy === 'block' || this.#strategy === 'halt') {
      endRun(control, {
        strategy: this.#strategy,
        reason: `The ${surface} is in another language than ${this.#languages.join(', ')}: ${language}.`,
        metadata: { language, score, languages: this.#languages },
        finding: event,
        response: this.#options.response,
      })
    }
    if (!translated) return message
    const { content } = message
    return withMetadata(
      { ...message, content: { ...content, parts: replaceText(content.parts, translated.text) } },
      { translatedFrom: language, ...(this.#options.keepOriginal && { originalText: found.text }) },
    )
  }

  async #translation(text: string, control: Control): Promise<Rewritten | undefined> {
    try {
      return await (this.#translate as Rewriter)(text, control)
    } catch (error) {
      if (control.abortSignal.aborted) throw control.abortSignal.reason
      if (this.#options.onFailure !== 'keep') throw error
      return undefined
    }
  }
}

interface Control
  extends Pick<ControlArgs, 'abort' | 'halt' | 'abortSignal' | 'reportUsage' | 'requestContext'> {
  readonly surface: 'input' | 'answer'
}

type Found = DetectedLanguage & { readonly language: string; readonly text: string }

function withMetadata({ content, ...message }: Message, metadata: Record<string, unknown>): Message {
  return { ...message, content: { ...content, metadata: { ...content.metadata, ...metadata } } }
}

/** `de` becomes `German (de)`: models know both. */
function nameOf(language: string): string {
  const name = new Intl.DisplayNames(['en'], { type: 'language' }).of(language)
  return name === undefined || name === language ? language : `${name} (${language})`
}

const STRATEGIES = ['detect', 'warn', 'block', 'halt', 'translate']

function checkOptions(options: LanguageDetectorOptions): void {
  const problem = problemOf(options)
  if (problem !== undefined) throw new MillraceError('CONFIG_INVALID', problem)
  checkResponse(options.strategy ?? 'detect', options.response)
}

function problemOf({
  strategy = 'detect',
  languages = [],
  candidates = [],
  model,
  surfaces = ['input'],
  minLetters = 0,
  onFailure = 'fail',
}: LanguageDetectorOptions): string | undefined {
  if (!STRATEGIES.includes(strategy)) {
    return `strategy is '${strategy}'. Use 'detect', 'warn', 'block', 'halt' or 'translate'.`
  }
  if (strategy !== 'detect' && languages.length === 0) {
    return `strategy is '${strategy}', and there are no languages. Name those that are welcome.`
  }
  if ((strategy === 'translate') !== (model !== undefined)) {
    return "strategy 'translate' requires a model, and a model requires strategy 'translate'. Pass both or neither."
  }
  if (surfaces.length === 0 || surfaces.some((surface) => surface !== 'input' && surface !== 'answer')) {
    return `surfaces is [${surfaces.join(', ')}]. Use 'input' and 'answer'.`
  }
  if (!Number.isInteger(minLetters) || minLetters < 0) {
    return `minLetters is ${minLetters}. Use an integer of at least 0.`
  }
  if (onFailure !== 'fail' && onFailure !== 'keep') {
    return `onFailure is '${onFailure}'. Use 'fail' or 'keep'.`
  }
  const unknown = [...languages, ...candidates].find((language) => !isKnownLanguage(language))
  return unknown === undefined
    ? undefined
    : `The language '${unknown}' cannot be detected. Use the ISO 639-1 code of a supported language.`
}
