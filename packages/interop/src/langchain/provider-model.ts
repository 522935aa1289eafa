import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
  SharedV4Warning,
} from '@ai-sdk/provider'
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import type { AIMessage, BaseMessage } from '@langchain/core/messages'
import type { ChatGenerationChunk } from '@langchain/core/outputs'
import { partsOf, streamOf } from '../ai-sdk/generated-parts.ts'
import { type BoundCall, bindCall } from './bound-call.ts'
import { PromptReader, shownOf } from './prompt-to-messages.ts'
import { Answer } from './read-answer.ts'

/**
 * A LangChain chat model as a model of the AI SDK, for one call. It is called without callbacks: no processor
 * has seen its answer yet, so no tracer and no stream of LangChain may see it either.
 */
export class ProviderModel implements LanguageModelV4 {
  readonly specificationVersion = 'v4'
  readonly provider: string
  readonly modelId: string
  readonly supportedUrls: LanguageModelV4['supportedUrls'] = { '*/*': [/./] }
  readonly #model: BaseChatModel
  readonly #messages: readonly BaseMessage[]
  readonly #call: BoundCall
  readonly #onAsked: (messages: readonly BaseMessage[]) => void

  /**
   * @param messages The messages that the prompt was read from. Unchanged ones are sent to the model as they
   *   are
   */
  constructor(
    model: BaseChatModel,
    messages: readonly BaseMessage[],
    { call, onAsked }: { call: BoundCall; onAsked: (messages: readonly BaseMessage[]) => void },
  ) {
    const { ls_provider, ls_model_name } = model.getLsParams(call.options as never)
    this.provider = ls_provider || 'langchain'
    this.modelId = ls_model_name || model._llmType()
    this.#model = model
    this.#messages = messages
    this.#call = call
    this.#onAsked = onAsked
  }

  async doGenerate(given: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
    const { model, options, warnings } = bindCall(this.#model, this.#call, given)
    const { generations } = await model._generate(this.#read(given), options as never)
    const [generation] = generations
    if (!generation) throw new Error('The model returned no answer.')
    const answer = new Answer()
    const content = answer.whole(generation.message as AIMessage, generation.generationInfo)
    return { content, ...answer.end(), warnings, response: answer.response }
  }

  async doStream(given: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    const { model, options, warnings } = bindCall(this.#model, this.#call, given)
    if (!streams(model)) {
      const result = await this.doGenerate(given)
      return { stream: streamOf(partsOf(result)) }
    }
    const chunks = model._streamResponseChunks(this.#read(given), options as never)
    return { stream: streamParts(chunks, warnings) }
  }

  #read({ prompt }: LanguageModelV4CallOptions): BaseMessage[] {
    const messages = new PromptReader(this.#messages).read(prompt).map(({ message }) => shownOf(message))
    this.#onAsked(messages)
    return messages
  }
}

function streams(model: BaseChatModel): boolean {
  return (
    model._streamResponseChunks !== BaseChatModel.prototype._streamResponseChunks && !model.disableStreaming
  )
}

function streamParts(
  chunks: AsyncGenerator<ChatGenerationChunk>,
  warnings: SharedV4Warning[],
): ReadableStream<LanguageModelV4StreamPart> {
  const answer = new Answer()
  return new ReadableStream<LanguageModelV4StreamPart>({
    start: (controller) => controller.enqueue({ type: 'stream-start', warnings }),
    async pull(controller) {
      for (;;) {
        const { done, value } = await chunks.next()
        if (done) {
          for (const part of answer.close()) controller.enqueue(part)
          controller.enqueue({ type: 'response-metadata', ...answer.response })
          controller.enqueue({ type: 'finish', ...answer.end() })
          return controller.close()
        }
        const parts = answer.add(value)
        for (const part of parts) controller.enqueue(part)
        if (parts.length > 0) return
      }
    },
    cancel: async () => void (await chunks.return(undefined)),
  })
}
