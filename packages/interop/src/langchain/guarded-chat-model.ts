import type { CallbackManagerForLLMRun, Callbacks } from '@langchain/core/callbacks/manager'
import type { BaseLanguageModelInput } from '@langchain/core/language_models/base'
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from '@langchain/core/language_models/chat_models'
import { type AIMessageChunk, type BaseMessage, convertToChunk, HumanMessage } from '@langchain/core/messages'
import type { ChatGenerationChunk, ChatResult, LLMResult } from '@langchain/core/outputs'
import type { Runnable } from '@langchain/core/runnables'
import { type ProcessorEntry, ProcessorPipeline, requireOptions } from '@millrace/core'
import { GUARD_MODEL_OPTIONS, GuardedModel, type GuardModelOptions } from '../ai-sdk/guard-model.ts'
import { AnswerChunks } from './answer-chunks.ts'
import { unbind } from './bound-call.ts'
import { type AgentCall, GuardedCall } from './guarded-call.ts'
import { wholeMessage } from './whole-message.ts'

/** Options of {@link guardChatModel}. */
export type GuardChatModelOptions = Omit<GuardModelOptions, 'session'>

const { session: _, ...GUARD_CHAT_MODEL_OPTIONS } = GUARD_MODEL_OPTIONS

/**
 * Wraps a chat model, so that all its input and output passes `processors`. It is a `Runnable`, for chains,
 * and a `BaseChatModel`: it streams, and supports tools and structured output. In an agent, use
 * `millraceMiddleware`, which also guards tools and state.
 *
 * A rejection is a `GuardRejection`: `invoke` rejects with it, a stream ends with it. If a processor halts,
 * its answer becomes the model's. If a processor suspends, the call fails, because there is no run to resume.
 *
 * @throws MillraceError `CONFIG_…` as an agent does for its `processors`; `MODEL_UNRESOLVED` if the model is
 *   not a chat model
 *
 * @example
 * const chain = prompt.pipe(guardChatModel(model, [new PIIDetector({ strategy: 'redact' })])).pipe(new StringOutputParser())
 */
export function guardChatModel(
  // biome-ignore lint/suspicious/noExplicitAny: a model with any options, or with some bound to it
  model: BaseChatModel<any, any> | Runnable<any, any>,
  processors: readonly ProcessorEntry[],
  given: GuardChatModelOptions = {},
): BaseChatModel {
  const options = requireOptions('guardChatModel()', given, GUARD_CHAT_MODEL_OPTIONS)
  return new GuardedChatModel(model, { processors: new ProcessorPipeline([...processors]), options })
}

interface GuardedChatOptions extends BaseChatModelCallOptions {
  tools?: readonly BindToolsInput[]
}

/** The processors and options around a model. */
interface Guard {
  processors: ProcessorPipeline
  options: GuardChatModelOptions
  agent?: AgentCall | undefined
}

/** A chat model behind processors. */
export class GuardedChatModel extends BaseChatModel<GuardedChatOptions, AIMessageChunk> {
  readonly #model: BaseChatModel
  readonly #bound: Record<string, unknown>
  readonly #guard: Guard
  /** Running calls, by the last message that LangChain traced for them. */
  readonly #calls = new WeakMap<BaseMessage, GuardedCall>()

  constructor(given: unknown, guard: Guard) {
    super({})
    const { model, options: bound } = unbind(given)
    this.#model = model
    this.#bound = bound
    this.#guard = guard
    this.disableStreaming = model.disableStreaming
    // Validates the options before any call.
    new GuardedModel('', guard.processors, guard.options)
  }

  static override lc_name(): string {
    return 'GuardedChatModel'
  }

  override _llmType(): string {
    return 'millrace'
  }

  override get profile(): BaseChatModel['profile'] {
    return this.#model.profile
  }

  override getLsParams(options: this['ParsedCallOptions']): ReturnType<BaseChatModel['getLsParams']> {
    return this.#model.getLsParams(options)
  }

  override bindTools(
    tools: BindToolsInput[],
    kwargs: Partial<GuardedChatOptions> = {},
  ): Runnable<BaseLanguageModelInput, AIMessageChunk, GuardedChatOptions> {
    return this.withConfig({ tools, ...kwargs } as Partial<GuardedChatOptions>)
  }

  /** The call starts first, so that LangChain traces the input as the processors left it. */
  override async generate(
    messages: BaseMessage[][],
    given?: string[] | Partial<GuardedChatOptions>,
    callbacks?: Callbacks,
  ): Promise<LLMResult> {
    const options = Array.isArray(given) ? { stop: given } : (given ?? {})
    const mode = isStreamed(options.callbacks ?? callbacks) ? 'stream' : 'generate'
    const asked = await Promise.all(messages.map((list) => this.#ask(list, options, mode)))
    return super.generate(asked, options as never, callbacks)
  }

  override async *_streamIterator(
    input: BaseLanguageModelInput,
    options: Partial<GuardedChatOptions> = {},
  ): AsyncGenerator<AIMessageChunk> {
    const messages = BaseChatModel._convertInputToPromptValue(input).toChatMessages()
    yield* super._streamIterator(await this.#ask(messages, options, 'stream'), options)
  }

  override async _generate(messages: BaseMessage[], options: this['ParsedCallOptions']): Promise<ChatResult> {
    const message = await wholeMessage(this.#callOf(messages, options, 'generate').parts())
    // LangChain's parser of structured output only accepts chunks.
    const given = this.#guard.agent ? message : convertToChunk(message)
    return { generations: [{ text: message.text, message: given }] }
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const chunks = new AnswerChunks()
    for await (const part of this.#callOf(messages, options, 'stream').parts()) {
      const chunk = chunks.read(part)
      if (!chunk) continue
      yield chunk
      await runManager?.handleLLMNewToken(chunk.text, undefined, undefined, undefined, undefined, { chunk })
    }
  }

  /** Starts a call and returns the messages for the model, by which the call is found again. */
  async #ask(
    messages: readonly BaseMessage[],
    options: Partial<GuardedChatOptions>,
    mode: 'generate' | 'stream',
  ): Promise<BaseMessage[]> {
    const [, callOptions] = this._separateRunnableConfigFromCallOptionsCompat(options)
    const call = this.#begin(messages, callOptions, mode)
    const asked = await call.asked
    const last = copyOf(asked.at(-1) ?? new HumanMessage(''))
    this.#calls.set(last, call)
    return [...asked.slice(0, -1), last]
  }

  #callOf(
    messages: readonly BaseMessage[],
    options: this['ParsedCallOptions'],
    mode: 'generate' | 'stream',
  ): GuardedCall {
    const last = messages.at(-1)
    return (last && this.#calls.get(last)) ?? this.#begin(messages, options, mode)
  }

  #begin(
    messages: readonly BaseMessage[],
    { tools = [], ...given }: this['ParsedCallOptions'],
    mode: 'generate' | 'stream',
  ): GuardedCall {
    const { tools: own = [], ...bound } = this.#bound
    return new GuardedCall(messages, {
      model: this.#model,
      ...this.#guard,
      call: { tools: [...(own as BindToolsInput[]), ...tools], options: { ...bound, ...given } },
      mode,
    })
  }
}

/** A copy of a message, which serves as a unique key. */
function copyOf(message: BaseMessage): BaseMessage {
  return new (message.constructor as new (fields: object) => BaseMessage)({ ...message })
}

/** Whether a handler streams: LangChain then streams the answer. */
function isStreamed(callbacks: Callbacks | undefined): boolean {
  const handlers = Array.isArray(callbacks) ? callbacks : (callbacks?.handlers ?? [])
  return handlers.some(
    (handler) => 'lc_prefer_streaming' in handler || 'lc_prefer_chat_model_stream_events' in handler,
  )
}
