import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import type { BaseMessage } from '@langchain/core/messages'
import type { ProcessorPipeline } from '@millrace/core'
import type { AnsweredCalls } from '../adapter/answered-calls.ts'
import { partsOf } from '../ai-sdk/generated-parts.ts'
import { GuardedModel, type GuardModelOptions } from '../ai-sdk/guard-model.ts'
import { GuardRejection } from '../ai-sdk/guard-rejection.ts'
import type { GuardSession } from '../ai-sdk/guard-session.ts'
import { type BoundCall, callSettings } from './bound-call.ts'
import { promptOf } from './messages-to-prompt.ts'
import { ProviderModel } from './provider-model.ts'
import { refusalOf } from './refusal.ts'

/** What the run of an agent adds to a model call. */
export interface AgentCall {
  session: GuardSession
  answers: AnsweredCalls
  /** Called for each tool call that processors have decided on. */
  onDecided: (call: { id: string; name: string; args: unknown }) => void
  /**
   * Whether the processors have already seen all input in these messages. Returns `true` for one call at
   * most.
   */
  isReviewed: (messages: readonly BaseMessage[]) => boolean
  /** Whether LangChain executes this tool. It treats the input of other tools as structured output. */
  executes: (toolName: string) => boolean
}

/** The inputs of a guarded call. */
export interface GuardedCallOptions {
  model: BaseChatModel
  processors: ProcessorPipeline
  options: Omit<GuardModelOptions, 'session'>
  agent?: AgentCall | undefined
  call: BoundCall
  /** Whether the answer is streamed. */
  mode: 'generate' | 'stream'
}

/** A call of a chat model behind processors. It starts immediately. */
export class GuardedCall {
  /**
   * The messages sent to the model, after the processors. Empty if a processor answers instead of the model.
   * Rejects if the call ends before.
   */
  readonly asked: Promise<readonly BaseMessage[]>
  readonly #parts: Promise<Iterable<LanguageModelV4StreamPart> | AsyncIterable<LanguageModelV4StreamPart>>
  readonly #agent: AgentCall | undefined

  constructor(
    messages: readonly BaseMessage[],
    { model, processors, options, agent, call, mode }: GuardedCallOptions,
  ) {
    const { promise, resolve } = Promise.withResolvers<readonly BaseMessage[]>()
    const provider = new ProviderModel(model, messages, { call, onAsked: resolve })
    const guarded = new GuardedModel(provider, processors, {
      ...options,
      ...(agent && {
        session: agent.session,
        isReviewed: () => agent.isReviewed(messages),
        endsWithCalls: true,
      }),
    })
    this.#agent = agent
    this.#parts = begin(guarded, messages, { call, mode })
    this.asked = Promise.race([promise, this.#parts.then(() => [])])
    // The error is also reported to the reader of the answer.
    this.asked.catch(() => {})
  }

  /** The answer. It can be read once. */
  async *parts(): AsyncGenerator<LanguageModelV4StreamPart> {
    try {
      for await (const part of await this.#parts) {
        if (part.type === 'error') throw part.error
        const left = this.#agent ? leftOf(part, this.#agent) : part
        if (left) yield left
      }
    } catch (error) {
      throw refusalOf(error)
    }
  }
}

async function begin(
  model: LanguageModelV4,
  messages: readonly BaseMessage[],
  { call, mode }: Pick<GuardedCallOptions, 'call' | 'mode'>,
): Promise<Iterable<LanguageModelV4StreamPart> | AsyncIterable<LanguageModelV4StreamPart>> {
  try {
    const options = { ...callSettings(call), prompt: promptOf(messages) }
    if (mode === 'generate') return partsOf(await model.doGenerate(options))
    const { stream } = await model.doStream(options)
    return stream as unknown as AsyncIterable<LanguageModelV4StreamPart>
  } catch (error) {
    throw refusalOf(error)
  }
}

/**
 * The part to pass to LangChain, if any.
 *
 * @throws GuardRejection for a call that a processor answered, if LangChain would use its input anyway
 */
function leftOf(
  part: LanguageModelV4StreamPart,
  { answers, executes, onDecided }: AgentCall,
): LanguageModelV4StreamPart | undefined {
  const left = answers.take(part)
  if (part.type === 'tool-call')
    onDecided({ id: part.toolCallId, name: part.toolName, args: parsed(part.input) })
  if (left !== undefined || part.type !== 'tool-result' || executes(part.toolName)) return left
  const reason = part.isError ? String(part.result) : `A processor answered the call of '${part.toolName}'.`
  throw new GuardRejection({ reason, hook: 'processToolCall' })
}

/** LangChain does not execute a call whose input is not valid JSON. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
