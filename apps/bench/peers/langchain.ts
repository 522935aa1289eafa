import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessageChunk, isAIMessageChunk } from '@langchain/core/messages'
import { ChatGenerationChunk } from '@langchain/core/outputs'
import { MemorySaver } from '@langchain/langgraph'
import { createAgent, createMiddleware, piiMiddleware, tool } from 'langchain'
import { z } from 'zod'
import { StreamModel, textAnswer, toolAnswer } from '../src/stream-model.ts'
import { CHUNKS, LAST_CHUNKS, type Peer, read } from './peer.ts'

/** The same model stream, through LangChain's interface. */
class StreamChatModel extends BaseChatModel {
  readonly #model: StreamModel

  constructor(model: StreamModel) {
    super({})
    this.#model = model
  }

  _llmType(): string {
    return 'bench'
  }

  override bindTools(): this {
    return this
  }

  async _generate(): Promise<never> {
    throw new Error('Only streams are measured.')
  }

  override async *_streamResponseChunks(_messages, _options, manager): AsyncGenerator<ChatGenerationChunk> {
    const { stream } = await this.#model.doStream()
    for await (const part of stream) {
      const chunk = chunkOf(part)
      if (!chunk) continue
      yield chunk
      await manager?.handleLLMNewToken(chunk.text, undefined, undefined, undefined, undefined, { chunk })
    }
  }
}

function chunkOf(part): ChatGenerationChunk | undefined {
  if (part.type === 'text-delta') {
    return new ChatGenerationChunk({ text: part.delta, message: new AIMessageChunk({ content: part.delta }) })
  }
  if (part.type !== 'tool-call') return undefined
  const call = {
    id: part.toolCallId,
    name: part.toolName,
    args: part.input,
    index: 0,
    type: 'tool_call_chunk' as const,
  }
  return new ChatGenerationChunk({
    text: '',
    message: new AIMessageChunk({ content: '', tool_call_chunks: [call] }),
  })
}

const weather = tool(({ city }) => JSON.stringify({ city, degrees: 7 }), {
  name: 'weather',
  description: 'Says what the weather is like.',
  schema: z.object({ city: z.string() }),
})
const model = new StreamChatModel(new StreamModel(textAnswer(CHUNKS)))
const plain = createAgent({ model, tools: [] })
const withTool = createAgent({
  model: new StreamChatModel(
    new StreamModel(toolAnswer('weather', { city: 'Oslo' }), textAnswer(LAST_CHUNKS)),
  ),
  tools: [weather],
})
const withTen = createAgent({
  model,
  tools: [],
  middleware: Array.from({ length: 10 }, (_, index) =>
    createMiddleware({ name: `passes-${index}`, wrapModelCall: (request, handler) => handler(request) }),
  ),
})
/** It redacts the finished message; streamed text has already been emitted unredacted. */
const guard = (type: string) => piiMiddleware(type, { strategy: 'redact', applyToOutput: true })
const withGuard = createAgent({ model, tools: [], middleware: [guard('email')] })
const withFourGuards = createAgent({
  model,
  tools: [],
  middleware: ['email', 'credit_card', 'ip', 'url'].map(guard),
})
const remembering = createAgent({
  model: new StreamChatModel(new StreamModel(textAnswer(LAST_CHUNKS))),
  tools: [],
  // In memory: stores on disk need separate packages.
  checkpointer: new MemorySaver(),
})
const input = { messages: [{ role: 'user' as const, content: 'Hi' }] }
const options = { streamMode: 'messages' as const }

export const langchain: Peer = {
  name: 'LangChain',
  text: async () => read(await plain.stream(input, options), { isText, chunks: CHUNKS }),
  // Its middleware wraps the call and does not see chunks, so it does less work than the others.
  textWithTen: async () => read(await withTen.stream(input, options), { isText, chunks: CHUNKS }),
  textWithGuard: async () => read(await withGuard.stream(input, options), { isText, chunks: 'some' }),
  textWithFourGuards: async () =>
    read(await withFourGuards.stream(input, options), { isText, chunks: 'some' }),
  memoryTurn: async () => {
    const place = { ...options, configurable: { thread_id: 'talk' } }
    await read(await remembering.stream(input, place), { isText, chunks: LAST_CHUNKS })
  },
  toolStep: async () => read(await withTool.stream(input, options), { isText, chunks: LAST_CHUNKS }),
}

function isText([message]: [AIMessageChunk]): boolean {
  return isAIMessageChunk(message) && message.text !== ''
}
