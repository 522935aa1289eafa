import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4Message,
} from '@ai-sdk/provider'
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, type BaseMessage, SystemMessage } from '@langchain/core/messages'
import type { ChatResult } from '@langchain/core/outputs'
import { isRecord } from '@millrace/core'
import { partsOf } from '../ai-sdk/generated-parts.ts'
import { choiceOf } from './bound-call.ts'
import { promptOf } from './messages-to-prompt.ts'
import { PromptReader } from './prompt-to-messages.ts'
import type { CalledHook } from './published-middleware.ts'
import { Answer } from './read-answer.ts'
import { wholeMessage } from './whole-message.ts'

interface Wrapped {
  /** Called with the complete answer, before any of it is streamed. */
  afterModel: ((messages: readonly BaseMessage[], answer: AIMessage) => Promise<AIMessage>) | undefined
  wrapModelCall: CalledHook | undefined
  runtime: unknown
  stateOf: (messages: readonly BaseMessage[]) => unknown
}

/** Runs LangChain's `wrapModelCall` as `wrapGenerate` of the AI SDK. */
export async function wrapGenerate(
  { params, model }: { params: LanguageModelV4CallOptions; model: LanguageModelV4 },
  { wrapModelCall, afterModel, runtime, stateOf }: Wrapped,
): Promise<LanguageModelV4GenerateResult> {
  const given = new OriginalPrompt(params)
  const { system, messages } = given
  let last: { result: LanguageModelV4GenerateResult; message: AIMessage; json: string } | undefined
  // Thrown at the end, so that a middleware that catches errors cannot suppress it.
  let refusal: unknown
  const request = {
    model: new HandlerOnly(),
    messages,
    systemPrompt: system.text,
    systemMessage: system,
    tools: (params.tools ?? []).map((tool) => ({
      name: tool.name,
      ...(tool.type === 'function' && { description: tool.description, schema: tool.inputSchema }),
    })),
    toolChoice: params.toolChoice?.type === 'tool' ? params.toolChoice.toolName : params.toolChoice?.type,
    state: stateOf(messages),
    runtime,
  }
  const handler = async (changed: unknown): Promise<AIMessage> => {
    let asked: LanguageModelV4CallOptions
    try {
      asked = paramsOf(changed, { request, params, given })
    } catch (error) {
      refusal ??= error
      throw error
    }
    const result = await model.doGenerate(asked)
    const message = await wholeMessage(partsOf(result))
    message.id = ANSWER
    last = { result, message, json: JSON.stringify(message) }
    return message
  }
  const wrapped = await (wrapModelCall ? wrapModelCall({ ...request }, handler) : handler(request))
  if (refusal !== undefined) throw refusal
  if (!AIMessage.isInstance(wrapped))
    throw new Error('A wrapModelCall did not return an AIMessage, which is the only supported answer.')
  wrapped.id ??= ANSWER
  const answer = afterModel ? await afterModel(messages, wrapped) : wrapped
  if (last && answer === last.message && JSON.stringify(answer) === last.json) return last.result
  const read = new Answer()
  const content = read.whole(answer, undefined)
  const { finishReason, usage } = read.end()
  return {
    ...last?.result,
    content,
    finishReason,
    usage: last?.result.usage ?? usage,
    warnings: last?.result.warnings ?? [],
  }
}

const ANSWER = 'answer'

/** The prompt of a call as LangChain messages. Messages that are not edited are returned unchanged. */
class OriginalPrompt {
  readonly system: SystemMessage
  readonly messages: BaseMessage[] = []
  readonly #systemBefore: LanguageModelV4Message[]
  readonly #before = new Map<BaseMessage, { from: LanguageModelV4Message; json: string; count: number }>()

  constructor({ prompt }: LanguageModelV4CallOptions) {
    const reader = new PromptReader([])
    this.#systemBefore = prompt.filter(({ role }) => role === 'system')
    this.system = new SystemMessage(this.#systemBefore.map(({ content }) => content).join('\n\n'))
    for (const from of prompt) {
      if (from.role === 'system') continue
      const made = reader.read([from]).map(({ message }) => message)
      for (const message of made) {
        message.id = `given-${this.#before.size}`
        this.#before.set(message, { from, json: JSON.stringify(message), count: made.length })
      }
      this.messages.push(...made)
    }
  }

  read(system: string, messages: readonly BaseMessage[]): LanguageModelV4Message[] {
    const prompt: LanguageModelV4Message[] = []
    if (system === this.system.text) prompt.push(...this.#systemBefore)
    else if (system !== '') prompt.push({ role: 'system', content: system })
    const fresh = promptOf(messages).map(withoutOrigin)
    for (const [index, message] of messages.entries()) {
      const known = this.#before.get(message)
      const isSame = known?.count === 1 && known.json === JSON.stringify(message)
      prompt.push(isSame ? known.from : (fresh[index] as LanguageModelV4Message))
    }
    return prompt
  }
}

function paramsOf(
  changed: unknown,
  {
    request,
    params,
    given,
  }: {
    request: { model: unknown; systemPrompt: string; systemMessage: SystemMessage; toolChoice: unknown }
    params: LanguageModelV4CallOptions
    given: OriginalPrompt
  },
): LanguageModelV4CallOptions {
  const { model, messages, systemPrompt, systemMessage, tools, toolChoice, modelSettings, responseFormat } =
    changed as Record<string, unknown>
  if (model !== request.model)
    throw refused('another model. Use ModelFallback or ModelRouter of @millrace/steering')
  if (responseFormat !== undefined) throw refused('a responseFormat. Use the output option of the agent')
  // The agent does its own retries, inside.
  const settings = Object.keys(isRecord(modelSettings) ? modelSettings : {}).filter(
    (key) => key !== 'maxRetries',
  )
  if (settings.length > 0)
    throw refused(`the settings ${settings.join(', ')}. Use modelSettings and providerOptions of the agent`)
  const names = new Set((tools as { name?: string }[]).map(({ name }) => name))
  const known = params.tools ?? []
  for (const name of names)
    if (!known.some((tool) => tool.name === name))
      throw refused(`the tool '${name}', which the agent does not have`)
  const system =
    systemMessage === request.systemMessage ? systemPrompt : (systemMessage as SystemMessage)?.text
  const choice = toolChoice === request.toolChoice ? params.toolChoice : choiceOf(toolChoice)
  const { toolChoice: _, ...rest } = params
  return {
    ...rest,
    prompt: given.read(String(system ?? ''), messages as BaseMessage[]),
    ...(params.tools && { tools: known.filter(({ name }) => names.has(name)) }),
    ...(choice && { toolChoice: choice }),
  }
}

function refused(what: string): Error {
  return new Error(`A wrapModelCall requested ${what}.`)
}

function withoutOrigin(message: LanguageModelV4Message): LanguageModelV4Message {
  const { providerOptions: _, ...rest } = message
  if (rest.role === 'system') return rest
  return {
    ...rest,
    content: (rest.content as object[]).map(
      ({ providerOptions: __, ...part }: { providerOptions?: unknown }) => part,
    ),
  } as LanguageModelV4Message
}

/**
 * Stands in for the agent's model. It can only answer through the handler, which runs the inner processors.
 */
class HandlerOnly extends BaseChatModel {
  constructor() {
    super({})
  }

  override _llmType(): string {
    return 'millrace'
  }

  override _generate(): Promise<ChatResult> {
    return Promise.reject(
      new Error(
        'A middleware called request.model, which would bypass the processors. Call handler(request), or a model of its own.',
      ),
    )
  }
}
