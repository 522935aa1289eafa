import { collect, fail, gate, refuse, ScriptedModel, text, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent } from '../agent/agent.ts'
import type { Message } from '../messages/message.ts'
import type { ProcessOutputStreamArgs } from '../processors/output-hooks.ts'
import type { Processor } from '../processors/processor.ts'
import type { Chunk } from '../results/chunk.ts'
import { Suspend } from '../signals.ts'
import { tool } from '../tools/tool.ts'
import type { MessageList } from '../transcript/message-list.ts'
import { emptyUsage } from '../usage.ts'

expect.extend(matchers)

const exporter = new InMemorySpanExporter()

/** Names of the spans that have begun and not ended, by id. */
const open = new Map<string, string>()
const unended: SpanProcessor = {
  onStart: (span) => void open.set(span.spanContext().spanId, span.name),
  onEnd: (span) => void open.delete(span.spanContext().spanId),
  forceFlush: async () => {},
  shutdown: async () => {},
}

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter), unended] }),
  )
})

afterAll(() => {
  trace.disable()
  context.disable()
})

beforeEach(() => exporter.reset())

function spans(): ReadableSpan[] {
  return exporter.getFinishedSpans()
}

function span(name: string): ReadableSpan {
  const found = spans().find((one) => one.name === name)
  if (!found)
    throw new Error(
      `There is no span '${name}' among: ${spans()
        .map((one) => one.name)
        .join(', ')}.`,
    )
  return found
}

function parentOf({ parentSpanContext }: ReadableSpan): string | undefined {
  return spans().find((one) => one.spanContext().spanId === parentSpanContext?.spanId)?.name
}

const weather = tool({
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => `rain in ${city}`,
})

function weatherAgent(processors: Processor[] = [], recordContent = false) {
  return new Agent({
    name: 'forecaster',
    instructions: 'Be brief.',
    model: new ScriptedModel([['Let me look. ', toolCall('weather', { city: 'Oslo' })], 'It rains.'], {
      provider: 'openai.responses',
      modelId: 'gpt-5',
    }),
    tools: { weather },
    processors,
    modelSettings: { temperature: 0.5, maxOutputTokens: 100 },
    telemetry: { recordContent },
  })
}

test('tokens that a processor used itself are on the span of its hook', async () => {
  const usage = { ...emptyUsage(), inputTokens: 7, outputTokens: 1 }
  const asks: Processor = {
    id: 'asks',
    processInput: ({ reportUsage }) => {
      reportUsage({ model: 'a/judge', usage })
      reportUsage({ model: 'another/judge', usage })
    },
  }
  await weatherAgent([asks]).generate('Hi')
  expect(span('processInput asks').attributes).toMatchObject({
    'millrace.processor.action': 'passed',
    'gen_ai.usage.input_tokens': 14,
    'gen_ai.usage.output_tokens': 2,
  })
})

describe('a run', () => {
  test('is one span, with its model calls and tools as children', async () => {
    await weatherAgent().generate('Do I need an umbrella?', { threadId: 'thread-1' })
    expect(spans().map((one) => [one.name, one.kind, parentOf(one)])).toEqual([
      ['chat gpt-5', SpanKind.CLIENT, 'invoke_agent forecaster'],
      ['execute_tool weather', SpanKind.INTERNAL, 'invoke_agent forecaster'],
      ['chat gpt-5', SpanKind.CLIENT, 'invoke_agent forecaster'],
      ['invoke_agent forecaster', SpanKind.INTERNAL, undefined],
    ])
    expect(new Set(spans().map((one) => one.status.code))).toEqual(new Set([SpanStatusCode.UNSET]))
    expect(span('invoke_agent forecaster').instrumentationScope).toMatchObject({
      name: '@millrace/core',
      schemaUrl: 'https://opentelemetry.io/schemas/1.41.0',
    })
  })

  test('has the names of the semantic conventions', async () => {
    const { runId } = await weatherAgent().generate('Do I need an umbrella?', { threadId: 'thread-1' })
    expect(span('invoke_agent forecaster').attributes).toEqual({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'forecaster',
      'gen_ai.agent.id': 'forecaster',
      'gen_ai.conversation.id': 'thread-1',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'gpt-5',
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': 20,
      'gen_ai.usage.output_tokens': 10,
      'gen_ai.usage.cache_read.input_tokens': 0,
      'gen_ai.usage.cache_creation.input_tokens': 0,
      'gen_ai.usage.reasoning.output_tokens': 0,
      'millrace.run.id': runId,
      'millrace.run.status': 'completed',
    })
    expect(span('chat gpt-5').attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.conversation.id': 'thread-1',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'gpt-5',
      'gen_ai.request.stream': true,
      'gen_ai.request.temperature': 0.5,
      'gen_ai.request.max_tokens': 100,
      'gen_ai.response.finish_reasons': ['tool-calls'],
      'gen_ai.usage.input_tokens': 10,
      'gen_ai.usage.output_tokens': 5,
      'millrace.step.number': 0,
    })
    expect(span('execute_tool weather').attributes).toEqual({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'weather',
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.call.id': 'call-1',
      'millrace.step.number': 0,
    })
  })

  test('is a child of the span that was active when it was created', async () => {
    const tracer = trace.getTracer('test')
    const stream = tracer.startActiveSpan('request', (request) => {
      const run = weatherAgent().stream('Hi')
      request.end()
      return run
    })
    await collect(stream.fullStream)
    expect(parentOf(span('invoke_agent forecaster'))).toBe('request')
  })

  test('is the parent of spans of the provider, of tools and of hooks', async () => {
    const tracer = trace.getTracer('test')
    class CallsOut extends ScriptedModel {
      override doStream(...args: Parameters<ScriptedModel['doStream']>) {
        tracer.startSpan('POST').end()
        return super.doStream(...args)
      }
    }
    const agent = new Agent({
      name: 'nested',
      model: new CallsOut([toolCall('look'), 'Done.'], { modelId: 'm' }),
      tools: {
        look: tool({
          inputSchema: z.object({}),
          execute: async function* () {
            yield 'looking'
            tracer.startSpan('SELECT').end()
            yield 'seen'
          },
        }),
      },
      processors: [
        {
          id: 'moderation',
          processOutputStep: async () => {
            await Promise.resolve()
            tracer.startSpan('moderate').end()
          },
        },
      ],
    })
    await agent.generate('Hi')
    expect(parentOf(span('POST'))).toBe('chat m')
    expect(parentOf(span('SELECT'))).toBe('execute_tool look')
    expect(parentOf(span('moderate'))).toBe('invoke_agent nested')
  })

  test('is in every hook’s tracingContext', async () => {
    const seen: unknown[] = []
    const note = ({ tracingContext }: { tracingContext: { span: unknown } }): undefined => {
      seen.push(tracingContext.span === trace.getActiveSpan() ? tracingContext.span : 'another')
    }
    await weatherAgent([
      {
        id: 'all',
        processInput: note,
        processInputStep: note,
        processOutputStep: note,
        processToolCall: note,
        processToolResult: note,
        processToolStep: note,
        processOutputResult: note,
      },
    ]).generate('Hi')
    expect(seen).toHaveLength(9)
    expect(new Set(seen)).toEqual(new Set([span('invoke_agent forecaster')]))
  })
})

describe('a processor that acted', () => {
  test('has a span for each hook and step it acted in; one that passed everything has none', async () => {
    const quiet: Processor = { id: 'quiet', processInput: () => {}, processOutputStream: ({ part }) => part }
    const shouts: Processor = {
      id: 'shouts',
      processOutputStream: ({ part }) =>
        part.type === 'text-delta' ? { ...part, textDelta: part.textDelta.toUpperCase() } : part,
      processToolResult: () => ({ output: 'sun' }),
    }
    await weatherAgent([quiet, shouts]).generate('Hi')
    const hooks = spans().filter((one) => one.attributes['millrace.processor.id'] !== undefined)
    expect(hooks.map((one) => [one.name, parentOf(one), one.attributes])).toMatchObject([
      [
        'processOutputStream shouts',
        'invoke_agent forecaster',
        {
          'millrace.processor.id': 'shouts',
          'millrace.processor.hook': 'processOutputStream',
          'millrace.processor.action': 'changed',
          'millrace.step.number': 0,
        },
      ],
      ['processToolResult shouts', 'invoke_agent forecaster', { 'millrace.step.number': 0 }],
      ['processOutputStream shouts', 'invoke_agent forecaster', { 'millrace.step.number': 1 }],
    ])
    const [run] = spans().slice(-1) as [ReadableSpan]
    for (const { startTime, endTime } of hooks) {
      expect(milliseconds(startTime)).toBeGreaterThanOrEqual(milliseconds(run.startTime) - 1)
      expect(milliseconds(endTime)).toBeLessThanOrEqual(milliseconds(run.endTime) + 1)
    }
  })
})

function milliseconds([seconds, nanoseconds]: [number, number]): number {
  return seconds * 1000 + nanoseconds / 1_000_000
}

describe('every span is ended when the run', () => {
  test('is aborted', async () => {
    const controller = new AbortController()
    const atModel = gate()
    const model = new ScriptedModel([['Hello', atModel]], { modelId: 'm' })
    const running = new Agent({ name: 'a', model }).generate('Hi', { abortSignal: controller.signal })
    await atModel.reached
    controller.abort()
    expect(await running).toHaveStatus('aborted')
    expect(spans().map((one) => [one.name, one.status.code, one.attributes['error.type']])).toEqual([
      ['chat m', SpanStatusCode.ERROR, 'AbortError'],
      ['invoke_agent a', SpanStatusCode.ERROR, 'AbortError'],
    ])
    expect(span('invoke_agent a').attributes['millrace.run.status']).toBe('aborted')
  })

  test('is aborted before it starts, or while a tool runs', async () => {
    const controller = new AbortController()
    const model = new ScriptedModel([toolCall('wait')], { modelId: 'm' })
    const tools = {
      wait: tool({
        inputSchema: z.object({}),
        execute: () => {
          controller.abort()
          return new Promise(() => {})
        },
      }),
    }
    const agent = new Agent({ name: 'a', model, tools })
    expect(await agent.generate('Hi', { abortSignal: AbortSignal.abort() })).toHaveStatus('aborted')
    expect(await agent.generate('Hi', { abortSignal: controller.signal })).toHaveStatus('aborted')
    expect(spans().map(({ name }) => name)).toEqual([
      'invoke_agent a',
      'chat m',
      'execute_tool wait',
      'invoke_agent a',
    ])
  })

  test('leaves no open span, at whatever moment it is aborted', async () => {
    open.clear()
    for (let moment = 0; moment < 200; moment++) {
      const controller = new AbortController()
      const running = weatherAgent([], true).generate('Hi', { abortSignal: controller.signal })
      for (let tick = 0; tick < moment; tick++) await undefined
      controller.abort()
      await running
      await new Promise((resolve) => setImmediate(resolve))
      expect([...open.values()], `aborted at moment ${moment}`).toEqual([])
    }
  })

  test('fails at the model, before or within the response', async () => {
    for (const turn of [refuse(new Error('Down.')), ['Hel', fail(new Error('Reset.'))]]) {
      exporter.reset()
      const model = new ScriptedModel([turn as never], { modelId: 'm' })
      const agent = new Agent({ name: 'a', model, modelSettings: { maxRetries: 0 } })
      await expect(agent.generate('Hi')).rejects.toThrow()
      expect(spans().map((one) => [one.name, one.status.code])).toEqual([
        ['chat m', SpanStatusCode.ERROR],
        ['invoke_agent a', SpanStatusCode.ERROR],
      ])
      expect(span('chat m').attributes['error.type']).toMatch(/^MODEL_/)
      expect(spans()).toLeakNothingOf('Reset')
    }
  })

  test('fails in a processor', async () => {
    const broken: Processor = {
      id: 'broken',
      processOutputStep: () => {
        throw new Error('Secret.')
      },
    }
    await expect(weatherAgent([broken], true).generate('Hi')).rejects.toThrow()
    expect(span('invoke_agent forecaster').attributes['error.type']).toBe('PROCESSOR_FAILED')
    expect(span('processOutputStep broken').attributes).toMatchObject({
      'millrace.processor.action': 'failed',
    })
    expect(attributes()).toLeakNothingOf('Secret')
  })

  test('is stopped by a tripwire in the middle of the response', async () => {
    const model = new ScriptedModel([text(['fine ', 'wrong ', 'more'])], { modelId: 'm' })
    const guard: Processor = {
      id: 'guard',
      processOutputStream: ({ part, abort }) =>
        part.type === 'text-delta' && part.textDelta.includes('wrong') ? abort('No.') : part,
    }
    const agent = new Agent({ name: 'a', model, processors: [guard], telemetry: { recordContent: true } })
    expect(await agent.generate('Hi')).toHaveTripped()
    expect(spans().map(({ name }) => name)).toEqual(['chat m', 'processOutputStream guard', 'invoke_agent a'])
    expect(span('invoke_agent a').status.code).toBe(SpanStatusCode.UNSET)
    expect(span('invoke_agent a').attributes['millrace.run.status']).toBe('tripwire')
    expect(attributes()).toLeakNothingOf('wrong')
    expect(attributes()).toLeakNothingOf('fine')
  })

  test('is suspended, and again when it is resumed, in a span that links the first', async () => {
    const agent = new Agent({
      name: 'a',
      model: new ScriptedModel([toolCall('ask'), 'Done.'], { modelId: 'm' }),
      tools: {
        ask: tool({
          inputSchema: z.object({}),
          execute: (_, { resumeData }) => {
            if (resumeData === undefined) throw new Suspend()
            return resumeData
          },
        }),
      },
    })
    const result = await agent.generate('Hi')
    expect(result).toHaveStatus('suspended')
    expect(spans().map(({ name }) => name)).toEqual(['chat m', 'execute_tool ask', 'invoke_agent a'])
    expect(span('invoke_agent a').attributes['millrace.run.status']).toBe('suspended')
    expect(span('execute_tool ask').status.code).toBe(SpanStatusCode.UNSET)

    exporter.reset()
    expect(await result.suspension?.resume('yes')).toBeCompleted()
    expect(spans().map(({ name }) => name)).toEqual(['execute_tool ask', 'chat m', 'invoke_agent a'])
    expect(span('invoke_agent a').attributes['millrace.run.resumed_from']).toBe(result.runId)
  })

  test('loses its reader', async () => {
    const model = new ScriptedModel([text(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'])], { modelId: 'm' })
    for await (const { type } of new Agent({ name: 'a', model }).stream('Hi').fullStream) {
      if (type === 'text-delta') break
    }
    expect(spans().map(({ name }) => name)).toEqual(['chat m', 'invoke_agent a'])
  })
})

test('a tool that throws is only an error of its own span', async () => {
  const agent = new Agent({
    name: 'a',
    model: new ScriptedModel([toolCall('look'), 'Sorry.'], { modelId: 'm' }),
    tools: {
      look: tool({
        inputSchema: z.object({}),
        execute: () => {
          throw new Error('Not there.')
        },
      }),
    },
  })
  expect(await agent.generate('Hi')).toBeCompleted()
  expect(span('execute_tool look')).toMatchObject({
    status: { code: SpanStatusCode.ERROR },
    attributes: { 'error.type': 'tool_error' },
  })
  expect(span('invoke_agent a').status.code).toBe(SpanStatusCode.UNSET)
})

function attributes(): unknown[] {
  return spans().map((one) => [one.name, one.attributes, one.events, one.status])
}

function json(name: string, attribute: string): unknown {
  return JSON.parse(String(span(name).attributes[attribute]))
}

describe('content', () => {
  test('is recorded only when asked for', async () => {
    await weatherAgent().generate('Umbrella?')
    for (const word of ['Umbrella', 'brief', 'Oslo', 'rain', 'look']) {
      expect(attributes()).toLeakNothingOf(word)
    }
  })

  test('is recorded in the form of the conventions', async () => {
    await weatherAgent([], true).generate('Umbrella?')
    expect(json('invoke_agent forecaster', 'gen_ai.input.messages')).toEqual([
      { role: 'user', parts: [{ type: 'text', content: 'Umbrella?' }] },
    ])
    expect(json('invoke_agent forecaster', 'gen_ai.system_instructions')).toEqual([
      { type: 'text', content: 'Be brief.' },
    ])
    expect(json('invoke_agent forecaster', 'gen_ai.output.messages')).toEqual([
      { role: 'assistant', parts: [{ type: 'text', content: 'It rains.' }], finish_reason: 'stop' },
    ])
    expect(json('chat gpt-5', 'gen_ai.input.messages')).toEqual([
      { role: 'user', parts: [{ type: 'text', content: 'Umbrella?' }] },
    ])
    expect(json('chat gpt-5', 'gen_ai.output.messages')).toEqual([
      {
        role: 'assistant',
        parts: [
          { type: 'text', content: 'Let me look. ' },
          { type: 'tool_call', id: 'call-1', name: 'weather', arguments: { city: 'Oslo' } },
        ],
        finish_reason: 'tool-calls',
      },
    ])
    expect(json('execute_tool weather', 'gen_ai.tool.call.arguments')).toEqual({ city: 'Oslo' })
    expect(json('execute_tool weather', 'gen_ai.tool.call.result')).toBe('rain in Oslo')
    const second = spans().filter(({ name }) => name === 'chat gpt-5')[1]
    expect(JSON.parse(String(second?.attributes['gen_ai.input.messages']))).toMatchObject([
      { role: 'user' },
      { role: 'assistant', parts: [{ type: 'text' }, { type: 'tool_call', id: 'call-1', name: 'weather' }] },
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 'call-1', response: 'rain in Oslo' }] },
    ])
  })

  test('has the tool definitions of a model call, by step', async () => {
    const look = tool({
      description: 'Looks out of the window',
      inputSchema: z.object({ direction: z.string() }),
      execute: () => 'seen',
    })
    const search = { type: 'provider', id: 'openai.web_search', args: {}, inputSchema: z.object({}) } as const
    const agent = (recordContent: boolean) =>
      new Agent({
        name: 'a',
        model: new ScriptedModel([toolCall('look', { direction: 'north' }), 'Done.'], { modelId: 'm' }),
        tools: { look, search },
        prepareStep: ({ stepNumber }) => (stepNumber === 1 ? { activeTools: ['search'] } : undefined),
        telemetry: { recordContent },
      })
    await agent(false).generate('Hi')
    expect(attributes()).toLeakNothingOf('window')
    exporter.reset()
    await agent(true).generate('Hi')
    const definitions = spans()
      .filter(({ name }) => name === 'chat m')
      .map(({ attributes: { 'gen_ai.tool.definitions': json } }) => JSON.parse(String(json)))
    const searches = { type: 'openai.web_search', name: 'search' }
    const looks = {
      type: 'function',
      name: 'look',
      description: 'Looks out of the window',
      parameters: { type: 'object', properties: { direction: { type: 'string' } } },
    }
    expect(definitions).toMatchObject([[looks, searches], [searches]])
  })

  const redactText =
    (secret: string) =>
    ({ messages }: { messages: Message[] }): Message[] =>
      messages.map((message) => ({
        ...message,
        content: {
          parts: message.content.parts.map((part) =>
            part.type === 'text' ? { ...part, text: part.text.replaceAll(secret, '***') } : part,
          ),
        },
      }))

  test.each<[string, string, Partial<Processor>]>([
    ['the input', 'Umbrella', { processInput: redactText('Umbrella') }],
    ['the answer, at the end', 'look', { processOutputResult: redactText('look') }],
    ['a step, before its tools ran', 'look', { processOutputStep: redactText('look') }],
    ['a step, after the next one', 'look', { processOutputStep: redactEarlier('look') }],
    ['the input, at the end', 'Umbrella', { processOutputResult: redactInput }],
    ['the input, as the answer begins', 'Umbrella', { processOutputStream: redactInputAtStart }],
    ['a tool’s input', 'Oslo', { processToolCall: () => ({ input: { city: '***' } }) }],
    ['a tool’s result', 'rain in', { processToolResult: () => ({ output: '***' }) }],
  ])('holds nothing of what was redacted in %s', async (_, secret, hooks) => {
    const result = await weatherAgent([{ id: 'redacts', ...hooks }], true).generate('Umbrella?')
    expect(result).toBeCompleted()
    expect(json('invoke_agent forecaster', 'gen_ai.output.messages')).toBeDefined()
    expect(attributes()).toLeakNothingOf(secret)
  })

  test('contains nothing that was redacted in the input of a run that was stopped later', async () => {
    const stops: Processor = {
      id: 'stops',
      processOutputStream: redactInputAtStart,
      processInputStep: ({ stepNumber, abort }) => {
        if (stepNumber === 1) abort('No.')
      },
    }
    expect(await weatherAgent([stops], true).generate('Umbrella?')).toHaveTripped()
    expect(json('chat gpt-5', 'gen_ai.output.messages')).toBeDefined()
    expect(attributes()).toLeakNothingOf('Umbrella')
  })

  test("contains no input that a tool got in place of the model's: it may have been redacted", async () => {
    const restores: Processor = { id: 'restores', processToolCall: () => ({ input: { city: 'Atlantis' } }) }
    await weatherAgent(
      [restores, { id: 'hides', processToolResult: () => ({ output: '***' }) }],
      true,
    ).generate('Hi')
    expect(attributes()).toLeakNothingOf('Atlantis')
  })

  test('contains nothing of a run that was rejected before its first step was accepted', async () => {
    const guard: Processor = { id: 'guard', processInputStep: ({ abort }) => abort('No.') }
    expect(await weatherAgent([guard], true).generate('Umbrella?')).toHaveTripped()
    expect(attributes()).toLeakNothingOf('Umbrella')
  })

  test('contains nothing of an attempt that was rejected', async () => {
    const strict: Processor = {
      id: 'strict',
      processOutputStep: ({ abort, retryCount }) => {
        if (retryCount === 0) abort('Once more.', { retry: true })
      },
    }
    await weatherAgent([strict], true).generate('Umbrella?')
    expect(spans().filter(({ name }) => name === 'chat gpt-5')).toHaveLength(2)
    expect(attributes()).toLeakNothingOf('Let me look')
    expect(json('invoke_agent forecaster', 'gen_ai.output.messages')).toMatchObject([
      { parts: [{ content: 'It rains.' }] },
    ])
  })
})

function redactInputAtStart({ part, messageList }: ProcessOutputStreamArgs): Chunk {
  if (part.type === 'step-start') redactInput({ messageList })
  return part
}

/** Redacts the first step when the second is known. */
function redactEarlier(secret: string) {
  return ({ messageList, stepNumber }: { messageList: MessageList; stepNumber: number }): undefined => {
    if (stepNumber === 0) return
    for (const { content } of messageList.get('response'))
      for (const part of content.parts)
        if (part.type === 'text') part.text = part.text.replaceAll(secret, '***')
  }
}

function redactInput({ messageList }: { messageList: MessageList }): MessageList {
  for (const { content } of messageList.get('input')) {
    content.parts = content.parts.map((part) => (part.type === 'text' ? { ...part, text: '***' } : part))
  }
  return messageList
}

describe('an agent as a tool', () => {
  const answers = () => new ScriptedModel(['Rain.'], { modelId: 'inner-model', repeat: 'last' })
  const asking = () => new ScriptedModel([toolCall('ask', { prompt: 'Rain?' }), 'It rains.'])

  function expectNested(): void {
    expect(parentOf(span('invoke_agent inner'))).toBe('execute_tool ask')
    expect(parentOf(span('chat inner-model'))).toBe('invoke_agent inner')
    expect(parentOf(span('execute_tool ask'))).toBe('invoke_agent outer')
    expect(open.size).toBe(0)
  }

  test.each(['generate', 'stream'] as const)('has its spans within that of its call: %s', async (way) => {
    const inner = new Agent({ name: 'inner', model: answers() })
    const outer = new Agent({ name: 'outer', model: asking(), tools: { ask: inner.asTool() } })
    if (way === 'generate') await outer.generate('Hi')
    else await collect(outer.stream('Hi').fullStream)
    expectNested()
  })

  test('has them there when it is resumed', async () => {
    const pause: Processor = {
      id: 'pause',
      processInput: ({ resumeData, suspend }) => {
        if (resumeData === undefined) suspend('Go on?')
      },
    }
    const inner = new Agent({ name: 'inner', model: answers(), processors: [pause] })
    const outer = new Agent({ name: 'outer', model: asking(), tools: { ask: inner.asTool() } })
    const { suspension } = await outer.generate('Hi')
    exporter.reset()
    expect(await suspension?.resume('yes')).toHaveText('It rains.')
    expectNested()
  })
})
