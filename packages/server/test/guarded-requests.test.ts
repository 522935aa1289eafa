import { guardModel } from '@millrace/interop/ai-sdk'
import { PIIDetector } from '@millrace/pii'
import { createHandler } from '@millrace/server'
import { ScriptedModel, text, toolCall } from '@millrace/testing'
import fc from 'fast-check'
import type OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { authenticate, proxied } from './openai-scene.ts'

const CANARY = 'jo.canary@example.com'
const JO = 'jo@example.com'

const schema = {
  $comment: 'Kept short',
  type: 'object',
  title: 'Order',
  description: 'An order',
  properties: {
    size: { type: 'string', description: 'How large', enum: ['small', 'large'], default: 'small' },
    kind: { const: 'express', examples: ['express'] },
    code: { type: 'string', pattern: '^a+$' },
    list: { type: 'array', items: { $ref: '#/$defs/other' } },
  },
  required: ['size'],
  $defs: { other: { type: 'string' } },
}

const chat = {
  model: 'small',
  messages: [
    { role: 'system', content: 'Be brief.', name: 'app' },
    { role: 'developer', content: [{ type: 'text', text: 'Be kind.' }] },
    { role: 'user', content: 'Hello', name: 'ada' },
    {
      role: 'assistant',
      content: 'I look.',
      refusal: null,
      tool_calls: [
        { id: 'call_1', type: 'function', function: { name: 'order', arguments: '{"size":{"a":"small"}}' } },
        { id: 'call_2', type: 'function', function: { name: 'order', arguments: '{"size": "Os' } },
      ],
    },
    { role: 'tool', tool_call_id: 'call_1', content: 'found' },
    { role: 'tool', tool_call_id: 'call_2', content: [{ type: 'text', text: 'found' }] },
    { role: 'assistant', content: null, refusal: 'I will not.' },
    { role: 'assistant', content: [{ type: 'refusal', refusal: 'Never.' }] },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'And these?' },
        { type: 'image_url', image_url: { url: 'https://cdn.example.com/a', detail: 'low' } },
        { type: 'file', file: { file_data: 'https://cdn.example.com/b', filename: 'b.pdf' } },
      ],
    },
  ],
  stop: ['END'],
  tools: [
    {
      type: 'function',
      function: { name: 'order', description: 'Orders', parameters: schema, strict: true },
    },
  ],
  tool_choice: { type: 'function', function: { name: 'order' } },
  response_format: { type: 'json_schema', json_schema: { name: 'order', description: 'The order', schema } },
  user: 'u-1',
  metadata: { topic: 'orders' },
  safety_identifier: 's-1',
  prompt_cache_key: 'k-1',
  logit_bias: { a: 1 },
}

const responses = {
  model: 'small',
  instructions: 'Be brief.',
  input: [
    { role: 'developer', content: 'Be kind.' },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] },
    { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }] },
    {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      status: 'completed',
      content: [
        { type: 'output_text', text: 'I look.', annotations: [] },
        { type: 'refusal', refusal: 'Not all.' },
      ],
    },
    { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'order', arguments: '{"size":"small"}' },
    { type: 'function_call_output', call_id: 'call_1', output: 'found' },
    { type: 'function_call', call_id: 'call_2', name: 'order', arguments: '{"a":1}' },
    {
      type: 'function_call_output',
      call_id: 'call_2',
      output: [
        { type: 'input_text', text: 'found' },
        { type: 'input_image', image_url: 'https://cdn.example.com/c' },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'input_image', image_url: 'https://cdn.example.com/a', detail: 'low' },
        { type: 'input_file', file_url: 'https://cdn.example.com/b', filename: 'b.pdf' },
      ],
    },
  ],
  tools: [{ type: 'function', name: 'order', description: 'Orders', parameters: schema, strict: true }],
  tool_choice: { type: 'function', name: 'order' },
  text: { format: { type: 'json_schema', name: 'order', description: 'The order', schema } },
  metadata: { topic: 'orders' },
  user: 'u-1',
  safety_identifier: 's-1',
}

/** The body with the canary at the end of one of its texts or keys, for each of them. */
function bodiesOf(body: object): string[] {
  const json = JSON.stringify(body)
  return [...json.matchAll(/"(?:[^"\\]|\\.)*"/g)].map(({ index, 0: found }) => {
    const end = index + found.length - 1
    return `${json.slice(0, end)} ${CANARY}${json.slice(end)}`
  })
}

describe.each([
  ['chat/completions', chat],
  ['responses', responses],
])('a guard behind /v1/%s', (path, request) => {
  const ask = async (body: string, guards: PIIDetector[] | undefined) => {
    const model = new ScriptedModel(['{}'])
    const proxy = { small: guards ? guardModel(model, guards) : model }
    const handler = createHandler({ agents: {}, proxy, authenticate, onError: () => {} })
    const headers = { authorization: 'Bearer key-of-ada', 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body }
    const { status } = await handler(new Request(`https://models.example.com/v1/${path}`, init))
    return { status, asked: decodeURIComponent(JSON.stringify(model.calls)) }
  }

  test('lets the request through', async () => {
    expect(await ask(JSON.stringify(request), [new PIIDetector()])).toMatchObject({ status: 200 })
  })

  test.each(['block', 'redact', 'tokenize'] as const)(
    'sees every text of a request that reaches the provider (%s)',
    async (how) => {
      const passed: string[] = []
      let reaching = 0
      for (const body of bodiesOf(request)) {
        if (!(await ask(body, undefined)).asked.includes(CANARY)) continue
        reaching++
        const guard =
          how === 'tokenize' ? new PIIDetector({ redaction: how }) : new PIIDetector({ strategy: how })
        const { status, asked } = await ask(body, [guard])
        if (asked.includes(CANARY) || ![200, 400].includes(status)) passed.push(body)
      }
      expect(passed).toEqual([])
      expect(reaching).toBeGreaterThan(60)
    },
  )
})

describe('tokenize behind /v1', () => {
  const detector = () => new PIIDetector({ redaction: 'tokenize', hashKey: 'k'.repeat(32) })
  /** Repeats the newest placeholder, in its text and in a call of a tool. */
  const repeats = (chunkSize: number) =>
    new ScriptedModel(({ prompt }) => {
      const to =
        JSON.stringify(prompt)
          .match(/\[EMAIL_\w+\]/g)
          ?.at(-1) ?? 'nobody'
      return [text(`Mail ${to}, now.`, { chunkSize }), toolCall('send', { to }, { chunkSize })]
    })
  const tool = { name: 'send', parameters: { type: 'object', properties: {} } }

  test('gives clients of chat completions the originals, in every turn and however the stream is cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 40 }), fc.boolean(), async (chunkSize, stream) => {
        const model = repeats(chunkSize)
        const { client } = await proxied(guardModel(model, [detector()]))
        const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: `I am ${JO}` }]
        for (let turn = 0; turn < 3; turn++) {
          const body = { model: 'small', messages, tools: [{ type: 'function' as const, function: tool }] }
          const completion = stream
            ? await client.chat.completions.stream(body).finalChatCompletion()
            : await client.chat.completions.create(body)
          const message = completion.choices[0]?.message as OpenAI.ChatCompletionMessage
          expect(message).toMatchObject({
            content: `Mail ${JO}, now.`,
            tool_calls: [{ function: { name: 'send', arguments: `{"to":"${JO}"}` } }],
          })
          messages.push(message)
          for (const { id } of message.tool_calls ?? [])
            messages.push({ role: 'tool', tool_call_id: id, content: `Sent to ${JO}` })
        }
        expectTokens(model, 1)
      }),
      { numRuns: 15 },
    )
  })

  test('gives clients of responses the originals, in every turn and however the stream is cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 40 }), fc.boolean(), async (chunkSize, stream) => {
        const model = repeats(chunkSize)
        const { client } = await proxied(guardModel(model, [detector()]))
        const input: OpenAI.Responses.ResponseInputItem[] = [{ role: 'user', content: `I am ${JO}` }]
        for (let turn = 0; turn < 3; turn++) {
          const body = {
            model: 'small',
            input,
            tools: [{ type: 'function' as const, strict: false, ...tool }],
          }
          const { output } = stream
            ? await client.responses.stream(body).finalResponse()
            : await client.responses.create(body)
          expect(output).toMatchObject([
            { type: 'message', content: [{ text: `Mail ${JO}, now.` }] },
            { type: 'function_call', arguments: `{"to":"${JO}"}` },
          ])
          input.push(...(output as typeof input))
          for (const item of output) {
            if (item.type !== 'function_call') continue
            input.push({ type: 'function_call_output', call_id: item.call_id, output: `Sent to ${JO}` })
          }
        }
        expectTokens(model, 1)
      }),
      { numRuns: 15 },
    )
  })
})

/** The model was only asked with so many placeholders, and with no original. */
function expectTokens({ calls }: ScriptedModel, count: number): void {
  const asked = JSON.stringify(calls)
  expect(asked).not.toContain('@example')
  expect(new Set(asked.match(/\[EMAIL_\w+\]/g))).toHaveLength(count)
}
