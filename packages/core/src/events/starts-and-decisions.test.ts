import { refuse, ScriptedModel, text, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent } from '../agent/agent.ts'
import type { AgentOptions } from '../agent/agent-options.ts'
import { parallel } from '../composition/parallel.ts'
import type { Processor } from '../processors/processor.ts'
import type { AgentEventName, AgentEvents, ProcessorDecisionEvent } from '../results/agent-events.ts'
import { tool } from '../tools/tool.ts'

expect.extend(matchers)

const weather = tool({
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => `rain in ${city}`,
})

function weatherAgent(processors: Processor[] = [], options: Partial<AgentOptions> = {}): Agent {
  return new Agent({
    name: 'forecaster',
    model: new ScriptedModel([['Let me look. ', toolCall('weather', { city: 'Oslo' })], 'It rains.']),
    tools: { weather },
    processors,
    ...options,
  })
}

/** What listeners to one event hear in a run that begins with `run`. */
async function heard<NAME extends AgentEventName>(
  agent: Agent,
  name: NAME,
  run: () => unknown = () => agent.generate('Umbrella?', { threadId: 'thread-1' }),
): Promise<AgentEvents[NAME][]> {
  const events: AgentEvents[NAME][] = []
  agent.on(name, (event) => events.push(event))
  await run()
  await agent.close()
  return events
}

const decisions = async (agent: Agent): Promise<unknown[]> =>
  (await heard(agent, 'processor-decision')).map(short)

function short({ processorId, hook, stepNumber, action }: ProcessorDecisionEvent): unknown[] {
  return [processorId, hook, stepNumber, action]
}

describe('model-start', () => {
  test('is emitted before each model call, with the request and without user content', async () => {
    const events = await heard(weatherAgent(), 'model-start')
    expect(events).toMatchObject([
      {
        agentName: 'forecaster',
        threadId: 'thread-1',
        stepNumber: 0,
        provider: 'scripted',
        modelId: 'scripted-model',
        messageCount: 1,
        tools: ['weather'],
      },
      { stepNumber: 1, messageCount: 3 },
    ])
    for (const word of ['Umbrella', 'Oslo', 'rain']) expect(events).toLeakNothingOf(word)
  })

  test('is emitted for a model that answers in place of another', async () => {
    const agent = new Agent({
      model: new ScriptedModel([refuse(new Error('Down.'))], { modelId: 'first' }),
      modelSettings: { maxRetries: 0 },
      processors: [
        {
          id: 'falls-back',
          async *wrapModelCall({ request, next }) {
            try {
              yield* next(request)
            } catch {
              yield* next({ ...request, model: new ScriptedModel(['Here.'], { modelId: 'second' }) })
            }
          },
        },
      ],
    })
    const events = await heard(agent, 'model-start')
    expect(events.map(({ stepNumber, modelId }) => [stepNumber, modelId])).toEqual([
      [0, 'first'],
      [0, 'second'],
    ])
  })
})

describe('tool-start', () => {
  test('is emitted before the tool is finished, only for calls that are executed', async () => {
    const denies: Processor = {
      id: 'denies',
      processToolCall: ({ toolCall: { input } }) =>
        (input as { city: string }).city === 'Atlantis' ? { deny: 'It is gone.' } : undefined,
    }
    const model = new ScriptedModel([
      [toolCall('weather', { city: 'Atlantis' }), toolCall('weather', { city: 'Oslo' })],
      'It rains.',
    ])
    const agent = weatherAgent([denies], { model })
    const names: string[] = []
    agent.on('tool-start', ({ toolCallId, toolName }) => names.push(`start ${toolName} ${toolCallId}`))
    agent.on('tool-finish', ({ toolCallId, toolName }) => names.push(`finish ${toolName} ${toolCallId}`))
    await agent.generate('Hi')
    await agent.close()
    expect(names).toEqual(['start weather call-2', 'finish weather call-2'])
  })
})

describe('processor-decision', () => {
  test('reports what each processor decided in each call of a hook, in the order of the run', async () => {
    const watches: Processor = {
      id: 'watches',
      processInput: () => {},
      processInputStep: () => {},
      processOutputStream: ({ part }) => part,
      processToolCall: () => {},
      processOutputResult: () => {},
    }
    const acts: Processor = {
      id: 'acts',
      processInputStep: ({ stepNumber }) => (stepNumber === 1 ? { toolChoice: 'none' } : undefined),
      processToolResult: () => ({ output: 'sun' }),
    }
    expect(await decisions(weatherAgent([watches, acts]))).toEqual([
      ['watches', 'processInput', undefined, 'passed'],
      ['watches', 'processInputStep', 0, 'passed'],
      ['acts', 'processInputStep', 0, 'passed'],
      ['watches', 'processToolCall', 0, 'passed'],
      ['acts', 'processToolResult', 0, 'changed'],
      ['watches', 'processOutputStream', 0, 'passed'],
      ['watches', 'processInputStep', 1, 'passed'],
      ['acts', 'processInputStep', 1, 'changed'],
      ['watches', 'processOutputResult', undefined, 'passed'],
      ['watches', 'processOutputStream', 1, 'passed'],
    ])
  })

  test('names the denied call of several, and does not mix them up', async () => {
    const denies: Processor = {
      id: 'denies',
      processToolCall: ({ toolCall: { input } }) =>
        (input as { city: string }).city === 'Atlantis' ? { deny: 'It is gone.' } : undefined,
    }
    const cities = ['Oslo', 'Atlantis', 'Rome']
    const model = new ScriptedModel([cities.map((city) => toolCall('weather', { city })), 'Done.'])
    const events = await heard(weatherAgent([denies], { model }), 'processor-decision')
    expect(events.map(({ toolCallId, action, calls }) => [toolCallId, action, calls])).toEqual([
      ['call-1', 'passed', 1],
      ['call-2', 'denied', 1],
      ['call-3', 'passed', 1],
    ])
    for (const word of ['Atlantis', 'gone']) expect(events).toLeakNothingOf(word)
  })

  test.each<[string, Partial<Processor>, string]>([
    ['aborts', { processInput: ({ abort }) => abort('No.') }, 'aborted'],
    ['halts', { processInputStep: ({ halt }) => halt('No.') }, 'halted'],
    ['suspends', { processToolCall: ({ suspend }) => suspend('Sure?') }, 'suspended'],
    ['retries', { processOutputStep: ({ abort, retryCount }) => retryOnce(abort, retryCount) }, 'retried'],
    [
      'fails',
      {
        processInput: () => {
          throw new Error('Secret.')
        },
      },
      'failed',
    ],
  ])('is emitted for a processor that %s', async (_, hooks, action) => {
    const agent = weatherAgent([{ id: 'acts', ...hooks }])
    const events = await heard(agent, 'processor-decision', () => agent.generate('Hi').catch(() => {}))
    expect(events.map((event) => event.action)).toContain(action)
    expect(events).toLeakNothingOf('Secret')
  })

  test('is emitted for the members of a composed processor', async () => {
    const passes: Processor = { id: 'passes', processInput: () => {} }
    const both = parallel(passes, { ...passes, id: 'too' })
    expect(await decisions(weatherAgent([both]))).toEqual(
      expect.arrayContaining([
        ['passes', 'processInput', undefined, 'passed'],
        ['too', 'processInput', undefined, 'passed'],
      ]),
    )
  })

  test('is limited: one for chunk hooks, one hundred for calls of one hook', async () => {
    const streams = tool({
      inputSchema: z.object({}),
      execute: async function* () {
        for (let index = 0; index < 300; index++) yield index
      },
    })
    const watches: Processor = {
      id: 'watches',
      processOutputStream: ({ part }) => part,
      processToolResult: () => {},
    }
    const model = new ScriptedModel([[text('a'.repeat(500), { chunkSize: 1 }), toolCall('streams')], 'Done.'])
    const events = await heard(weatherAgent([watches], { model, tools: { streams } }), 'processor-decision')
    const results = events.filter(({ hook }) => hook === 'processToolResult')
    expect(results).toHaveLength(101)
    expect(results.map(({ truncated }) => truncated)).toEqual([...Array(100).fill(false), true])
    expect(results.at(-1)).toMatchObject({ calls: 101, toolCallId: undefined })
    const chunks = events.filter(({ hook }) => hook === 'processOutputStream')
    expect(chunks.map(({ calls }) => calls > 500)).toEqual([true, false])
  })

  test('does not change records and results', async () => {
    const run = async (listens: boolean): Promise<unknown> => {
      const reports: Processor = {
        id: 'reports',
        processInputStep: ({ reportUsage }) => reportUsage({ model: 'a/judge' }),
        processToolResult: () => ({ output: 'sun' }),
      }
      const agent = weatherAgent([reports])
      if (listens) agent.on('processor-decision', () => {})
      const { processors, steps } = await agent.generate('Hi')
      return [...processors, ...steps.flatMap((step) => step.processors)].map(
        ({ durationMs: _, ...rest }) => rest,
      )
    }
    expect(await run(true)).toEqual(await run(false))
  })

  test('covers only new decisions in a resumed run', async () => {
    const asks: Processor = {
      id: 'asks',
      processInput: () => {},
      processToolCall: ({ suspend, resumeData }) => (resumeData === undefined ? suspend('Sure?') : undefined),
    }
    const agent = weatherAgent([asks])
    const { suspension } = await agent.generate('Hi')
    const events = await heard(agent, 'processor-decision', () => suspension?.resume('yes'))
    expect(events.map(short)).toEqual([['asks', 'processToolCall', 0, 'passed']])
  })
})

function retryOnce(abort: (reason: string, options: { retry: boolean }) => never, retryCount: number): void {
  if (retryCount === 0) abort('Once more.', { retry: true })
}
