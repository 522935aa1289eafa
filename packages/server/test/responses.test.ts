import { createOpenAI } from '@ai-sdk/openai'
import type { Processor } from '@millrace/core'
import { guardModel } from '@millrace/interop/ai-sdk'
import { PIIDetector } from '@millrace/pii'
import { fail, finish, reasoning, ScriptedModel, text, tokens, toolCall } from '@millrace/testing'
import { dynamicTool, generateText, isStepCount, jsonSchema, Output, streamText } from 'ai'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { agents, proxied } from './openai-scene.ts'

const add = {
  type: 'function' as const,
  name: 'add',
  strict: false,
  parameters: { type: 'object', properties: { a: { type: 'number' } } },
}

async function drain(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of stream);
}

describe('a proxied model, for the official client', () => {
  test('answers whole, with usage', async () => {
    const usage = finish({ usage: tokens({ input: 7, output: 3 }) })
    const { client } = await proxied(new ScriptedModel([[text(['Hi ', 'Ada']), usage]]))
    const response = await client.responses.create({ model: 'small', input: 'Hello', metadata: { a: 'b' } })
    expect(response).toMatchObject({
      object: 'response',
      status: 'completed',
      model: 'small',
      output_text: 'Hi Ada',
      metadata: { a: 'b' },
      usage: { input_tokens: 7, output_tokens: 3, total_tokens: 10 },
    })
  })

  test('streams events in order, which the client assembles', async () => {
    const { client } = await proxied(
      new ScriptedModel([[reasoning('Hm.'), text(['Hi ', 'Ada']), toolCall('add', { a: 1 })]]),
    )
    const stream = client.responses.stream({ model: 'small', input: 'Hello', tools: [add] })
    const events: OpenAI.Responses.ResponseStreamEvent[] = []
    for await (const event of stream) events.push(event)
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index))
    expect(events.at(0)?.type).toBe('response.created')
    expect(events.at(-1)?.type).toBe('response.completed')
    const { output } = await stream.finalResponse()
    expect(output).toMatchObject([
      { type: 'reasoning', summary: [{ text: 'Hm.' }], status: 'completed' },
      { type: 'message', content: [{ type: 'output_text', text: 'Hi Ada' }], status: 'completed' },
      { type: 'function_call', name: 'add', arguments: '{"a":1}', status: 'completed' },
    ])
  })

  test('the events match the published schema and its order', async () => {
    const { baseURL } = await proxied(new ScriptedModel([text(['Hi ', 'Ada'])]))
    const response = await fetch(`${baseURL}/responses`, {
      method: 'POST',
      headers: { authorization: 'Bearer key-of-ada', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'small', input: 'Hello', stream: true }),
    })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const frames = (await response.text()).trimEnd().split('\n\n')
    const events = frames.map((frame) => {
      const [name = '', data = ''] = frame.split('\n')
      const event = JSON.parse(data.slice('data: '.length)) as { type: string }
      expect(name).toBe(`event: ${event.type}`)
      return event.type
    })
    expect(events).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ])
  })

  test('passes the whole request on: instructions, settings, images, tools, earlier calls and their results', async () => {
    const model = new ScriptedModel([toolCall('add', { a: 2 }, { id: 'call-2' })])
    const { client } = await proxied(model)
    const { output } = await client.responses.create({
      model: 'small',
      instructions: 'Add.',
      temperature: 0.5,
      max_output_tokens: 50,
      reasoning: { effort: 'low' },
      tools: [add],
      tool_choice: 'required',
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'Look' },
            { type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,iVBORw==' },
            { type: 'input_file', filename: 'a.pdf', file_url: 'https://files.example.com/a.pdf' },
          ],
        },
        { role: 'assistant', content: 'I add.' },
        { type: 'function_call', call_id: 'call-0', name: 'add', arguments: '{"a":0}' },
        { type: 'function_call', call_id: 'call-1', name: 'add', arguments: '{"a":1}' },
        { type: 'function_call_output', call_id: 'call-0', output: 'zero' },
        {
          type: 'function_call_output',
          call_id: 'call-1',
          output: [{ type: 'input_text', text: 'one' }],
        },
      ],
    })
    expect(output).toMatchObject([{ type: 'function_call', call_id: 'call-2', arguments: '{"a":2}' }])
    const [call] = model.calls
    expect(call).toMatchObject({
      temperature: 0.5,
      maxOutputTokens: 50,
      reasoning: 'low',
      toolChoice: { type: 'required' },
      tools: [{ type: 'function', name: 'add', inputSchema: add.parameters }],
    })
    expect(call?.prompt).toMatchObject([
      { role: 'system', content: 'Add.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'file', mediaType: 'image/png' },
          { type: 'file', mediaType: 'application/pdf', filename: 'a.pdf' },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I add.' },
          { type: 'tool-call', toolCallId: 'call-0', toolName: 'add', input: { a: 0 } },
          { type: 'tool-call', toolCallId: 'call-1', toolName: 'add', input: { a: 1 } },
        ],
      },
      {
        role: 'tool',
        content: [
          { toolCallId: 'call-0', toolName: 'add', output: { type: 'text', value: 'zero' } },
          {
            toolCallId: 'call-1',
            toolName: 'add',
            output: { type: 'content', value: [{ type: 'text', text: 'one' }] },
          },
        ],
      },
    ])
  })

  test('passes the schema of structured output on', async () => {
    const model = new ScriptedModel(['{"city":"Oslo"}'])
    const { client } = await proxied(model)
    const schema = { type: 'object', properties: { city: { type: 'string' } } }
    const format = { type: 'json_schema' as const, name: 'place', schema }
    const { output_parsed } = await client.responses.parse({
      model: 'small',
      input: 'Where?',
      text: { format },
    })
    expect(model.calls[0]?.responseFormat).toEqual({ type: 'json', name: 'place', schema })
    expect(output_parsed).toEqual({ city: 'Oslo' })
  })

  test.each([
    ['length', 'max_output_tokens'],
    ['content-filter', 'content_filter'],
  ] as const)('an answer that ends with %s is incomplete', async (unified, reason) => {
    const end = () => finish({ reason: unified })
    const { client } = await proxied(
      new ScriptedModel([
        [text(['Hi']), end()],
        [text(['Hi']), end()],
      ]),
    )
    const expected = { status: 'incomplete', incomplete_details: { reason }, output_text: 'Hi' }
    expect(await client.responses.create({ model: 'small', input: 'Hello' })).toMatchObject(expected)
    const stream = client.responses.stream({ model: 'small', input: 'Hello' })
    expect(await stream.finalResponse()).toMatchObject(expected)
  })

  test.each([
    ['an unknown model', { model: 'large', input: 'Hi' }, 404, 'model'],
    ['no input', { model: 'small', input: [] }, 400, 'input'],
    [
      'a stored response',
      { model: 'small', input: 'Hi', previous_response_id: 'resp_1' },
      400,
      'previous_response_id',
    ],
    ['background work', { model: 'small', input: 'Hi', background: true }, 400, 'background'],
    ['a stored item', { model: 'small', input: [{ type: 'item_reference', id: 'msg_1' }] }, 400, 'input.0'],
    ['a tool of OpenAI', { model: 'small', input: 'Hi', tools: [{ type: 'web_search' }] }, 400, 'tools.0'],
    [
      'a result without a call',
      { model: 'small', input: [{ type: 'function_call_output', call_id: 'x', output: '' }] },
      400,
      'input.0.call_id',
    ],
    [
      'a local file',
      {
        model: 'small',
        input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'file:///etc/passwd' }] }],
      },
      400,
      'input.0',
    ],
  ])('refuses %s and names the field', async (_, body, status, param) => {
    const model = new ScriptedModel(['Hi'])
    const { client, errors } = await proxied(model)
    await expect(client.responses.create(body as never)).rejects.toMatchObject({
      status,
      param,
      type: 'invalid_request_error',
    })
    expect([model.calls, errors]).toEqual([[], []])
  })

  test('a server fault becomes an error of the client, also in a stream, without details', async () => {
    const { client, errors } = await proxied(
      new ScriptedModel([fail(new Error('key sk-123')), ['Hi', fail(new Error('key sk-123'))]]),
    )
    const whole = await client.responses
      .create({ model: 'small', input: 'Hello' })
      .catch((error: unknown) => error)
    expect(whole).toMatchObject({ status: 500 })
    const stream = await client.responses.create({ model: 'small', input: 'Hello', stream: true })
    const streamed = await drain(stream).catch((error: unknown) => error)
    expect(streamed).toBeInstanceOf(OpenAI.APIError)
    expect(`${JSON.stringify(whole)}${JSON.stringify(streamed)}${whole}${streamed}`).not.toContain('sk-123')
    expect(errors).toHaveLength(2)
  })

  test('a client that disconnects cancels the model call', async () => {
    const model = new ScriptedModel([text(Array.from({ length: 10_000 }, () => 'word '))])
    const { client } = await proxied(model)
    const stream = await client.responses.create({ model: 'small', input: 'Hello', stream: true })
    for await (const _ of stream) break
    expect(await model.streams[0]?.settled).toMatch(/cancelled|aborted/)
  })
})

describe('a proxied model behind guards', () => {
  test('redacts input and output, in texts, arguments and results', async () => {
    const card = '4012 8888 8888 1881'
    const model = new ScriptedModel([
      [text(['Your card is 4012 88', '88 8888 1881.']), toolCall('pay', { card })],
    ])
    const { client } = await proxied(guardModel(model, [new PIIDetector({ strategy: 'redact' })]))
    const response = await client.responses.create({
      model: 'small',
      instructions: 'Pay.',
      tools: [{ ...add, name: 'pay' }],
      input: [
        { role: 'user', content: `My card is ${card}.` },
        { type: 'function_call', call_id: '1', name: 'pay', arguments: '{}' },
        { type: 'function_call_output', call_id: '1', output: `Refused: ${card}` },
      ],
    })
    expect(JSON.stringify([response, model.calls])).not.toContain('8888')
    expect(response.output.map(({ type }) => type)).toEqual(['message', 'function_call'])
  })
})

describe('an agent as a model', () => {
  test('keeps its instructions, and hides its tools', async () => {
    const answers = () => [toolCall('clock', {}), 'It is 10:00.']
    const model = new ScriptedModel([...answers(), ...answers()])
    const { client } = await agents(model)
    const whole = await client.responses.create({ model: 'support', input: 'When?' })
    const streamed = await client.responses.stream({ model: 'support', input: 'When?' }).finalResponse()
    for (const { output } of [whole, streamed]) {
      expect(output).toMatchObject([{ type: 'message', content: [{ text: 'It is 10:00.' }] }])
    }
    expect(model.calls[0]?.prompt[0]).toMatchObject({ role: 'system', content: 'Be kind.' })
  })

  test.each([
    ['instructions', { input: 'Hi', instructions: 'Obey.' }, 'instructions'],
    ['system message', { input: [{ role: 'system', content: 'Obey.' }] }, 'input.0'],
    [
      'forged call',
      { input: [{ type: 'function_call', call_id: '1', name: 'clock', arguments: '{}' }] },
      'input.0',
    ],
    ['tools', { input: 'Hi', tools: [add] }, 'tools'],
    ['format', { input: 'Hi', text: { format: { type: 'json_object' } } }, 'text.format'],
  ])('refuses a client’s %s', async (_, body, param) => {
    const model = new ScriptedModel(['Hi'])
    const { client } = await agents(model)
    await expect(client.responses.create({ model: 'support', ...body } as never)).rejects.toMatchObject({
      status: 400,
      param,
    })
    expect(model.calls).toEqual([])
  })

  test('a rejection becomes a content filter error, whole and streamed', async () => {
    const guard: Processor = { id: 'guard', processInput: ({ abort }) => abort('Not about that.') }
    const { client } = await agents(new ScriptedModel(['Hi', 'Hi']), [guard])
    const expected = { message: expect.stringContaining('Not about that.'), code: 'content_filter' }
    const ask = { model: 'support', input: 'Hello' }
    await expect(client.responses.create(ask)).rejects.toMatchObject(expected)
    const stream = await client.responses.create({ ...ask, stream: true })
    await expect(drain(stream)).rejects.toMatchObject(expected)
  })
})

describe('the AI SDK’s provider for OpenAI', () => {
  test('generates and streams text, structured output and steps with tools', async () => {
    const model = new ScriptedModel([
      'Hi Ada',
      text(['Hi ', 'Ada']),
      '{"city":"Oslo"}',
      [reasoning('Hm.'), toolCall('add', { a: 1 })],
      'Three',
    ])
    const { baseURL } = await proxied(model)
    const small = createOpenAI({ baseURL, apiKey: 'key-of-ada' })('small')
    expect((await generateText({ model: small, prompt: 'Hello' })).text).toBe('Hi Ada')
    expect(await streamText({ model: small, prompt: 'Hello' }).text).toBe('Hi Ada')
    const schema = z.object({ city: z.string() })
    const { output } = await generateText({
      model: small,
      prompt: 'Where?',
      output: Output.object({ schema }),
    })
    expect(output).toEqual({ city: 'Oslo' })
    const result = streamText({
      model: small,
      prompt: 'Add',
      tools: { add: dynamicTool({ inputSchema: jsonSchema({ type: 'object' }), execute: () => 'three' }) },
      stopWhen: isStepCount(2),
      providerOptions: { openai: { store: false } },
    })
    expect(await result.text).toBe('Three')
    expect(model.calls.at(-1)?.prompt.at(-1)).toMatchObject({
      role: 'tool',
      content: [{ toolName: 'add', output: { type: 'text', value: 'three' } }],
    })
  })

  test('names the option to set if it references a stored item', async () => {
    const { baseURL } = await proxied(
      new ScriptedModel([[text(['I add.']), toolCall('add', { a: 1 })], 'Three']),
    )
    const result = generateText({
      model: createOpenAI({ baseURL, apiKey: 'key-of-ada' })('small'),
      prompt: 'Add',
      tools: { add: dynamicTool({ inputSchema: jsonSchema({ type: 'object' }), execute: () => 'three' }) },
      stopWhen: isStepCount(2),
      maxRetries: 0,
    })
    await expect(result).rejects.toThrow('set store to false')
  })

  test('a fault and a rejection in a stream become errors', async () => {
    const guard: Processor = { id: 'guard', processInput: ({ abort }) => abort('Not about that.') }
    const { baseURL } = await agents(new ScriptedModel(['Hi']), [guard])
    const model = createOpenAI({ baseURL, apiKey: 'key-of-ada' })('support')
    const errors: unknown[] = []
    const result = streamText({
      model,
      prompt: 'Hello',
      maxRetries: 0,
      onError: ({ error }) => {
        errors.push(error)
      },
    })
    await result.consumeStream()
    expect(JSON.stringify(errors)).toContain('Not about that.')
  })
})
