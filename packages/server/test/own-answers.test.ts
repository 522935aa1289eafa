import type { LanguageModelV4 } from '@ai-sdk/provider'
import { guardModel } from '@millrace/interop/ai-sdk'
import { PIIDetector } from '@millrace/pii'
import { finish, reasoning, ScriptedModel, type ScriptPart, text, toolCall } from '@millrace/testing'
import fc from 'fast-check'
import type OpenAI from 'openai'
import { expect, test } from 'vitest'
import { agents, proxied } from './openai-scene.ts'

type ChatMessage = OpenAI.ChatCompletionMessageParam
type Item = OpenAI.Responses.ResponseInputItem

/** Arguments that a model wrote, also such that were cut off. */
const written = fc.oneof(
  fc.constantFrom('', '{}', '{"q": "Os', '[1]', '"x"', 'null', '{}{}', '{"a":{"b":[1,"2"]}}', '\ud800'),
  fc.string(),
  fc.json(),
)

/** Unique ids, and those of models that count again in each answer, or have none. */
const ids = fc.oneof(fc.uuid(), fc.constantFrom('call_0', 'call_1', ''))

const parts: fc.Arbitrary<ScriptPart> = fc.oneof(
  fc.string().map((said) => text(said)),
  fc.string().map((thought) => reasoning(thought)),
  fc
    .tuple(fc.oneof(fc.constantFrom('look', '', 'no such tool', '__proto__'), fc.string()), written, ids)
    .map(([name, rawInput, id]) => toolCall(name, {}, { rawInput, id })),
)

const turns = fc
  .tuple(fc.array(parts, { maxLength: 4 }), fc.constantFrom('stop', 'length', 'content-filter', 'other'))
  .map(([said, reason]): ScriptPart[] => [...said, finish({ reason: reason as 'stop' })])

const guards: Record<string, (model: LanguageModelV4) => LanguageModelV4> = {
  'a model': (model) => model,
  'a guarded model': (model) => guardModel(model, [new PIIDetector()]),
}

const tool = { name: 'look', parameters: { type: 'object', properties: {} } }

/** The message that a client keeps of a chat completion. */
async function chatAnswer(
  client: OpenAI,
  messages: ChatMessage[],
  stream: boolean,
): Promise<OpenAI.ChatCompletionMessage> {
  const body = { model: 'small', messages, tools: [{ type: 'function' as const, function: tool }] }
  const completion = stream
    ? await client.chat.completions.stream(body).finalChatCompletion()
    : await client.chat.completions.create(body)
  return (completion.choices[0] as OpenAI.ChatCompletion.Choice).message
}

async function answerOf(client: OpenAI, input: Item[], stream: boolean): Promise<Item[]> {
  const body = {
    model: 'small',
    input,
    tools: [{ type: 'function' as const, strict: false, ...tool }],
  }
  const { output } = stream
    ? await client.responses.stream(body).finalResponse()
    : await client.responses.create(body)
  return output as Item[]
}

test.each(Object.entries(guards))('%s accepts its own chat completions as history', async (_, guard) => {
  await fc.assert(
    fc.asyncProperty(turns, turns, fc.boolean(), async (first, second, stream) => {
      const model = new ScriptedModel([first, second, 'Done.'])
      const { client, errors } = await proxied(guard(model))
      const messages: ChatMessage[] = [{ role: 'user', content: 'Hello' }]
      for (let turn = 0; turn < 2; turn++) {
        const answer = await chatAnswer(client, messages, stream)
        messages.push(answer)
        for (const { id } of answer.tool_calls ?? [])
          messages.push({ role: 'tool', tool_call_id: id, content: 'found' })
        messages.push({ role: 'user', content: 'And?' })
      }
      expect((await chatAnswer(client, messages, stream)).content).toBe('Done.')
      expect(errors).toEqual([])
      for (const message of model.calls.flatMap(({ prompt }) => prompt)) {
        if (message.role !== 'assistant') continue
        for (const part of message.content)
          if (part.type === 'tool-call') expect(part.input).toBeTypeOf('object')
      }
    }),
    { numRuns: 60 },
  )
})

test.each(Object.entries(guards))('%s accepts its own responses as history', async (_, guard) => {
  await fc.assert(
    fc.asyncProperty(turns, turns, fc.boolean(), async (first, second, stream) => {
      const { client, errors } = await proxied(guard(new ScriptedModel([first, second, 'Done.'])))
      const input: Item[] = [{ role: 'user', content: 'Hello' }]
      for (let turn = 0; turn < 2; turn++) {
        const output = await answerOf(client, input, stream)
        input.push(...output)
        for (const item of output) {
          if (item.type === 'function_call')
            input.push({ type: 'function_call_output', call_id: item.call_id, output: 'found' })
        }
        input.push({ role: 'user', content: 'And?' })
      }
      expect(await answerOf(client, input, stream)).toMatchObject([{ content: [{ text: 'Done.' }] }])
      expect(errors).toEqual([])
    }),
    { numRuns: 60 },
  )
})

test('an agent accepts its own answers as history, also an empty one', async () => {
  for (const said of ['Hi.', '', ' ']) {
    const { client, errors } = await agents(new ScriptedModel([text(said), text(said), 'Done.', 'Done.']))
    const model = 'support'
    const first = await client.chat.completions.create({
      model,
      messages: [{ role: 'user', content: 'Hello' }],
    })
    const answer = first.choices[0]?.message as OpenAI.ChatCompletionMessage
    const asked = await client.responses.create({ model, input: 'Hello' })
    const chat = await client.chat.completions.create({
      model,
      messages: [{ role: 'user', content: 'Hello' }, answer, { role: 'user', content: 'And?' }],
    })
    const response = await client.responses.create({
      model,
      input: [
        { role: 'user', content: 'Hello' },
        ...(asked.output as Item[]),
        { role: 'user', content: 'And?' },
      ],
    })
    expect([chat.choices[0]?.message.content, response.output_text]).toEqual(['Done.', 'Done.'])
    expect(errors).toEqual([])
  }
})

test('a refusal of another model is history that a model can be sent', async () => {
  const model = new ScriptedModel(['Fine.'])
  const { client } = await proxied(model)
  await client.chat.completions.create({
    model: 'small',
    messages: [
      { role: 'user', content: 'Do it' },
      { role: 'assistant', content: null, refusal: 'I will not.' },
      { role: 'assistant', content: [{ type: 'refusal', refusal: 'Never.' }] },
      { role: 'user', content: 'And now?' },
    ],
  })
  expect(model.calls[0]?.prompt.slice(1, 3)).toEqual([
    { role: 'assistant', content: [{ type: 'text', text: 'I will not.' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'Never.' }] },
  ])
})
