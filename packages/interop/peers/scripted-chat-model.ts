import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager'
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, AIMessageChunk, type BaseMessage } from '@langchain/core/messages'
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs'

/** A scripted model as a chat model of LangChain, as providers write theirs. What it is asked is in the script's calls. */
export class ScriptedChatModel extends BaseChatModel {
  readonly script: LanguageModelV4

  constructor(script: LanguageModelV4) {
    super({})
    this.script = script
  }

  override _llmType(): string {
    return 'scripted'
  }

  override bindTools(tools: unknown[], kwargs: object = {}) {
    return this.withConfig({ tools, ...kwargs } as never)
  }

  override async _generate(messages: BaseMessage[], options: object): Promise<ChatResult> {
    let whole: AIMessageChunk | undefined
    for await (const { message } of this._streamResponseChunks(messages, options as never))
      whole = whole ? whole.concat(message as AIMessageChunk) : (message as AIMessageChunk)
    const { content = '', tool_calls = [], response_metadata, usage_metadata } = whole ?? {}
    const message = new AIMessage({ content, tool_calls, response_metadata, usage_metadata } as never)
    return { generations: [{ text: message.text, message }] }
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const { stream } = await this.script.doStream({
      // All of each message, so that nothing a provider could send goes unseen.
      prompt: messages.map((message) => ({
        role: 'user',
        content: [{ type: 'text', text: JSON.stringify(message) }],
      })),
      ...(options.signal && { abortSignal: options.signal }),
    })
    let calls = 0
    for await (const part of stream as unknown as AsyncIterable<LanguageModelV4StreamPart>) {
      const chunk = chunkOf(part, calls)
      if (part.type === 'tool-call') calls++
      if (!chunk) continue
      yield chunk
      await runManager?.handleLLMNewToken(chunk.text, undefined, undefined, undefined, undefined, { chunk })
    }
  }
}

function chunkOf(part: LanguageModelV4StreamPart, index: number): ChatGenerationChunk | undefined {
  const of = (fields: object, text = '') =>
    new ChatGenerationChunk({ text, message: new AIMessageChunk({ content: '', ...fields } as never) })
  if (part.type === 'error') throw part.error
  if (part.type === 'text-delta') return of({ content: part.delta }, part.delta)
  if (part.type === 'reasoning-delta')
    return of({ content: [{ type: 'reasoning', reasoning: part.delta, index: 0 }] })
  if (part.type === 'tool-call')
    return of({ tool_call_chunks: [{ id: part.toolCallId, name: part.toolName, args: part.input, index }] })
  if (part.type !== 'finish') return undefined
  const { total: input_tokens = 0 } = part.usage.inputTokens
  const { total: output_tokens = 0 } = part.usage.outputTokens
  return of({
    usage_metadata: { input_tokens, output_tokens, total_tokens: input_tokens + output_tokens },
    response_metadata: { finish_reason: part.finishReason.unified, model_name: 'scripted' },
  })
}
