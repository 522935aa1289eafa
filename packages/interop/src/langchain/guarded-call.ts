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

/** What an agent's run adds to its model. */
export interface AgentCall {
  session: GuardSession
  answers: AnsweredCalls
  /** Hears of each call of a tool that processors have decided about. */
  onDecided: (call: { id: string; name: string; args: unknown }) => void
  /** Whether the processors were asked about all input among these messages already: in one call at most. */
  isReviewed: (messages: readonly BaseMessage[]) => boolean
  /** Whether LangChain executes calls of the tool. It takes the input of others as structured output. */
  executes: (toolName: string) => boolean
}

/** What a call is made of. */
export interface GuardedCallOptions {
  model: BaseChatModel
  processors: ProcessorPipeline
  options: Omit<GuardModelOptions, 'session'>
  agent?: AgentCall | undefined
  call: BoundCall
  /** Whether the answer comes as the model says it. */
  mode: 'generate' | 'stream'
}

/** A call of a chat model behind processors, which begins at once. */
export class GuardedCall {
  /**
   * What the model is asked, once the processors have left it: nothing where one of them answers in its place. Rejects with
   * what ended the call before.
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
    // Whoever reads the answer hears of it there.
    this.asked.catch(() => {})
  }

  /** The answer. It is read once. */
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
 * The part as LangChain gets it, if at all.
 *
 * @throws GuardRejection for a call that a processor answered, where LangChain would use its input all the same
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

/** What is no JSON is no call that LangChain executes. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
