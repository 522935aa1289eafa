import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamResult,
} from '@ai-sdk/provider'
import {
  type Chunk,
  type CounterStore,
  type DataChunk,
  type LanguageModel,
  type OptionNames,
  type PipelineAnswerEnd,
  type ProcessorEntry,
  ProcessorPipeline,
  type RequestContext,
  requireCount,
  requireOneOf,
  requireOptions,
  requireTime,
  resolveModel,
} from '@millrace/core'
import { AnswerContent } from './answer-content.ts'
import { AnswerStream, type GuardedCall } from './answer-stream.ts'
import { settingsOf } from './call-settings.ts'
import { CalledModel } from './called-model.ts'
import { rejectionOf } from './guard-rejection.ts'
import { type GuardSession, useSession } from './guard-session.ts'

/** Options of {@link guardModel}. */
export interface GuardModelOptions {
  /**
   * Keeps the state of the processors between calls: one session per conversation, for one call at a time.
   * Default: each call of the model is independent.
   */
  session?: GuardSession
  /** Values for the processors. Default: none. */
  // biome-ignore lint/suspicious/noExplicitAny: a context can have any values
  requestContext?: RequestContext<any>
  /** Where processors count, such as the store of a memory. Default: each processor counts by itself. */
  counters?: CounterStore
  /**
   * `live`: text is streamed as it arrives, and a later rejection retracts it by an error. `step`: nothing is
   * streamed until the whole response is accepted. Default: `live`.
   */
  emit?: 'live' | 'step'
  /** How many retries processors may request in one call. Default: 3. */
  maxProcessorRetries?: number
  /**
   * The maximum number of model calls in one call, if processors request more or answer tool calls. Default:
   * 20.
   */
  maxSteps?: number
  /**
   * The time limit for one call in milliseconds, including its model and processors. A guard that hangs is
   * stopped by it, or by the `abortSignal` of the call. Default: no limit.
   */
  timeout?: number
  /** The size of the model's context window in tokens, for processors that limit the prompt. */
  contextWindow?: number
  /** Receives the data chunks of processors, because a model's stream cannot carry them. */
  onData?: (chunk: DataChunk) => void
}

export const GUARD_MODEL_OPTIONS: OptionNames<GuardModelOptions> = {
  session: 'optional',
  requestContext: 'optional',
  counters: 'optional',
  emit: 'optional',
  maxProcessorRetries: 'optional',
  maxSteps: 'optional',
  timeout: 'optional',
  contextWindow: 'optional',
  onData: 'optional',
}

/**
 * Wraps a model, so that all its input and output passes `processors`. Use it wherever the AI SDK takes a
 * model: `generateText`, `streamText`, `ToolLoopAgent`.
 *
 * A rejection is a {@link GuardRejection}: it is thrown, or is an error part of the stream, which retracts
 * what was streamed. If a processor halts, its answer becomes the model's. If a processor suspends, the call
 * fails, because there is no run to resume.
 *
 * @throws MillraceError `CONFIG_…` as an agent does for its `processors`; `CONFIG_INVALID` for an invalid
 *   option
 *
 * @example
 * const model = guardModel(openai('gpt-5'), [new PIIDetector({ strategy: 'redact' })])
 * const { text } = await generateText({ model, prompt: 'Hello' })
 */
export function guardModel(
  model: LanguageModel,
  processors: readonly ProcessorEntry[],
  given: GuardModelOptions = {},
): LanguageModelV4 {
  const options = requireOptions('guardModel()', given, GUARD_MODEL_OPTIONS)
  return new GuardedModel(model, processors, options)
}

/** A model behind processors. Also used by the adapters for other frameworks. */
export class GuardedModel implements LanguageModelV4 {
  readonly specificationVersion = 'v4'
  readonly #model: LanguageModel
  readonly #processors: ProcessorPipeline
  readonly #options: GuardModelOptions

  readonly #isReviewed: () => boolean
  readonly #endsWithCalls: boolean

  /** @param options.isReviewed Whether the processors have already seen the newest input */
  constructor(
    model: LanguageModel,
    processors: readonly ProcessorEntry[] | ProcessorPipeline,
    {
      isReviewed = () => false,
      endsWithCalls = false,
      ...options
    }: GuardModelOptions & { isReviewed?: () => boolean; endsWithCalls?: boolean },
  ) {
    const { emit, maxProcessorRetries, maxSteps, timeout } = options
    if (emit !== undefined) requireOneOf('emit', emit, ['live', 'step'])
    if (maxProcessorRetries !== undefined) requireCount('maxProcessorRetries', maxProcessorRetries, 0)
    if (maxSteps !== undefined) requireCount('maxSteps', maxSteps, 1)
    requireTime('timeout', timeout)
    // Validated and sorted once, not in every call.
    this.#processors =
      processors instanceof ProcessorPipeline ? processors : new ProcessorPipeline([...processors])
    this.#isReviewed = isReviewed
    this.#endsWithCalls = endsWithCalls
    this.#model = model
    this.#options = { ...options }
  }

  get provider(): string {
    return typeof this.#model === 'string' ? 'millrace' : this.#model.provider
  }

  get modelId(): string {
    return typeof this.#model === 'string' ? this.#model : this.#model.modelId
  }

  get supportedUrls(): LanguageModelV4['supportedUrls'] {
    return typeof this.#model === 'string' ? {} : this.#model.supportedUrls
  }

  async doGenerate(options: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
    const { content, model, ended } = await this.answerWhole(options, 'generate')
    return {
      content: [...content.settle(ended.replacedText), ...model.approvalRequests],
      ...model.resultOf(ended),
    }
  }

  /**
   * The complete answer. It is returned only when all of it is accepted.
   *
   * @param mode How the model is called
   */
  async answerWhole(
    options: LanguageModelV4CallOptions,
    mode: 'generate' | 'stream',
  ): Promise<{ content: AnswerContent; model: CalledModel; ended: PipelineAnswerEnd }> {
    const release = useSession(this.#options.session)
    try {
      const content = new AnswerContent()
      const write = (chunk: Chunk): undefined => content.add(chunk)
      const { model, end } = await this.#call(options, { mode, emit: 'step', write })
      return { content, model, ended: await end }
    } catch (error) {
      throw rejectionOf(error)
    } finally {
      release()
    }
  }

  async doStream(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    const release = useSession(this.#options.session)
    try {
      const answer = new AnswerStream(release)
      const { emit = 'live' } = this.#options
      const { write } = answer
      const { model, end, cancel } = await this.#call(options, { mode: 'stream', emit, write })
      await answer.open({ model, end, cancel })
      return { stream: answer.stream, ...model.streamResult }
    } catch (error) {
      release()
      throw rejectionOf(error)
    }
  }

  async #call(
    options: LanguageModelV4CallOptions,
    {
      mode,
      emit,
      write,
    }: {
      mode: 'generate' | 'stream'
      emit: 'live' | 'step'
      write: (chunk: Chunk) => Promise<void> | undefined
    },
  ): Promise<GuardedCall> {
    const { session, emit: _, maxProcessorRetries, maxSteps, timeout, ...shared } = this.#options
    const model = new CalledModel(await resolveModel(this.#model), mode)
    const settings = settingsOf(options)
    const pipeline = new ProcessorPipeline(this.#processors, {
      ...shared,
      ...(session && { session: session.pipeline }),
      ...(options.abortSignal && { abortSignal: options.abortSignal }),
      model,
      tools: settings.tools,
      modelSettings: settings.modelSettings,
    })
    const { end, cancel } = pipeline.answer({
      ...settings,
      model,
      prompt: options.prompt,
      isReviewed: this.#isReviewed(),
      endsWithCalls: this.#endsWithCalls,
      write,
      emit,
      onPart: (part) => model.see(part),
      ...(maxProcessorRetries !== undefined && { maxProcessorRetries }),
      ...(maxSteps !== undefined && { maxSteps }),
      ...(timeout !== undefined && { stepTimeout: timeout }),
    })
    return { model, end, cancel }
  }
}
