import { collect, ScriptedModel, toolCall } from '@millrace/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent } from '../../agent/agent.ts'
import type { AgentOptions } from '../../agent/agent-options.ts'
import type { Processor } from '../../processors/processor.ts'
import type { RunResult } from '../../results/result.ts'
import { Suspend } from '../../signals.ts'
import { InMemoryRunStore } from '../../storage/in-memory-run-store.ts'
import type { StoredRun } from '../../storage/run-store.ts'
import { tool } from '../../tools/tool.ts'

const anything = z.object({}).loose()

/** Suspends in one hook, and goes on when it is resumed. */
function asksIn(hook: keyof Processor, id = 'asker'): Processor {
  return {
    id,
    [hook]: ({ resumeData, suspend }: any) => (resumeData === undefined ? suspend('Shall I?') : undefined),
  }
}

const add = tool({ inputSchema: z.object({ a: z.number() }), execute: ({ a }) => a + 1 })

function agentWith(
  options: Partial<AgentOptions>,
  turns: ConstructorParameters<typeof ScriptedModel>[0] = [],
) {
  const model = new ScriptedModel(turns)
  return { model, agent: new Agent({ model, storage: new InMemoryRunStore(), tools: { add }, ...options }) }
}

function idOf({ suspension }: RunResult): string {
  return suspension?.runId ?? ''
}

/** A suspended run, whose stored form can be changed. */
async function stored(change: (run: StoredRun) => StoredRun = (run) => run) {
  const storage = new InMemoryRunStore()
  const { agent } = agentWith({ storage, processors: [asksIn('processInput')] }, ['Hello.'])
  const id = idOf(await agent.generate('Hi'))
  const found = await storage.getRun(id)
  if (found?.state !== 'suspended') throw new Error('The run is not suspended.')
  Object.assign(storage, { getRun: async () => ({ state: 'suspended', run: change(found.run) }) })
  return { agent, id, run: found.run }
}

// One test: the reasons are loaded in it, so that a change of any of them is noticed.
test('a run that cannot be resumed reports why, and the remedy', async () => {
  const storage = new InMemoryRunStore()
  const { agent } = agentWith({ storage, processors: [asksIn('processInput')] }, ['Hello.'])
  await expect(agent.resume('nonesuch', 'yes')).rejects.toThrow(/no suspended run 'nonesuch'.*Check the id/)
  const resumed = idOf(await agent.generate('Hi'))
  await agent.resume(resumed, 'yes')
  await expect(agent.resume(resumed, 'yes')).rejects.toMatchObject({
    code: 'RUN_ALREADY_RESUMED',
    message: `The run '${resumed}' has been resumed before; a run is resumed once. Start a new run.`,
  })
  const released = idOf(await agent.generate('Hi'))
  await agent.release(released)
  await expect(agent.resume(released, 'yes')).rejects.toMatchObject({
    code: 'RUN_RELEASED',
    message: `The run '${released}' has been released. Start a new run.`,
  })
  Object.assign(storage, { getRun: async () => ({ state: 'expired' }) })
  await expect(agent.resume('late', 'yes')).rejects.toMatchObject({
    code: 'RUN_EXPIRED',
    message: "The run 'late' was not resumed in time (see suspensionTtl). Start a new run.",
  })
})

test('a run that another caller claims first is not resumed twice', async () => {
  for (const [claimed, code] of [
    [undefined, 'RUN_NOT_FOUND'],
    // Another attempt works on it, has come to its end, or has been interrupted meanwhile.
    ['running', 'RUN_ALREADY_RESUMED'],
    ['done', 'RUN_ALREADY_RESUMED'],
    ['interrupted', 'RUN_ALREADY_RESUMED'],
    ['released', 'RUN_RELEASED'],
  ] as const) {
    const storage = new InMemoryRunStore()
    const { agent, model } = agentWith({ storage, processors: [asksIn('processInput')] }, ['Hello.'])
    const id = idOf(await agent.generate('Hi'))
    Object.assign(storage, { claimRun: async () => claimed && { state: claimed } })
    await expect(agent.resume(id, 'yes')).rejects.toMatchObject({ code })
    expect(model.calls).toEqual([])
  }
})

test('a run that is aborted before it is claimed can still be resumed', async () => {
  const storage = new InMemoryRunStore()
  const { agent } = agentWith({ storage, processors: [asksIn('processInput')] }, ['Hello.'])
  const id = idOf(await agent.generate('Hi'))
  const abort = new AbortController()
  const getRun = storage.getRun.bind(storage)
  const aborting: InMemoryRunStore['getRun'] = (...args) => {
    abort.abort()
    return getRun(...args)
  }
  Object.assign(storage, { getRun: aborting })
  expect(await agent.resume(id, 'yes', { abortSignal: abort.signal })).toMatchObject({ status: 'aborted' })
  Object.assign(storage, { getRun })
  expect(await agent.resume(id, 'yes')).toMatchObject({ status: 'completed', text: 'Hello.' })
})

describe('a stored run that cannot be read reports what is wrong:', () => {
  const edited = (edit: (snapshot: Record<string, unknown>) => void) => (run: StoredRun) => {
    const snapshot = JSON.parse(run.snapshot)
    edit(snapshot)
    return { ...run, snapshot: JSON.stringify(snapshot) }
  }

  test.each<[string, (run: StoredRun) => StoredRun, string]>([
    [
      'a field is damaged',
      edited((snapshot) => {
        snapshot.retryCount = -1
      }),
      "its stored snapshot, in which 'retryCount' is missing or damaged",
    ],
    [
      'another version',
      edited((snapshot) => {
        snapshot.version = 99
      }),
      'version 1 of the snapshot, but has version 99',
    ],
    [
      'its result is processed, but it has no last step',
      edited((snapshot) => {
        snapshot.place = { phase: 'processOutputResult' }
      }),
      "its stored snapshot, in which 'current.end' is missing or damaged",
    ],
    [
      'it is cut off',
      (run) => ({ ...run, snapshot: run.snapshot.slice(0, -1) }),
      'version 1 of the snapshot, but has version none',
    ],
  ])('%s', async (_, change, what) => {
    const { agent, id } = await stored(change)
    await expect(agent.resume(id, 'yes')).rejects.toMatchObject({
      code: 'RUN_INCOMPATIBLE',
      message: expect.stringContaining(`The run '${id}' needs ${what}.`),
    })
  })
})

test('a stored run has the expected fields, and no others', async () => {
  const { run } = await stored()
  const { snapshot: _, createdAt, ...rest } = run
  expect(rest).toStrictEqual({
    runId: run.runId,
    agentName: 'agent',
    payload: 'Shall I?',
    processorId: 'asker',
    hook: 'processInput',
    expiresAt: run.expiresAt,
  })
  expect(run.expiresAt).toBeGreaterThan(createdAt)
  const storage = new InMemoryRunStore()
  const ask = { inputSchema: anything }
  const { agent } = agentWith({ storage, tools: { ask } }, [toolCall('ask', {}, { id: 'c1' })])
  const id = idOf(await agent.generate('Hi', { threadId: 't', resourceId: 'r' }))
  const found = await storage.getRun(id, { resourceId: 'r' })
  if (found?.state !== 'suspended') throw new Error('The run is not suspended.')
  expect(Object.keys(found.run).sort()).toEqual([
    ...['agentName', 'createdAt', 'expiresAt', 'payload', 'resourceId', 'runId', 'snapshot', 'threadId'],
    'toolCallId',
  ])
})

test('a run with a value that is not JSON reports it, and is not stored', async () => {
  const storage = new InMemoryRunStore()
  const circular: Processor = {
    id: 'circular',
    processInput: ({ messages }) => {
      const metadata: Record<string, unknown> = {}
      metadata.self = metadata
      const [first] = messages
      if (first) first.content.metadata = metadata as never
    },
  }
  const { agent } = agentWith({ storage, processors: [circular, asksIn('processInput')] })
  const error = await agent.generate('Hi').catch((error) => error)
  expect(error).toMatchObject({
    code: 'RUN_STATE_NOT_JSON',
    message:
      'The run cannot be stored because it is not JSON. Use plain objects, lists, strings, finite numbers, booleans and null in messages, metadata and state.',
    cause: expect.any(TypeError),
  })
  expect(await storage.listRuns({})).toEqual([])
})

describe('an agent that lacks something reports what, and the run can still be resumed:', () => {
  test.each<[string, Partial<AgentOptions>, RegExp]>([
    ['a processor', { processors: [] }, /needs the processor 'asker', which took part in it/],
    [
      'a hook',
      { processors: [{ id: 'asker', processOutputStep: () => {} }] },
      /needs the hook processToolCall of the processor 'asker'/,
    ],
    ['a tool', { tools: {} }, /needs the tool 'add', which it has not called yet/],
  ])('%s', async (_, options, message) => {
    const storage = new InMemoryRunStore()
    const whole = { storage, processors: [asksIn('processToolCall')] }
    const { agent } = agentWith(whole, [toolCall('add', { a: 1 })])
    const id = idOf(await agent.generate('Hi'))
    const error = await agentWith({ ...whole, ...options })
      .agent.resume(id, 'yes')
      .catch((error) => error)
    expect(error).toMatchObject({ code: 'RUN_INCOMPATIBLE', message: expect.stringMatching(message) })
    expect(error.message).toContain(id)
    expect(error.message).toContain('It can still be resumed.')
    expect(await agentWith(whole, ['Done.']).agent.resume(id, 'yes')).toMatchObject({ text: 'Done.' })
  })

  test('a tool with execute', async () => {
    const storage = new InMemoryRunStore()
    const waits = tool({
      inputSchema: anything,
      execute: (_, { resumeData }) => {
        if (resumeData === undefined) throw new Suspend('Shall I?')
        return 'went'
      },
    })
    const { agent } = agentWith({ storage, tools: { waits } }, [toolCall('waits')])
    const id = idOf(await agent.generate('Hi'))
    const { agent: other } = agentWith({ storage, tools: { waits: { inputSchema: anything } } })
    await expect(other.resume(id, 'yes')).rejects.toThrow(/needs the tool 'waits' with an execute function/)
    expect(await agent.suspendedRuns()).toHaveLength(1)
  })

  test('and no tool of a call that the client or a processor answers, or that never existed', async () => {
    const storage = new InMemoryRunStore()
    const ask = { inputSchema: anything }
    const { agent } = agentWith({ storage, tools: { ask } }, [toolCall('ask')])
    const id = idOf(await agent.generate('Hi'))
    const without = agentWith({ storage, tools: {} }, ['Done.']).agent
    expect(await without.resume(id, 'Because.')).toMatchObject({ text: 'Done.' })

    const denies: Processor = {
      id: 'denies',
      processToolCall: ({ toolCall }) => (toolCall.toolName === 'add' ? { deny: 'No.' } : undefined),
    }
    const asks: Processor = {
      id: 'asker',
      processToolCall: ({ toolCall, resumeData, suspend }) =>
        toolCall.toolName === 'ask' && resumeData === undefined ? suspend() : undefined,
    }
    const whole = { storage, processors: [denies, asks] }
    const turn = [toolCall('add', { a: 1 }), toolCall('ask', {}, { id: 'c2' }), toolCall('none')]
    const first = await agentWith({ ...whole, tools: { add, ask } }, [turn]).agent.generate('Hi')
    const other = agentWith({ ...whole, tools: { ask } }, ['Done.']).agent
    // The client's tool has no execute here, and waits for the client next.
    const second = await other.resume(idOf(first), 'yes')
    expect(second).toMatchObject({ status: 'suspended' })
    const last = await other.resume(idOf(second), 'Because.')
    expect(last.text).toBe('Done.')
    expect(last.steps[0]?.toolResults).toMatchObject([
      { toolName: 'add', status: 'denied', reason: 'No.' },
      { toolName: 'ask', status: 'success', output: 'Because.' },
      { toolName: 'none', status: 'error' },
    ])
  })

  test('and no tool that was answered, or that never existed', async () => {
    const storage = new InMemoryRunStore()
    const whole = { storage, processors: [asksIn('processToolStep')] }
    const { agent } = agentWith(whole, [[toolCall('add', { a: 1 }), toolCall('none')]])
    const id = idOf(await agent.generate('Hi'))
    const { agent: other } = agentWith({ ...whole, tools: {} }, ['Done.'])
    expect(await other.resume(id, 'yes')).toMatchObject({ text: 'Done.' })
  })
})

describe('a resumed run has in its result what it had before:', () => {
  test('steps, warnings, records and the origin of messages', async () => {
    const origins: (string | undefined)[] = []
    const processors: Processor[] = [
      {
        id: 'fragile',
        onError: 'skip',
        processInput() {
          throw new Error('no connection')
        },
      },
      {
        id: 'recall',
        processInput({ messageList }) {
          const content = { parts: [{ type: 'text' as const, text: 'Before.' }] }
          messageList.add({ id: 'm1', role: 'user', content, createdAt: new Date(0) }, 'remembered')
        },
        processOutputResult({ messageList }) {
          origins.push(...messageList.get().map(({ id }) => messageList.originOf(id)))
        },
      },
      {
        id: 'asker',
        processOutputStep: ({ stepNumber, resumeData, suspend }) =>
          stepNumber === 1 && resumeData === undefined ? suspend('Shall I?') : undefined,
      },
    ]
    const { agent } = agentWith({ processors }, [toolCall('add', { a: 1 }), 'Two.'])
    const first = await agent.generate('Hi')
    const stream = agent.resume(idOf(first), 'yes')
    await collect(stream.fullStream)
    const result = await stream.result
    expect(result).toMatchObject({ status: 'completed', text: 'Two.' })
    expect(result.steps).toMatchObject([
      { stepNumber: 0, toolCalls: [{ toolName: 'add', input: { a: 1 } }], toolResults: [{ output: 2 }] },
      { stepNumber: 1, text: 'Two.' },
    ])
    expect(result.warnings).toEqual([
      {
        type: 'processor-skipped',
        processorId: 'fragile',
        hook: 'processInput',
        error: 'Error: no connection',
      },
    ])
    expect(result.processors).toMatchObject([
      { processorId: 'fragile', hook: 'processInput', action: 'failed', calls: 1 },
      { processorId: 'recall', hook: 'processInput', calls: 1 },
      { processorId: 'asker', hook: 'processOutputStep', stepNumber: 0, calls: 1, action: 'passed' },
      { processorId: 'asker', hook: 'processOutputStep', stepNumber: 1, calls: 2, action: 'suspended' },
      { processorId: 'recall', hook: 'processOutputResult', calls: 1 },
    ])
    expect(origins).toEqual(['remembered', 'input', 'response'])
  })

  test('rejected attempts, usage and responses, as they were', async () => {
    let attempts = 0
    const judge: Processor = {
      id: 'judge',
      processOutputStep: ({ abort }) => (attempts++ === 0 ? abort('Again.', { retry: true }) : undefined),
    }
    const asks: Processor = {
      id: 'asker',
      processOutputStep: ({ stepNumber, resumeData, suspend }) =>
        stepNumber === 1 && resumeData === undefined ? suspend() : undefined,
    }
    const processors = [judge, asks]
    const turns = ['Bad.', toolCall('add', { a: 1 }), 'Two.']
    const { agent: plain } = agentWith({ processors: [judge] }, turns)
    const whole = await plain.generate('Hi')
    attempts = 0
    const { agent } = agentWith({ processors }, turns)
    const result = await agent.resume(idOf(await agent.generate('Hi')), 'yes')
    expect(result.usage).toStrictEqual(whole.usage)
    expect(result.steps.map(({ usage }) => usage)).toStrictEqual(whole.steps.map(({ usage }) => usage))
    expect(result.steps[0]?.discarded).toStrictEqual(whole.steps[0]?.discarded)
    expect(result.steps[0]?.discarded).toMatchObject([{ reason: 'Again.', processorId: 'judge' }])
    expect(result.steps.map(({ response }) => response)).toStrictEqual(
      whole.steps.map(({ response }) => response),
    )
    expect(result.steps[0]?.response.timestamp).toBeInstanceOf(Date)
  })

  test('warnings of both, without duplicates', async () => {
    const fragile: Processor = {
      id: 'fragile',
      onError: 'skip',
      processInput() {
        throw new Error('no connection')
      },
      processOutputResult() {
        throw new Error('no space')
      },
    }
    const { agent } = agentWith({ processors: [fragile, asksIn('processOutputStep')] }, ['Hello.'])
    const result = await agent.resume(idOf(await agent.generate('Hi')), 'yes')
    expect(result.warnings).toMatchObject([{ hook: 'processInput' }, { hook: 'processOutputResult' }])
  })

  test('of two processors with one id, the records of each', async () => {
    const { agent } = agentWith(
      {
        inputProcessors: [{ id: 'twin', processInput: () => {}, processInputStep: () => {} }],
        outputProcessors: [
          { id: 'twin', processOutputStep: () => {}, processOutputResult: () => {} },
          asksIn('processOutputStep'),
        ],
      },
      ['Hello.'],
    )
    const result = await agent.resume(idOf(await agent.generate('Hi')), 'yes')
    expect(
      result.processors.map(({ processorId, hook, calls }) => `${processorId} ${hook} ${calls}`),
    ).toEqual([
      'twin processInput 1',
      'twin processInputStep 1',
      'twin processOutputStep 1',
      'asker processOutputStep 2',
      'twin processOutputResult 1',
    ])
  })
})

describe('what a processor has added to a step', () => {
  const looks: string[] = []
  const look = tool({ inputSchema: anything, execute: () => looks.push('look') })
  const adds: Processor = { id: 'adds', processInputStep: () => ({ tools: { add, look } }) }

  test("is not needed if the remaining calls are of the agent's tools", async () => {
    const { agent } = agentWith({ processors: [adds, asksIn('processToolCall')] }, [
      toolCall('add', { a: 1 }),
      'Done.',
    ])
    const first = await agent.generate('Hi')
    expect(first).toMatchObject({ status: 'suspended' })
    expect(await agent.resume(idOf(first), 'yes')).toMatchObject({ text: 'Done.' })
  })

  test('is not needed if all calls were executed', async () => {
    const { agent } = agentWith({ processors: [adds, asksIn('processToolStep')] }, [
      toolCall('look'),
      'Done.',
    ])
    const first = await agent.generate('Hi')
    expect(first).toMatchObject({ status: 'suspended' })
    expect(await agent.resume(idOf(first), 'yes')).toMatchObject({ text: 'Done.' })
    expect(looks).toEqual(['look'])
  })

  test('is not needed for an output of the client', async () => {
    const asked: Processor = {
      id: 'adds',
      processInputStep: () => ({ tools: { ask: { inputSchema: anything }, look } }),
    }
    const { agent } = agentWith({ processors: [asked], tools: { ask: { inputSchema: anything } } }, [
      toolCall('ask'),
      'Done.',
    ])
    const first = await agent.generate('Hi')
    expect(first).toMatchObject({ status: 'suspended' })
    expect(await agent.resume(idOf(first), 'Because.')).toMatchObject({ text: 'Done.' })
  })
})

test('a message of the step that a processor has edited since is the one in the transcript', async () => {
  const processors: Processor[] = [
    {
      id: 'narrow',
      processInputStep: ({ messages }) => ({ messages: messages.slice(-1) }),
      processOutputStep({ messageList, stepNumber }) {
        const [first] = messageList.get('input')
        if (first && stepNumber === 0) first.content.parts.push({ type: 'text', text: 'Edited.' })
      },
    },
    asksIn('wrapModelCall'),
  ]
  const { agent, model } = agentWith({ processors }, ['Hello.'])
  await agent.resume(idOf(await agent.generate('Hi')), 'yes')
  expect(model.lastPrompt.at(-1)).toMatchObject({ role: 'user', content: [{ type: 'text', text: 'Hi' }] })
})
