import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { CallbackManagerForLLMRun, Callbacks } from '@langchain/core/callbacks/manager'
import type { BaseLanguageModelInput } from '@langchain/core/language_models/base'
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from '@langchain/core/language_models/chat_models'
import { type AIMessageChunk, type BaseMessage, HumanMessage } from '@langchain/core/messages'
import type { ChatGenerationChunk, ChatResult, LLMResult } from '@langchain/core/outputs'
import type { Runnable } from '@langchain/core/runnables'
import { type ProcessorEntry, ProcessorPipeline } from '@millrace/core'
import type { AnsweredCalls } from '../adapter/answered-calls.ts'
import { partsOf } from '../ai-sdk/generated-parts.ts'
import { GuardedModel, type GuardModelOptions } from '../ai-sdk/guard-model.ts'
import { GuardSession } from '../ai-sdk/guard-session.ts'
import { AnswerChunks } from './answer-chunks.ts'
import { type BoundCall, callSettings, unbind } from './bound-call.ts'
import { promptOf } from './messages-to-prompt.ts'
import { ProviderModel } from './provider-model.ts'
import { refusalOf } from './refusal.ts'
import { reviewInput, withAdded } from './review-input.ts'
import { wholeMessage } from './whole-message.ts'

/** How {@link guardChatModel} works. */
export type GuardChatModelOptions = Omit<GuardModelOptions, 'session'>

/**
 * A chat model that asks `processors` about all that goes into `model` and all that comes out of it. It is a `Runnable`, for
 * chains, and a `BaseChatModel`: it streams, and takes tools and structured output. In an agent, `millraceMiddleware` guards
 * tools and state too.
 *
 * A rejection is a `GuardRejection`: `invoke` rejects with it, a stream ends with it. A processor that halts gives the answer.
 * One that suspends fails the call: there is no run to be resumed.
 *
 * @throws MillraceError `CONFIG_…` as an agent does for its `processors`; `MODEL_UNRESOLVED` if it is no chat model
 *
 * @example
 * const chain = prompt.pipe(guardChatModel(model, [new PIIDetector({ strategy: 'redact' })])).pipe(new StringOutputParser())
 */
export function guardChatModel(
  model: unknown,
  processors: readonly ProcessorEntry[],
  options: GuardChatModelOptions = {},
): BaseChatModel {
  return new GuardedChatModel(model, new ProcessorPipeline([...processors]), options)
}

/** What an agent's run adds to its model. */
export interface AgentCall {
  session: GuardSession
  answers: AnsweredCalls
  /** Whether the processors were asked about the newest input already: once true, then false. */
  isReviewed: () => boolean
}

interface GuardedChatOptions extends BaseChatModelCallOptions {
  tools?: readonly BindToolsInput[]
}

/** A chat model behind processors. */
export class GuardedChatModel extends BaseChatModel<GuardedChatOptions, AIMessageChunk> {
  readonly #model: BaseChatModel
  readonly #bound: Record<string, unknown>
  readonly #processors: ProcessorPipeline
  readonly #options: GuardChatModelOptions
  readonly #agent: AgentCall | undefined
  /** What the processors have come to about input, by its last message, for the call that follows. */
  readonly #reviewed = new WeakMap<BaseMessage, ReviewedCall>()

  constructor(
    given: unknown,
    processors: ProcessorPipeline,
    options: GuardChatModelOptions,
    agent?: AgentCall,
  ) {
    super({})
    const { model, options: bound } = unbind(given)
    this.#model = model
    this.#bound = bound
    this.#processors = processors
    this.#options = options
    this.#agent = agent
    // What processors change is text and calls of the standard form, whatever the model's own is.
    this.disableStreaming = model.disableStreaming
    // Checks the options, before any call.
    new GuardedModel('', processors, options)
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

  /** Reviews the input first, so that LangChain traces what the processors leave of it. */
  override async generate(
    messages: BaseMessage[][],
    options?: string[] | Partial<GuardedChatOptions>,
    callbacks?: Callbacks,
  ): Promise<LLMResult> {
    const call = Array.isArray(options) ? { stop: options } : (options ?? {})
    const reviewed = await Promise.all(messages.map((list) => this.#review(list, call)))
    return super.generate(reviewed, options as never, callbacks)
  }

  override async *_streamIterator(
    input: BaseLanguageModelInput,
    options?: Partial<GuardedChatOptions>,
  ): AsyncGenerator<AIMessageChunk> {
    const messages = BaseChatModel._convertInputToPromptValue(input).toChatMessages()
    yield* super._streamIterator(await this.#review(messages, options ?? {}), options)
  }

  override async _generate(messages: BaseMessage[], options: this['ParsedCallOptions']): Promise<ChatResult> {
    const message = await wholeMessage(this.#parts(messages, options, 'generate'))
    return { generations: [{ text: message.text, message }] }
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const chunks = new AnswerChunks()
    for await (const part of this.#parts(messages, options, 'stream')) {
      const chunk = chunks.read(part)
      if (!chunk) continue
      yield chunk
      await runManager?.handleLLMNewToken(chunk.text, undefined, undefined, undefined, undefined, { chunk })
    }
  }

  async *#parts(
    messages: BaseMessage[],
    given: this['ParsedCallOptions'],
    mode: 'generate' | 'stream',
  ): AsyncGenerator<LanguageModelV4StreamPart> {
    const review = messages.at(-1) && this.#reviewed.get(messages.at(-1) as BaseMessage)
    if (review?.halted !== undefined) {
      yield* answerOf(review.halted)
      return
    }
    const call = this.#callOf(given)
    const { session, isReviewed } = this.#agent ?? {
      session: review?.session ?? new GuardSession(),
      isReviewed: () => review !== undefined,
    }
    const guarded = new GuardedModel(new ProviderModel(this.#model, messages, call), this.#processors, {
      ...this.#options,
      session,
      isReviewed,
      endsWithCalls: this.#agent !== undefined,
    })
    const options = { ...callSettings(call), prompt: promptOf(messages) }
    const answers = this.#agent?.answers
    try {
      if (mode === 'generate') {
        const { content, finishReason, usage, providerMetadata, warnings } = await guarded.doGenerate(options)
        const result = {
          content,
          finishReason,
          usage,
          warnings,
          ...(providerMetadata && { providerMetadata }),
        }
        for (const part of partsOf(result)) yield* leftOf(part, answers)
        return
      }
      const { stream } = await guarded.doStream(options)
      for await (const part of stream as unknown as AsyncIterable<LanguageModelV4StreamPart>) {
        if (part.type === 'error') throw part.error
        yield* leftOf(part, answers)
      }
    } catch (error) {
      throw refusalOf(error)
    }
  }

  /** What is left of a chain's input. That of an agent is reviewed before the agent keeps it. */
  async #review(given: BaseMessage[], options: Partial<GuardedChatOptions>): Promise<BaseMessage[]> {
    if (this.#agent) return given
    const session = new GuardSession()
    const { state, added, systemMessages, halted } = await reviewInput(given, this.#processors, {
      ...this.#options,
      session,
      abortSignal: options.signal,
    })
    const messages =
      halted === undefined
        ? [...systemMessages.map(({ message }) => message), ...withAdded(state, added)]
        : []
    const last = copyOf(messages.at(-1) ?? new HumanMessage(''))
    this.#reviewed.set(last, { session, halted })
    return [...messages.slice(0, -1), last]
  }

  #callOf({ tools = [], ...given }: this['ParsedCallOptions']): BoundCall {
    const { tools: own = [], ...bound } = this.#bound
    return { tools: [...(own as BindToolsInput[]), ...tools], options: { ...bound, ...given } }
  }
}

interface ReviewedCall {
  session: GuardSession
  /** The answer of a processor in the place of the model's. */
  halted: string | undefined
}

/** A message of its own, to be known by. */
function copyOf(message: BaseMessage): BaseMessage {
  return new (message.constructor as new (fields: object) => BaseMessage)({ ...message })
}

function* leftOf(
  part: LanguageModelV4StreamPart,
  answers: AnsweredCalls | undefined,
): Generator<LanguageModelV4StreamPart> {
  const left = answers ? answers.take(part) : part
  if (left) yield left
}

function answerOf(text: string): LanguageModelV4StreamPart[] {
  return partsOf({
    content: [{ type: 'text', text }],
    finishReason: { unified: 'stop', raw: undefined },
    usage: {
      inputTokens: { total: 0, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: 0, text: undefined, reasoning: undefined },
    },
    warnings: [],
  })
}
