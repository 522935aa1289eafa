import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, AIMessageChunk, type BaseMessage, HumanMessage } from '@langchain/core/messages'
import type { ChatGenerationChunk, ChatResult } from '@langchain/core/outputs'
import { ChatGenerationChunk as Generation } from '@langchain/core/outputs'
import { FakeListChatModel, FakeStreamingChatModel } from '@langchain/core/utils/testing'
import type { Processor } from '@millrace/core'
import { RegexFilter } from '@millrace/guards/regex-filter'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { guardChatModel } from './guarded-chat-model.ts'

const redact = () => new RegexFilter({ patterns: [/KEY-\d{8}/], strategy: 'redact' })

/** A model that says these chunks, and keeps what it is asked. */
class ChunkModel extends BaseChatModel {
  readonly asked: { messages: BaseMessage[]; options: Record<string, unknown> }[] = []
  readonly chunks: readonly object[]

  constructor(chunks: readonly object[]) {
    super({})
    this.chunks = chunks
  }

  override _llmType(): string {
    return 'chunks'
  }

  override bindTools(tools: unknown[], kwargs: object = {}) {
    return this.withConfig({ bound: tools, ...kwargs } as never)
  }

  override _generate(): Promise<ChatResult> {
    return Promise.reject(new Error('It streams.'))
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
  ): AsyncGenerator<ChatGenerationChunk> {
    this.asked.push({ messages, options: options as never })
    for (const fields of this.chunks)
      yield new Generation({ text: '', message: new AIMessageChunk({ content: '', ...fields } as never) })
  }
}

async function streamed(model: BaseChatModel, more: object = {}): Promise<AIMessageChunk> {
  let whole: AIMessageChunk | undefined
  for await (const chunk of await model.stream('Hi', more)) whole = whole ? whole.concat(chunk) : chunk
  return whole as AIMessageChunk
}

describe('a guarded chat model', () => {
  test('returns what the model returns, at every split of text and calls', async () => {
    const args = JSON.stringify({ key: 'a', nested: [1, { b: true }] })
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(args.length), { maxLength: 4 }),
        fc.array(fc.string()),
        async (cuts, texts) => {
          const edges = [0, ...cuts.sort((a, b) => a - b), args.length]
          const chunks = [
            ...texts.map((content) => ({ content })),
            ...edges.slice(1).map((edge, index) => ({
              tool_call_chunks: [
                {
                  index: 0,
                  args: args.slice(edges[index], edge),
                  ...(index === 0 && { id: 'c', name: 'lookUp' }),
                },
              ],
            })),
          ]
          const answer = await streamed(guardChatModel(new ChunkModel(chunks), []))
          expect(answer.text).toBe(texts.join(''))
          expect(answer.tool_calls).toMatchObject([{ id: 'c', name: 'lookUp', args: JSON.parse(args) }])
        },
      ),
    )
  })

  test('keeps reasoning with its signature, files, usage and the finish reason', async () => {
    const answer = await streamed(
      guardChatModel(
        new ChunkModel([
          { content: [{ type: 'reasoning', reasoning: 'Hm, KEY-1234', index: 0 }] },
          { content: [{ type: 'reasoning', reasoning: '5678.', signature: 'sealed', index: 0 }] },
          { content: [{ type: 'text', text: 'See.', index: 1 }] },
          { content: [{ type: 'image', mimeType: 'image/png', data: 'aGk=', index: 2 }] },
          { content: [{ type: 'text', text: 'So.', index: 3 }] },
          {
            usage_metadata: {
              input_tokens: 3,
              output_tokens: 2,
              total_tokens: 5,
              output_token_details: { reasoning: 1 },
            },
            response_metadata: { stop_reason: 'max_tokens', model_name: 'm', unknown: 'KEY-12345678' },
            additional_kwargs: { note: 'KEY-12345678' },
          },
        ]),
        [new RegexFilter({ patterns: [/never/], strategy: 'redact' })],
      ),
    )
    expect(answer.contentBlocks).toMatchObject([
      { type: 'reasoning', reasoning: 'Hm, KEY-12345678.', signature: 'sealed' },
      { type: 'text', text: 'See.' },
      { type: 'image', mimeType: 'image/png' },
      { type: 'text', text: 'So.' },
    ])
    expect(answer.usage_metadata).toMatchObject({ input_tokens: 3, output_tokens: 2, total_tokens: 5 })
    expect(answer.response_metadata).toMatchObject({ finish_reason: 'max_tokens', model_name: 'm' })
    // What no processor has seen is left out.
    expect(JSON.stringify([answer.response_metadata, answer.additional_kwargs])).not.toContain('KEY')
  })

  test('works with a model that cannot stream, and with one that only streams', async () => {
    const list = new FakeListChatModel({ responses: ['It is KEY-12345678.'] })
    expect((await guardChatModel(list, [redact()]).invoke('Hi')).text).toBe('It is [REDACTED].')
    const streams = new FakeStreamingChatModel({
      chunks: [new AIMessageChunk('It is KEY-'), new AIMessageChunk('12345678.')],
    })
    expect((await streamed(guardChatModel(streams, [redact()]))).text).toBe('It is [REDACTED].')
    const whole = new FakeStreamingChatModel({ responses: [new AIMessage('It is KEY-12345678.')] })
    whole.disableStreaming = true
    expect((await streamed(guardChatModel(whole, [redact()]))).text).toBe('It is [REDACTED].')
  })

  test('binds the tools and the tool choice that processors leave', async () => {
    const model = new ChunkModel([{ content: 'Fine.' }])
    const definition = (name: string) => ({
      type: 'function',
      function: { name, description: 'x', parameters: { type: 'object', properties: {} } },
    })
    const chooses: Processor = {
      id: 'chooses',
      processInputStep: ({ tools }) => ({ tools: { one: tools.one as never }, toolChoice: 'required' }),
    }
    const guarded = guardChatModel(model, [chooses])
    await guarded
      .bindTools?.([definition('one'), definition('two'), { type: 'web_search' }], {
        parallel_tool_calls: false,
      } as never)
      .stream('Hi')
      .then(async (stream) => {
        for await (const _ of stream);
      })
    const options = model.asked[0]?.options ?? {}
    // Tools of providers, which only they know, stay.
    expect(options.bound).toEqual([{ type: 'web_search' }, definition('one')])
    expect(options.tool_choice).toBe('any')
    expect(options.parallel_tool_calls).toBe(false)
  })

  test('rejects tools if the model does not support them', async () => {
    const list = new FakeListChatModel({ responses: ['x'] })
    Object.assign(list, { bindTools: undefined })
    const tool = { type: 'function', function: { name: 'one', parameters: {} } }
    const model = guardChatModel(list, []).bindTools?.([tool])
    await expect(model?.invoke('Hi')).rejects.toThrow(/has no bindTools/)
  })

  test("does not change the caller's messages", async () => {
    const given = new HumanMessage('KEY-12345678')
    const model = new ChunkModel([{ content: 'Fine.' }])
    for await (const _ of await guardChatModel(model, [redact()]).stream([given]));
    expect(given.text).toBe('KEY-12345678')
    expect(model.asked[0]?.messages[0]?.text).toBe('[REDACTED]')
  })
})
