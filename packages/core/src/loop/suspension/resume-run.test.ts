import { collect, ScriptedModel, toolCall } from '@millrace/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent } from '../../agent/agent.ts'
import type { AgentOptions } from '../../agent/agent-options.ts'
import type { Processor } from '../../processors/processor.ts'
import type { RunResult } from '../../results/result.ts'
import { Suspend } from '../../signals.ts'
import { InMemoryRunStore } from '../../storage/in-memory-run-store.ts'
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

describe('a run that cannot be resumed says why, and what to do:', () => {
  const suspended = async () => {
    const { agent } = agentWith({ processors: [asksIn('processInput')] }, ['Hello.'])
    return { agent, id: idOf(await agent.generate('Hi')) }
  }

  test('there is none', async () => {
    const { agent } = await suspended()
    await expect(agent.resume('nonesuch', 'yes')).rejects.toThrow(/no suspended run 'nonesuch'.*Check the id/)
  })

  test('it was resumed', async () => {
    const { agent, id } = await suspended()
    await agent.resume(id, 'yes')
    const message = `The run '${id}' has been resumed before; a run is resumed once. Start a new run.`
    await expect(agent.resume(id, 'yes')).rejects.toMatchObject({ code: 'RUN_ALREADY_RESUMED', message })
  })

  test('it was released', async () => {
    const { agent, id } = await suspended()
    await agent.release(id)
    const message = `The run '${id}' has been released. Start a new run.`
    await expect(agent.resume(id, 'yes')).rejects.toMatchObject({ code: 'RUN_RELEASED', message })
  })

  test('it is too late', async () => {
    const store = new InMemoryRunStore()
    const getRun: InMemoryRunStore['getRun'] = async () => ({ state: 'expired' })
    const { agent } = agentWith({ storage: Object.assign(store, { getRun }) })
    const message = `The run 'late' was not resumed in time (see suspensionTtl). Start a new run.`
    await expect(agent.resume('late', 'yes')).rejects.toMatchObject({ code: 'RUN_EXPIRED', message })
  })
})

describe('an agent that lacks something says what, and the run can still be resumed:', () => {
  test.each<[string, Partial<AgentOptions>, RegExp]>([
    ['a processor', { processors: [] }, /needs the processor 'asker', which took part in it/],
    [
      'a hook',
      { processors: [{ id: 'asker', processOutputStep: () => {} }] },
      /needs the hook processToolCall of the processor 'asker'/,
    ],
    ['a tool', { tools: {} }, /needs the tool 'add', which it has yet to call/],
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

  test('and no tool that has been answered, or that never was there', async () => {
    const storage = new InMemoryRunStore()
    const whole = { storage, processors: [asksIn('processToolStep')] }
    const { agent } = agentWith(whole, [[toolCall('add', { a: 1 }), toolCall('none')]])
    const id = idOf(await agent.generate('Hi'))
    const { agent: other } = agentWith({ ...whole, tools: {} }, ['Done.'])
    expect(await other.resume(id, 'yes')).toMatchObject({ text: 'Done.' })
  })
})

describe('a resumed run has in its result what was before:', () => {
  test('steps, warnings, records and how messages came in', async () => {
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

describe('what a processor has put into a step', () => {
  const looks: string[] = []
  const look = tool({ inputSchema: anything, execute: () => looks.push('look') })
  const adds: Processor = { id: 'adds', processInputStep: () => ({ tools: { add, look } }) }

  test('is not needed where all that is left to call is of the agent', async () => {
    const { agent } = agentWith({ processors: [adds, asksIn('processToolCall')] }, [
      toolCall('add', { a: 1 }),
      'Done.',
    ])
    const first = await agent.generate('Hi')
    expect(first).toMatchObject({ status: 'suspended' })
    expect(await agent.resume(idOf(first), 'yes')).toMatchObject({ text: 'Done.' })
  })

  test('is not needed where all has been called', async () => {
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
