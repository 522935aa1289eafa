import { collect, gate, ScriptedModel, text, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { Agent } from '../agent/agent.ts'
import type { AgentOptions } from '../agent/agent-options.ts'
import type { Processor } from '../processors/processor.ts'
import type { AgentEventName, AgentEvents } from '../results/agent-events.ts'
import { tool } from '../tools/tool.ts'

expect.extend(matchers)

const NAMES = ['run-start', 'step-finish', 'tool-finish', 'processor', 'run-finish', 'run-error'] as const

type Seen = { [NAME in AgentEventName]: { name: NAME } & AgentEvents[NAME] }[AgentEventName]

function weatherAgent(options: Partial<AgentOptions> = {}): Agent {
  return new Agent({
    name: 'forecaster',
    model: new ScriptedModel([['Let me look. ', toolCall('weather', { city: 'Oslo' })], 'It rains.'], {
      repeat: 'last',
    }),
    tools: {
      weather: tool({
        inputSchema: z.object({ city: z.string() }),
        execute: ({ city }) => `rain in ${city}`,
      }),
    },
    ...options,
  })
}

function watch(agent: Agent): Seen[] {
  const seen: Seen[] = []
  for (const name of NAMES) agent.on(name, (event) => seen.push({ name, ...event } as unknown as Seen))
  return seen
}

describe('events', () => {
  test('report a run in order, each with its run and owner', async () => {
    const agent = weatherAgent()
    const seen = watch(agent)
    const { runId } = await agent.generate('Umbrella?', { threadId: 'thread-1', resourceId: 'ada' })
    await agent.close()
    expect(seen).toMatchObject([
      { name: 'run-start', resumedFrom: undefined },
      { name: 'tool-finish', stepNumber: 0, toolCallId: 'call-1', toolName: 'weather', status: 'success' },
      {
        name: 'step-finish',
        stepNumber: 0,
        finishReason: 'tool-calls',
        usage: { totalTokens: 15 },
        toolCalls: [{ toolCallId: 'call-1', toolName: 'weather' }],
        discarded: 0,
      },
      { name: 'step-finish', stepNumber: 1, finishReason: 'stop', toolCalls: [] },
      { name: 'run-finish', result: { status: 'completed', text: 'It rains.', usage: { totalTokens: 30 } } },
    ])
    for (const event of seen) {
      expect(event).toMatchObject({ runId, agentName: 'forecaster', threadId: 'thread-1', resourceId: 'ada' })
    }
  })

  test('report processors that acted, once per hook and step, and no others', async () => {
    const quiet: Processor = { id: 'quiet', processInput: () => {}, processOutputStream: ({ part }) => part }
    const shouts: Processor = {
      id: 'shouts',
      processInput: ({ messages }) => [...messages, { ...messages[0]!, id: 'again' }],
      processOutputStream: ({ part }) =>
        part.type === 'text-delta' ? { ...part, textDelta: part.textDelta.toUpperCase() } : part,
    }
    const agent = weatherAgent({ processors: [quiet, shouts] })
    const seen = watch(agent)
    await agent.generate('Hi')
    await agent.close()
    const acted = seen.filter(({ name }) => name === 'processor')
    expect(acted).toMatchObject([
      { processorId: 'shouts', hook: 'processOutputStream', stepNumber: 0, action: 'changed' },
      { processorId: 'shouts', hook: 'processOutputStream', stepNumber: 1, action: 'changed' },
      { processorId: 'shouts', hook: 'processInput', stepNumber: undefined, action: 'changed' },
    ])
    expect(seen.at(-1)?.name).toBe('run-finish')
  })

  test('report an error without its cause', async () => {
    const agent = weatherAgent({
      processors: [
        {
          id: 'broken',
          processInput: () => {
            throw new Error('Secret.')
          },
        },
      ],
    })
    const seen = watch(agent)
    await expect(agent.generate('Hi')).rejects.toThrow()
    await agent.close()
    expect(seen.map(({ name }) => name)).toEqual(['run-start', 'processor', 'run-error'])
    expect(seen.at(-1)).toMatchObject({ error: { name: 'MillraceError', code: 'PROCESSOR_FAILED' } })
    expect(seen).toLeakNothingOf('Secret')
  })

  test('end with the run, also if it is aborted before it starts or while a tool runs', async () => {
    const controller = new AbortController()
    const inTool = gate()
    const agent = weatherAgent({
      tools: {
        weather: tool({
          inputSchema: z.object({ city: z.string() }),
          execute: () => {
            controller.abort()
            inTool.open()
            return inTool.reached.then(() => 'late')
          },
        }),
      },
    })
    const seen = watch(agent)
    expect(await agent.generate('Hi', { abortSignal: AbortSignal.abort() })).toHaveStatus('aborted')
    expect(await agent.generate('Hi', { abortSignal: controller.signal })).toHaveStatus('aborted')
    await agent.close()
    expect(seen.map(({ name }) => name)).toEqual(['run-start', 'run-finish', 'run-start', 'run-finish'])
    expect(seen.at(-1)).toMatchObject({ result: { status: 'aborted' } })
  })

  test('report a suspension, and the run that resumes it', async () => {
    const asks: Processor = {
      id: 'asks',
      processToolCall: ({ suspend, resumeData }) => (resumeData === undefined ? suspend('Sure?') : undefined),
    }
    const agent = weatherAgent({ processors: [asks] })
    const seen = watch(agent)
    const result = await agent.generate('Hi')
    await result.suspension?.resume('yes')
    await agent.close()
    expect(seen.map(({ name }) => name)).toEqual([
      'run-start',
      'processor',
      'run-finish',
      'run-start',
      'tool-finish',
      'step-finish',
      'step-finish',
      'run-finish',
    ])
    expect(seen[2]).toMatchObject({ result: { status: 'suspended', suspension: { payload: 'Sure?' } } })
    expect(seen[3]).toMatchObject({ resumedFrom: result.runId })
  })

  test('contain nothing that was rejected or redacted', async () => {
    const strict: Processor = {
      id: 'strict',
      processOutputStep: ({ abort, retryCount }) => {
        if (retryCount === 0) abort('Once more.', { retry: true })
      },
    }
    const redacts: Processor = {
      id: 'redacts',
      processToolResult: () => ({ output: '[REDACTED]' }),
      processOutputResult: ({ messages }) =>
        messages.map((message) => ({
          ...message,
          content: {
            parts: message.content.parts.map((part) =>
              part.type === 'text' ? { ...part, text: '[REDACTED]' } : part,
            ),
          },
        })),
    }
    const model = new ScriptedModel([
      'Rejected words.',
      toolCall('weather', { city: 'Oslo' }),
      'Secret answer.',
    ])
    const agent = weatherAgent({ model, processors: [strict, redacts] })
    const seen = watch(agent)
    expect(await agent.generate('Hi')).toHaveText('[REDACTED]')
    await agent.close()
    expect(seen.filter(({ name }) => name === 'step-finish')).toMatchObject([
      { discarded: 1 },
      { discarded: 0 },
    ])
    for (const secret of ['Rejected words', 'rain in', 'Secret answer']) expect(seen).toLeakNothingOf(secret)
  })
})

describe('a listener', () => {
  test('gets frozen copies: changes to them have no effect', async () => {
    const agent = weatherAgent()
    const failures: unknown[] = []
    agent.on('run-finish', ({ result }) => {
      for (const change of [
        () => result.messages.push(result.messages[0]!),
        () => Object.assign(result.messages[0]!, { role: 'user' }),
        () => Object.assign(result.steps[0]!.usage, { totalTokens: 0 }),
        () => Object.assign(result.steps[0]!.toolCalls[0]!.input as object, { city: 'Rome' }),
      ]) {
        try {
          change()
        } catch (error) {
          failures.push(error)
        }
      }
    })
    const result = await agent.generate('Hi')
    const before = JSON.stringify(result)
    await agent.close()
    expect(failures).toHaveLength(4)
    expect(JSON.stringify(result)).toBe(before)
    expect(Object.isFrozen(result.messages)).toBe(false)
  })

  test('that throws or rejects has no effect, also on the others', async () => {
    const agent = weatherAgent()
    agent.on('run-start', () => {
      throw new Error('broken')
    })
    agent.on('run-start', async () => {
      throw new Error('broken')
    })
    const seen = watch(agent)
    expect(await agent.generate('Hi')).toBeCompleted()
    await agent.close()
    expect(seen).toHaveLength(5)
  })

  test('is not awaited by the run, but by close()', async () => {
    const agent = weatherAgent()
    let open: () => void = () => {}
    const opened = new Promise<void>((resolve) => {
      open = resolve
    })
    const done: string[] = []
    agent.on('run-start', async () => {
      await opened
      done.push('slow')
    })
    expect(await agent.generate('Hi')).toBeCompleted()
    expect(done).toEqual([])
    const closed = agent.close().then(() => done.push('closed'))
    open()
    await closed
    expect(done).toEqual(['slow', 'closed'])
  })

  test('is called asynchronously: a stream is the same with it as without', async () => {
    const types = async (agent: Agent) =>
      (await collect(agent.stream('Hi').fullStream)).map(({ type }) => type)
    const agent = weatherAgent()
    const seen = watch(agent)
    expect(await types(agent)).toEqual(await types(weatherAgent()))
    await agent.close()
    expect(seen).toHaveLength(5)
  })

  test('is not called after it was removed, and others still are', async () => {
    const agent = weatherAgent()
    const heard: string[] = []
    const listener = (): unknown => heard.push('heard')
    const first = agent.on('run-finish', listener)
    agent.on('run-finish', listener)
    first()
    first()
    await agent.generate('Hi')
    await agent.close()
    expect(heard).toEqual(['heard'])
  })

  afterEach(() => {
    vi.useRealTimers()
  })

  test('is called without close(), as soon as the thread is free', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const agent = weatherAgent()
    const seen = watch(agent)
    await agent.generate('Hi')
    expect(seen).toEqual([])
    vi.runAllTimers()
    expect(seen).toHaveLength(5)
  })
})

test('nothing is copied without listeners', async () => {
  const reads = async (event: AgentEventName): Promise<number> => {
    let count = 0
    const metadata = Object.defineProperty({}, 'value', { enumerable: true, get: () => count++ })
    const agent = weatherAgent({
      processors: [
        {
          id: 'counter',
          processOutputResult: ({ messages: [first] }) =>
            void Object.assign(first?.content ?? {}, { metadata }),
        },
      ],
    })
    agent.on(event, () => {})
    await agent.generate('Hi')
    await agent.close()
    return count
  }
  expect(await reads('run-finish')).toBeGreaterThan(await reads('step-finish'))
})

test('close() resolves at once if nothing is pending', async () => {
  await weatherAgent().close()
})

test('streamed chunks are not copied: a run of many chunks has as many events as a short one', async () => {
  const agent = new Agent({ model: new ScriptedModel([text('a'.repeat(500), { chunkSize: 1 })]) })
  const seen = watch(agent)
  await agent.generate('Hi')
  await agent.close()
  expect(seen.map(({ name }) => name)).toEqual(['run-start', 'step-finish', 'run-finish'])
})

test('a run whose result cannot be copied still ends', async () => {
  let deep: unknown = 'bottom'
  for (let level = 0; level < 100_000; level++) deep = [deep]
  const agent = new Agent({
    model: new ScriptedModel([toolCall('dig')]),
    tools: { dig: tool({ inputSchema: z.object({}), execute: () => deep }) },
    maxSteps: 1,
  })
  const heard: string[] = []
  agent.on('run-finish', ({ result }) => heard.push(result.status))
  expect(await agent.generate('Hi')).toMatchObject({ status: 'limit' })
  await agent.close()
  expect(heard).toEqual(['limit'])
})
