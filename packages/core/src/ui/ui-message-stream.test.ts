import {
  errorPart,
  fail,
  file,
  gate,
  reasoning,
  ScriptedModel,
  source,
  text,
  toolCall,
  toolResult,
} from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import {
  type UIMessage as AIUIMessage,
  readUIMessageStream,
  safeValidateUIMessages,
  uiMessageChunkSchema,
} from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent } from '../agent/agent.ts'
import type { AgentOptions, RunOptions } from '../agent/agent-options.ts'
import type { UIMessageChunk } from '../results/ui-message-chunk.ts'
import type { UIMessageStreamOptions } from '../results/ui-message-stream-options.ts'
import { tool } from '../tools/tool.ts'

expect.extend(matchers)

interface Case {
  agent?: Partial<AgentOptions>
  run?: RunOptions
  ui?: UIMessageStreamOptions
}

/** The chunks, each checked with the AI SDK's schema, and the message its own reader makes of them. */
async function read(turns: any[], { agent = {}, run = {}, ui = {} }: Case = {}) {
  const model = new ScriptedModel(turns)
  const stream = new Agent({ model, tools, ...agent }).stream('Hello', run)
  const [own, theirs] = stream.toUIMessageStream(ui).tee()
  const chunks: UIMessageChunk[] = []
  const collected = (async () => {
    for await (const chunk of own) chunks.push(chunk)
  })()
  const errors: unknown[] = []
  const states: AIUIMessage[] = []
  for await (const state of readUIMessageStream({ stream: theirs, onError: (error) => errors.push(error) }))
    states.push(structuredClone(state))
  await collected
  const message = states.at(-1)
  const schema = uiMessageChunkSchema() as unknown as {
    validate: (value: unknown) => Promise<{ success: boolean }>
  }
  for (const chunk of chunks)
    expect(await schema.validate(chunk), JSON.stringify(chunk)).toMatchObject({ success: true })
  const parts: any[] = message?.parts ?? []
  return { model, stream, chunks, types: chunks.map(({ type }) => type), states, message, parts, errors }
}

const tools = {
  weather: tool({ inputSchema: z.object({ city: z.string() }), execute: ({ city }) => `rain in ${city}` }),
  broken: tool({
    inputSchema: z.object({}),
    execute: () => {
      throw new Error('The database is away.')
    },
  }),
}

describe('a run as chunks for a chat client', () => {
  test('text and reasoning are sent as they arrive', async () => {
    const { chunks, parts, stream, message, errors } = await read([
      [reasoning('Hm, well.'), text('Hello there.')],
    ])
    expect(errors).toEqual([])
    expect(chunks[0]).toEqual({ type: 'start', messageId: expect.any(String) })
    expect(chunks.at(-1)).toEqual({ type: 'finish', finishReason: 'stop' })
    expect(parts).toMatchObject([
      { type: 'step-start' },
      { type: 'reasoning', text: 'Hm, well.', state: 'done' },
      { type: 'text', text: 'Hello there.', state: 'done' },
    ])
    expect(message?.id).toBe((await stream.messages)[0]?.id)
  })

  test('the message equals the transcript, including tools, files and sources', async () => {
    const { parts, stream, errors } = await read([
      [
        toolCall('search', { q: 'x' }, { id: 's', providerExecuted: true, dynamic: true }),
        toolResult('search', { hits: 2 }, { id: 's', dynamic: true }),
        source({ url: 'https://example.com', title: 'Example' }),
        file('image/png', new Uint8Array([1, 2])),
        'Let me look. ',
        toolCall('weather', { city: 'Oslo' }),
        toolCall('broken', {}),
      ],
      'It rains.',
    ])
    expect(errors).toEqual([])
    const [message] = await stream.messages
    expect(parts).toMatchObject(message?.content.parts as object[])
    expect(parts.filter(({ type }) => type === 'step-start')).toHaveLength(2)
    expect(await safeValidateUIMessages({ messages: [{ id: '1', role: 'assistant', parts }] })).toMatchObject(
      {
        success: true,
      },
    )
  })

  test('invalid input of a call is an error of its input, then what the model receives', async () => {
    const { types, parts, errors } = await read([
      toolCall('weather', undefined, { rawInput: '{"city":' }),
      'Sorry.',
    ])
    expect(errors).toEqual([])
    expect(types).toContain('tool-input-error')
    expect(parts[1]).toMatchObject({
      type: 'tool-weather',
      state: 'output-error',
      errorText: expect.stringContaining('not valid JSON'),
    })
  })

  test('preliminary results are marked as such, followed by the final one', async () => {
    const slow = tool({
      inputSchema: z.object({}),
      async *execute() {
        yield '50 %'
        yield '100 %'
      },
    })
    const { chunks, parts } = await read([toolCall('slow', {}), 'Done.'], { agent: { tools: { slow } } })
    expect(chunks.filter(({ type }) => type === 'tool-output-available')).toMatchObject([
      { output: '50 %', preliminary: true },
      { output: '100 %', preliminary: true },
      { output: '100 %' },
    ])
    expect(parts[1]).toMatchObject({ state: 'output-available', output: '100 %' })
    expect(parts[1].preliminary).toBeUndefined()
  })

  test('a denial is an automatic refusal of approval', async () => {
    const { parts, errors } = await read([toolCall('weather', { city: 'Oslo' }), 'I may not.'], {
      agent: { processors: [{ id: 'guard', processToolCall: () => ({ deny: 'Not today.' }) }] },
    })
    expect(errors).toEqual([])
    expect(parts[1]).toMatchObject({
      state: 'output-denied',
      approval: { id: 'call-1', approved: false, reason: 'Not today.', isAutomatic: true },
    })
  })

  test('application data follows start and is kept unless it is transient', async () => {
    const { types, parts } = await read(['Hello.'], {
      agent: {
        processors: [
          {
            id: 'writer',
            async processInput({ writer }) {
              await writer.write({ type: 'data-plan', id: 'p', data: 1 })
              await writer.write({ type: 'data-note', data: 'gone', transient: true })
              await writer.write({ type: 'data-plan', id: 'p', data: 2 })
            },
          },
        ],
      },
    })
    expect(types.slice(0, 4)).toEqual(['start', 'data-plan', 'data-note', 'data-plan'])
    expect(parts.filter(({ type }) => type.startsWith('data-'))).toEqual([
      { type: 'data-plan', id: 'p', data: 2 },
    ])
  })

  test('reasoning and sources can be left out', async () => {
    const { chunks } = await read(
      [[reasoning('Secret.'), source({ url: 'https://example.com' }), 'Hello.']],
      {
        ui: { sendReasoning: false, sendSources: false },
      },
    )
    expect(chunks).toLeakNothingOf('Secret')
    expect(chunks).toLeakNothingOf('example.com')
  })

  test('metadata of the message is merged as the run goes on', async () => {
    const { message } = await read(['Hello.'], {
      ui: {
        messageMetadata: ({ part }) =>
          part.type === 'start'
            ? { model: 'scripted' }
            : part.type === 'finish'
              ? { tokens: part.usage.totalTokens }
              : undefined,
      },
    })
    expect(message?.metadata).toEqual({ model: 'scripted', tokens: 15 })
  })

  test('input that is not JSON while it is streamed is sent as text', async () => {
    const inputSchema = z.string()
    const { chunks, states } = await read(
      [toolCall('shell', 'echo hello', { inputEncoding: 'text' }), 'Done.'],
      { agent: { tools: { shell: tool({ inputSchema, execute: (line) => `ran ${line}` }) } } },
    )
    expect(chunks).toContainEqual(expect.objectContaining({ inputEncoding: 'text' }))
    const inputs = states.flatMap(({ parts }) => parts.filter(({ type }) => type === 'tool-shell'))
    expect(inputs).toContainEqual(expect.objectContaining({ state: 'input-streaming', input: 'echo ' }))
    expect(inputs.at(-1)).toMatchObject({ input: 'echo hello', output: 'ran echo hello' })
  })

  test('whatever processors make of the stream, the client does not fail', async () => {
    const dropped = ['text-start', 'tool-input-start', 'tool-call', 'reasoning-start']
    const { errors } = await read(
      [[reasoning('Hm.'), 'Let me look. ', toolCall('weather', { city: 'Oslo' })], 'Done.'],
      {
        agent: {
          processors: [
            { id: 'dropper', processOutputStream: ({ part }) => (dropped.includes(part.type) ? null : part) },
            { id: 'hider', processDelivery: ({ part }) => (part?.type === 'tool-call' ? null : undefined) },
          ],
        },
      },
    )
    expect(errors).toEqual([])
  })
})

describe('discarded chunks', () => {
  test('a retried step leaves nothing of its first attempt, and one step mark', async () => {
    const { types, parts } = await read(['Rejected text.', 'Accepted text.'], {
      agent: {
        processors: [
          {
            id: 'guard',
            processOutputStep: ({ text, abort, retryCount }) => {
              if (retryCount === 0) abort(`Not ${text.length} characters.`, { retry: true })
            },
          },
        ],
      },
    })
    expect(types).toContain('reset-step')
    expect(parts).toMatchObject([{ type: 'step-start' }, { type: 'text', text: 'Accepted text.' }])
    expect(parts).toLeakNothingOf('Rejected')
  })

  test('a tripwire is a data part, without the rejected text and without metadata', async () => {
    const guard = {
      id: 'guard',
      processOutputStep: ({ abort }: any) => abort('Unsafe.', { metadata: { score: 0.99 } }),
    }
    const { chunks, parts, stream } = await read(['Rejected text.'], { agent: { processors: [guard] } })
    expect(parts).toEqual([
      { type: 'step-start' },
      { type: 'data-tripwire', data: { reason: 'Unsafe.', processorId: 'guard', hook: 'processOutputStep' } },
    ])
    expect(chunks.at(-1)).toEqual({ type: 'finish', finishReason: 'other' })
    expect(await stream.status).toBe('tripwire')
    expect(chunks).toLeakNothingOf('score')

    const open = await read(['Rejected.'], {
      agent: { processors: [guard] },
      ui: { sendProcessorMetadata: true },
    })
    expect(open.parts.at(-1).data).toMatchObject({ metadata: { score: 0.99 } })
  })

  test("a halt is a data part after the processor's answer", async () => {
    const { parts, chunks } = await read(['Rejected text.'], {
      agent: {
        processors: [
          {
            id: 'cache',
            processOutputStep: ({ halt }) => halt('Answer.', { reason: 'Known.', metadata: { hit: 1 } }),
          },
        ],
      },
    })
    expect(parts).toMatchObject([
      { type: 'step-start' },
      { type: 'text', text: 'Answer.' },
      { type: 'data-halt', data: { reason: 'Known.', processorId: 'cache', hook: 'processOutputStep' } },
    ])
    expect(chunks).toLeakNothingOf('hit')
    expect(chunks.at(-1)).toEqual({ type: 'finish', finishReason: 'stop' })
  })

  test('a halt after tools is a step of its own', async () => {
    const { parts } = await read([toolCall('weather', { city: 'Oslo' })], {
      agent: { processors: [{ id: 'h', processToolStep: ({ halt }) => halt('Enough.') }] },
    })
    expect(parts.map(({ type }) => type)).toEqual([
      'step-start',
      'tool-weather',
      'step-start',
      'text',
      'data-halt',
    ])
  })

  const redact = ({ messages }: any) =>
    messages.map((message: any) => ({
      ...message,
      content: {
        parts: message.content.parts.map((part: any) =>
          part.type === 'text' ? { ...part, text: part.text.replaceAll('Secret', '[REDACTED]') } : part,
        ),
      },
    }))

  test('text that was replaced at the end leaves no trace in the message', async () => {
    const { parts, stream } = await read(
      [
        ['Look. ', toolCall('weather', { city: 'Oslo' })],
        [reasoning('Hm.'), 'Secret answer.'],
      ],
      {
        agent: {
          processors: [
            {
              id: 'writer',
              processOutputStep: ({ writer }) => writer.write({ type: 'data-mark', data: 1 }) as never,
            },
            { id: 'redactor', processOutputResult: redact },
          ],
        },
      },
    )
    expect(parts).toLeakNothingOf('Secret')
    const [message] = await stream.messages
    expect(parts.filter(({ type }) => !type.startsWith('data-'))).toMatchObject(
      message?.content.parts as object[],
    )
    expect(parts.filter(({ type }) => type === 'data-mark')).toHaveLength(2)
    expect(parts.at(-1)).toMatchObject({ text: '[REDACTED] answer.' })
  })

  test('text replaced after each step leaves no trace, and its calls are not new ones', async () => {
    const { parts, chunks } = await read(
      [
        [
          'Secret one. ',
          toolCall('weather', { city: 'Oslo' }),
          toolCall('broken', {}),
          toolCall('weather', {}),
        ],
        'Secret two.',
      ],
      { agent: { processors: [{ id: 'redactor', processOutputStep: redact }] } },
    )
    expect(parts).toLeakNothingOf('Secret')
    expect(parts.map(({ type, state }) => `${type} ${state ?? ''}`)).toEqual([
      'step-start ',
      'text done',
      'tool-weather output-available',
      'tool-broken output-error',
      'tool-weather output-error',
      'step-start ',
      'text done',
    ])
    expect(parts[2]).toMatchObject({ input: { city: 'Oslo' }, output: 'rain in Oslo' })
    expect(chunks.filter(({ type }) => type === 'tool-input-available')).toHaveLength(3)
  })

  test('if an earlier step was replaced at the end, its parts are sent as data', async () => {
    const { parts, stream } = await read(
      [['Secret one. ', toolCall('weather', { city: 'Oslo' })], 'Secret two.'],
      { agent: { processors: [{ id: 'redactor', processOutputResult: redact }] } },
    )
    const [message] = await stream.messages
    const part = parts.find(({ type }) => type === 'data-response-replaced')
    expect(part.data.parts).toEqual(message?.content.parts)
    expect(part.data).toLeakNothingOf('Secret')
    expect(parts.slice(3)).toLeakNothingOf('Secret')
  })

  test('reasoning that is left out is also left out when parts are sent again', async () => {
    const { chunks } = await read([[reasoning('Private.'), 'Secret.']], {
      agent: { processors: [{ id: 'redactor', processOutputResult: redact }] },
      ui: { sendReasoning: false },
    })
    expect(chunks).toLeakNothingOf('Private')
  })
})

describe('errors and the end', () => {
  test.each([
    ['a stream that breaks', [['Hello', fail(new Error('socket 10.0.0.1'))]]],
    ['an error part', [['Hello', errorPart(new Error('socket 10.0.0.1'))]]],
  ])('of %s the client learns nothing but that there was one', async (_, turns) => {
    const { chunks, stream, errors } = await read(turns)
    expect(chunks.at(-1)).toEqual({ type: 'error', errorText: 'An error occurred.' })
    expect(chunks).toLeakNothingOf('10.0.0.1')
    expect(errors).toHaveLength(1)
    await expect(stream.result).rejects.toMatchObject({ code: 'MODEL_STREAM_FAILED' })
  })

  test('onError returns the text, for tools on request', async () => {
    const ui: UIMessageStreamOptions = { onError: (error: any) => `Failed: ${error.code ?? 'tool'}` }
    const { chunks } = await read([fail(new Error('x'))], { ui })
    expect(chunks.at(-1)).toEqual({ type: 'error', errorText: 'Failed: MODEL_CALL_FAILED' })
    const told = await read([toolCall('broken', {}), 'Done.'], { ui })
    expect(told.parts[1]).toMatchObject({ errorText: 'The database is away.' })
    const redacted = await read([toolCall('broken', {}), 'Done.'], { ui: { ...ui, redactToolErrors: true } })
    expect(redacted.parts[1]).toMatchObject({ errorText: 'Failed: tool' })
    expect(redacted.chunks).toLeakNothingOf('database')
  })

  test('an abort from outside is sent and keeps the parts so far', async () => {
    const pause = gate()
    const controller = new AbortController()
    const model = new ScriptedModel([['Hello ', pause, 'there.']])
    const stream = new Agent({ model }).stream('Hello', { abortSignal: controller.signal })
    pause.reached.then(() => controller.abort())
    const types: string[] = []
    for await (const { type } of stream.toUIMessageStream()) types.push(type)
    expect(types.at(-1)).toBe('abort')
    expect(await stream.status).toBe('aborted')
    expect(await stream.text).toBe('Hello ')
  })

  test('a callback that throws ends the run', async () => {
    const stream = new Agent({ model: new ScriptedModel(['Hello.']) }).stream('Hello')
    const ui = stream.toUIMessageStream({
      messageMetadata: () => {
        throw new Error('Callback.')
      },
    })
    await expect(ui.getReader().read()).rejects.toThrow('Callback.')
    expect(await stream.status).toBe('aborted')
  })
})

describe('the reader', () => {
  test('applies backpressure: nothing is produced before it is read', async () => {
    const model = new ScriptedModel([text('word '.repeat(1_000))])
    const stream = new Agent({ model }).stream('Hello')
    const ui = stream.toUIMessageStream()
    expect(model.callCount).toBe(0)
    const reader = ui.getReader()
    for (let count = 0; count < 10; count++) await reader.read()
    await new Promise((resolve) => setImmediate(resolve))
    expect(model.lastStream.chunksPulled).toBeLessThan(25)
    await reader.cancel()
    await model.lastStream.settled
    expect(model.lastStream.outcome).not.toBe('completed')
    expect(await stream.status).toBe('aborted')
  })

  test('that leaves while the model is silent ends the run at once', async () => {
    const pause = gate()
    const model = new ScriptedModel([['Hello ', pause, 'there.']])
    const stream = new Agent({ model }).stream('Hello')
    const reader = stream.toUIMessageStream().getReader()
    const reading = (async () => {
      while (!(await reader.read()).done) {}
    })()
    await pause.reached
    await reader.cancel()
    await reading
    expect(await stream.status).toBe('aborted')
    expect(await stream.text).toBe('Hello ')
  })

  test('that leaves before it read anything: the model is never called', async () => {
    const model = new ScriptedModel(['Hello.'])
    const stream = new Agent({ model }).stream('Hello')
    await stream.toUIMessageStream().cancel()
    expect(await stream.status).toBe('aborted')
    expect(model.callCount).toBe(0)
  })

  test('is the only reader of the run', async () => {
    const stream = new Agent({ model: new ScriptedModel(['Hello.']) }).stream('Hello')
    const unread = stream.toUIMessageStream()
    expect(await stream.text).toBe('Hello.')
    const reader = stream.fullStream[Symbol.asyncIterator]()
    await reader.next()
    await expect(unread.getReader().read()).rejects.toMatchObject({ code: 'RUN_STREAM_CONSUMED' })
  })
})

describe('the response', () => {
  test('is an event stream with the headers of the protocol', async () => {
    const response = new Agent({ model: new ScriptedModel(['Hello.']) })
      .stream('Hello')
      .toUIMessageStreamResponse({ status: 201, headers: { 'x-own': '1', 'cache-control': 'no-store' } })
    expect(response.status).toBe(201)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream',
      'x-vercel-ai-ui-message-stream': 'v1',
      'x-accel-buffering': 'no',
      'cache-control': 'no-store',
      'x-own': '1',
    })
    const body = await response.text()
    expect(body).toMatch(/^data: {"type":"start".*}\n\n/)
    expect(body).toMatch(/\n\ndata: \[DONE\]\n\n$/)
  })
})
