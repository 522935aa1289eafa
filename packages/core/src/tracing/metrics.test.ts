import { gate, refuse, ScriptedModel, type Turn, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { createNoopMeter, type Meter, type MeterProvider, metrics, trace } from '@opentelemetry/api'
import {
  AggregationTemporality,
  DataPointType,
  type HistogramMetricData,
  InMemoryMetricExporter,
  PeriodicExportingMetricReader,
  MeterProvider as SDKMeterProvider,
} from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { Agent } from '../agent/agent.ts'
import type { AgentOptions } from '../agent/agent-options.ts'
import { Suspend } from '../signals.ts'
import { tool } from '../tools/tool.ts'

expect.extend(matchers)

let exporter: InMemoryMetricExporter
let provider: SDKMeterProvider

beforeEach(() => {
  exporter = new InMemoryMetricExporter(AggregationTemporality.DELTA)
  provider = new SDKMeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter })] })
  metrics.setGlobalMeterProvider(provider)
})

afterEach(async () => {
  metrics.disable()
  trace.disable()
  await provider.shutdown()
})

/** What was measured since the last call, as an exporter gets it. */
async function measured(): Promise<HistogramMetricData[]> {
  exporter.reset()
  await provider.forceFlush()
  return exporter.getMetrics().flatMap(({ scopeMetrics }) =>
    scopeMetrics.flatMap((scope) =>
      scope.metrics.map((metric) => {
        if (metric.dataPointType !== DataPointType.HISTOGRAM) throw new Error('It is no histogram.')
        return metric
      }),
    ),
  )
}

/** How often each metric was recorded, and with which attributes. */
async function points(): Promise<Record<string, [attributes: object, count: number][]>> {
  const found = await measured()
  return Object.fromEntries(
    found.map(({ descriptor, dataPoints }) => [
      descriptor.name,
      dataPoints.map(({ attributes, value }): [object, number] => [attributes, value.count]),
    ]),
  )
}

const MODEL = { provider: 'openai.responses', modelId: 'gpt-5' }
const CHAT = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': 'openai',
  'gen_ai.request.model': 'gpt-5',
}

function agentOf(turns: readonly Turn[], options: Partial<AgentOptions> = {}): Agent {
  const weather = tool({
    inputSchema: z.object({ city: z.string() }),
    execute: ({ city }) => `rain in ${city}`,
  })
  const model = new ScriptedModel(turns, MODEL)
  return new Agent({
    name: 'forecaster',
    model,
    tools: { weather },
    modelSettings: { maxRetries: 0 },
    ...options,
  })
}

const answers: readonly Turn[] = [['Let me look. ', toolCall('weather', { city: 'Oslo' })], 'It rains.']

describe('metrics', () => {
  test('have the names, units and buckets of the conventions', async () => {
    await agentOf(answers).generate('Umbrella?')
    const found = await measured()
    const seconds = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
    const described = found.map(({ descriptor: { name, unit }, dataPoints }) => {
      return [name, { unit, bounds: dataPoints[0]?.value.buckets.boundaries }]
    })
    expect(Object.fromEntries(described)).toEqual({
      'gen_ai.client.operation.duration': { unit: 's', bounds: seconds },
      'gen_ai.client.operation.time_to_first_chunk': { unit: 's', bounds: seconds },
      'gen_ai.client.token.usage': {
        unit: '{token}',
        bounds: [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864],
      },
      'gen_ai.execute_tool.duration': { unit: 's', bounds: seconds },
      'gen_ai.invoke_agent.duration': {
        unit: 's',
        bounds: [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6],
      },
    })
    const [{ scope } = {}] = exporter.getMetrics()[0]?.scopeMetrics ?? []
    expect(scope).toMatchObject({
      name: '@millrace/core',
      schemaUrl: 'https://opentelemetry.io/schemas/1.41.0',
    })
  })

  test.each(['generate', 'stream'] as const)('count the calls and tools of a run, by %s', async (way) => {
    const agent = agentOf(answers)
    await (way === 'generate' ? agent.generate('Hi') : agent.stream('Hi').result)
    const response = { ...CHAT, 'gen_ai.response.model': 'gpt-5' }
    const named = { 'gen_ai.agent.name': 'forecaster' }
    expect(await points()).toEqual({
      'gen_ai.client.operation.duration': [[response, 2]],
      'gen_ai.client.operation.time_to_first_chunk': [[response, 2]],
      'gen_ai.client.token.usage': [
        [{ ...response, 'gen_ai.token.type': 'input' }, 2],
        [{ ...response, 'gen_ai.token.type': 'output' }, 2],
      ],
      'gen_ai.execute_tool.duration': [
        [{ ...named, 'gen_ai.tool.name': 'weather', 'gen_ai.tool.type': 'function' }, 1],
      ],
      'gen_ai.invoke_agent.duration': [[named, 1]],
    })
  })

  test('sum up reported tokens only', async () => {
    await agentOf(answers).generate('Hi')
    const sums = async () => {
      const found = await measured()
      const usage = found.find(({ descriptor }) => descriptor.name === 'gen_ai.client.token.usage')
      return usage?.dataPoints.map(({ attributes, value }) => [attributes['gen_ai.token.type'], value.sum])
    }
    expect(await sums()).toEqual([
      ['input', 20],
      ['output', 10],
    ])
    const unknown = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined }
    const usage = {
      inputTokens: unknown,
      outputTokens: { total: undefined, text: undefined, reasoning: undefined },
    }
    await agentOf([], { model: new ScriptedModel(['Hi.'], { usage }) }).generate('Hi')
    expect(await sums()).toBeUndefined()
  })

  test('contain no user content', async () => {
    await agentOf(answers, { telemetry: { recordContent: true } }).generate('Umbrella?')
    const all = await measured()
    for (const word of ['Umbrella', 'Oslo', 'rain', 'look']) expect(all).toLeakNothingOf(word)
  })

  test('are measured of runs that are traced, too', async () => {
    const spans = new InMemorySpanExporter()
    trace.setGlobalTracerProvider(
      new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }),
    )
    await agentOf(answers).generate('Hi')
    expect(Object.keys(await points())).toHaveLength(5)
    expect(spans.getFinishedSpans().map(({ name }) => name)).toEqual([
      'chat gpt-5',
      'execute_tool weather',
      'chat gpt-5',
      'invoke_agent forecaster',
    ])
  })

  test('are measured for a resumed run as for any other', async () => {
    const ask = tool({
      inputSchema: z.object({}),
      execute: (_, { resumeData }) => {
        if (resumeData === undefined) throw new Suspend('Sure?')
        return 'sure'
      },
    })
    const { suspension } = await agentOf([toolCall('ask'), 'Done.'], { tools: { ask } }).generate('Hi')
    expect(await points()).toMatchObject({ 'gen_ai.execute_tool.duration': [[{}, 1]] })
    expect(await suspension?.resume('yes')).toBeCompleted()
    expect(await points()).toMatchObject({
      'gen_ai.client.operation.duration': [[{}, 1]],
      'gen_ai.execute_tool.duration': [[{}, 1]],
      'gen_ai.invoke_agent.duration': [[{}, 1]],
    })
  })
})

describe('the type of an error', () => {
  test('is set on a call that failed, which has no first chunk', async () => {
    await expect(agentOf([refuse(new Error('Down: secret.'))]).generate('Hi')).rejects.toThrow()
    const failed = { 'error.type': 'MODEL_CALL_FAILED' }
    expect(await points()).toEqual({
      'gen_ai.client.operation.duration': [[{ ...CHAT, ...failed }, 1]],
      'gen_ai.invoke_agent.duration': [[{ 'gen_ai.agent.name': 'forecaster', ...failed }, 1]],
    })
  })

  test('is set on a tool that failed, and nowhere else', async () => {
    const broken = tool({
      inputSchema: z.object({}),
      execute: () => {
        throw new Error('Not there: secret.')
      },
    })
    await agentOf([toolCall('broken'), 'Sorry.'], { tools: { broken } }).generate('Hi')
    const found = await points()
    expect(found['gen_ai.execute_tool.duration']).toMatchObject([[{ 'error.type': 'tool_error' }, 1]])
    expect(Object.entries(found).flatMap(([name, all]) => all.map(([one]) => [name, one]))).toSatisfy(
      (all: [string, object][]) => all.filter(([, one]) => 'error.type' in one).length === 1,
    )
  })

  test.each(['the model', 'a tool'])('is set on %s of a run that is aborted meanwhile', async (at) => {
    const controller = new AbortController()
    const atModel = gate()
    const inTool = Promise.withResolvers<void>()
    const wait = tool({
      inputSchema: z.object({}),
      execute: () => {
        inTool.resolve()
        return new Promise(() => {})
      },
    })
    const turns: Turn[] = at === 'a tool' ? [toolCall('wait')] : [['Hello', atModel]]
    const running = agentOf(turns, { tools: { wait } }).generate('Hi', { abortSignal: controller.signal })
    await (at === 'a tool' ? inTool.promise : atModel.reached)
    controller.abort()
    expect(await running).toHaveStatus('aborted')
    const found = await points()
    const cut = at === 'a tool' ? 'gen_ai.execute_tool.duration' : 'gen_ai.client.operation.duration'
    expect(found[cut]).toMatchObject([[{ 'error.type': 'AbortError' }, 1]])
    expect(found['gen_ai.invoke_agent.duration']).toMatchObject([[{ 'error.type': 'AbortError' }, 1]])
  })
})

describe('an SDK', () => {
  test('is asked for a meter once per run, and for its instruments once', async () => {
    const getMeter = vi.spyOn(provider, 'getMeter')
    const createHistogram = vi.spyOn(provider.getMeter('@millrace/core'), 'createHistogram')
    await agentOf(answers).generate('Hi')
    const calls = getMeter.mock.calls.length
    await agentOf(answers).generate('Hi')
    expect(getMeter.mock.calls.length - calls).toBe(1)
    expect(createHistogram.mock.calls.length).toBeLessThanOrEqual(5)
  })

  test.each<[string, MeterProvider]>([
    [
      'has no meter',
      {
        getMeter: () => {
          throw new Error('Broken.')
        },
      },
    ],
    ['makes no instruments', { getMeter: () => ({}) as Meter }],
    [
      'records nothing',
      {
        getMeter: (): Meter =>
          Object.assign(Object.create(createNoopMeter()), {
            createHistogram: () => ({
              record: () => {
                throw new Error('Full.')
              },
            }),
          }),
      },
    ],
  ])('that %s changes nothing of a run', async (_, broken) => {
    metrics.disable()
    metrics.setGlobalMeterProvider(broken)
    expect(await agentOf(answers).generate('Hi')).toBeCompleted()
  })
})
