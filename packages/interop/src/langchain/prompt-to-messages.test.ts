import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages'
import { MessageList, ProcessorPipeline } from '@millrace/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { promptOf } from './messages-to-prompt.ts'
import { PromptReader, shownOf } from './prompt-to-messages.ts'

const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } }

/** A message of each kind, with an answer to each call. */
const messages: fc.Arbitrary<BaseMessage[]> = fc
  .array(
    fc.oneof(
      fc.string().map((content) => [new HumanMessage(content)]),
      fc.string().map((content) => [new HumanMessage({ content: [{ type: 'text', text: content }, image] })]),
      fc.string().map((content) => [new AIMessage(content)]),
      fc
        .tuple(fc.uuid(), fc.dictionary(fc.string(), fc.jsonValue()), fc.string())
        .map(([id, args, content]) => [
          new AIMessage({ content, tool_calls: [{ id, name: 'lookUp', args }] }),
          new ToolMessage({ tool_call_id: id, name: 'lookUp', content }),
        ]),
      fc.string().map((reasoning) => [
        new AIMessage({
          content: [
            { type: 'reasoning', reasoning, signature: 'sealed' },
            { type: 'text', text: 'So.' },
          ],
          response_metadata: { output_version: 'v1' },
        } as never),
      ]),
    ),
    { maxLength: 6 },
  )
  .map((groups) => [new SystemMessage('Be brief.'), new HumanMessage('Hi'), ...groups.flat()])

/** As it comes out of a pipeline. */
async function throughPipeline(
  given: readonly BaseMessage[],
  processors: object[] = [],
): Promise<LanguageModelV4Prompt> {
  const pipeline = new ProcessorPipeline(processors as never)
  await pipeline.processPrompt(promptOf(given))
  const systemMessages = [...pipeline.systemMessages]
  return pipeline.messageList.toPrompt({ systemMessages })
}

describe('messages of LangChain', () => {
  test('are returned as the same objects if nothing was edited', async () => {
    await fc.assert(
      fc.asyncProperty(messages, async (given) => {
        const left = new PromptReader(given).read(await throughPipeline(given))
        expect(left.map(({ message }) => message)).toEqual(given)
        for (const { message } of left) expect(given).toContain(message)
      }),
    )
  })

  test('keep their ids, names and calls if a text is edited', async () => {
    const given = [
      new HumanMessage({ id: 'u', name: 'anna', content: [{ type: 'text', text: 'old' }, image] }),
      new AIMessage({
        id: 'a',
        content: 'old',
        tool_calls: [{ id: 'c', name: 'lookUp', args: { key: 'old' } }],
      }),
      new ToolMessage({ id: 't', tool_call_id: 'c', name: 'lookUp', content: 'old' }),
    ]
    const prompt = JSON.parse(
      JSON.stringify(promptOf(given)).replaceAll('old', 'new'),
    ) as LanguageModelV4Prompt
    const left = new PromptReader(given).read(prompt).map(({ message }) => message)
    expect(left).toMatchObject([
      {
        id: 'u',
        name: 'anna',
        content: [
          { type: 'text', text: 'new' },
          { type: 'image', mimeType: 'image/png' },
        ],
      },
      { id: 'a', content: 'new', tool_calls: [{ id: 'c', name: 'lookUp', args: { key: 'new' } }] },
      { id: 't', tool_call_id: 'c', content: 'new', status: 'success' },
    ])
    expect(given[0]?.text).toBe('old')
  })

  test('show other blocks to processors as JSON, and convert them back', () => {
    const given = [new HumanMessage({ id: 'u', content: [{ type: 'document', title: 'secret', text: 7 }] })]
    const prompt = promptOf(given)
    expect(JSON.stringify(prompt)).toContain('secret')
    const edited = JSON.parse(JSON.stringify(prompt).replace('secret', '***')) as LanguageModelV4Prompt
    const [left] = new PromptReader(given).read(edited)
    expect(JSON.stringify(left?.message.content)).toContain('***')
    expect(JSON.stringify(left?.message.content)).not.toContain('secret')
  })

  test('include messages that processors add', async () => {
    const given = [new HumanMessage({ id: 'u', content: 'Hi' })]
    const prompt = await new MessageList()
      .add(
        [
          {
            id: 'x',
            role: 'user',
            content: { parts: [{ type: 'text', text: 'Added.' }] },
            createdAt: new Date(0),
          },
        ],
        'input',
      )
      .toPrompt()
    expect(new PromptReader(given).read([...prompt, ...promptOf(given)])).toMatchObject([
      { message: { content: 'Added.' }, given: undefined },
      { message: { id: 'u' }, given: { id: 'u' } },
    ])
  })

  test('reach a model without fields that no processor sees, except signatures', () => {
    const message = new AIMessage({
      content: 'Hi',
      additional_kwargs: { reasoning_content: 'secret', tool_calls: [], thought_signatures: ['s'] } as never,
    })
    expect(shownOf(message).additional_kwargs).toEqual({ thought_signatures: ['s'] })
  })

  test('of an unsupported type are rejected', () => {
    const odd = { type: 'function', content: 'x', id: 'f' } as unknown as BaseMessage
    expect(() => promptOf([odd])).toThrow(expect.objectContaining({ code: 'RUN_INPUT_INVALID' }))
  })
})
