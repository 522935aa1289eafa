import { file, ScriptedModel, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent } from '../../agent/agent.ts'
import type { Message } from '../../messages/message.ts'
import type { Processor } from '../../processors/processor.ts'
import type { RunResult } from '../../results/result.ts'
import { Suspend } from '../../signals.ts'
import { InMemoryRunStore } from '../../storage/in-memory-run-store.ts'
import { tool } from '../../tools/tool.ts'
import { emptyUsage } from '../../usage.ts'

expect.extend(matchers)

const anything = z.object({}).loose()

/** Suspends in `processInput`, once; goes on with whatever the run is resumed with. */
function asker(seen: unknown[] = []): Processor {
  return {
    id: 'asker',
    processInput: ({ resumeData, suspend }) => {
      if (resumeData === undefined) suspend({ question: 'May I?' })
      seen.push(resumeData)
    },
  }
}

function idOf({ suspension }: RunResult): string {
  if (!suspension) throw new Error('The run is not suspended.')
  return suspension.runId
}

describe('what is stored', () => {
  test('messages with their attachments, origins, order, dates and metadata', async () => {
    const dataUrl = `data:application/json;base64,${btoa(JSON.stringify({ nested: { deep: [1, 'é'.length] } }))}`
    const createdAt = new Date(Date.UTC(2020, 1, 29))
    const input: Message = {
      id: 'input',
      role: 'user',
      createdAt,
      content: {
        metadata: { nested: { json: dataUrl } },
        parts: [
          { type: 'text', text: 'Read this.', providerMetadata: { p: { cache: true } } },
          { type: 'file', mediaType: 'application/json', url: dataUrl, filename: 'a.json' },
        ],
      },
    }
    const remembered: Message = { ...input, id: 'old', content: { parts: [{ type: 'text', text: 'Old.' }] } }
    const hint: Message = { ...input, id: 'hint', content: { parts: [{ type: 'text', text: 'Hint.' }] } }
    const origins: unknown[] = []
    const processors: Processor[] = [
      {
        id: 'memory',
        processInput: ({ messageList }) => {
          messageList.add(remembered, 'remembered').add(hint, 'context')
          // A hint works best at the end.
          return [remembered, input, hint].map(({ id }) => messageList.find(id) as Message)
        },
      },
      asker(),
      {
        id: 'looker',
        processInputStep: ({ messageList }) => {
          origins.push(
            ...messageList.get().map(({ id, createdAt }) => [id, messageList.originOf(id), createdAt]),
          )
        },
      },
    ]
    const plain = new ScriptedModel(['Hello.'])
    await new Agent({ model: plain, processors: processors.filter(({ id }) => id !== 'asker') }).generate(
      [input],
      { trusted: true },
    )

    const model = new ScriptedModel(['Hello.'])
    const agent = new Agent({ model, storage: new InMemoryRunStore(), processors })
    await agent.resume(idOf(await agent.generate([input], { trusted: true })), 'yes')
    expect(origins.slice(3)).toEqual([
      ['old', 'remembered', createdAt],
      ['input', 'input', createdAt],
      ['hint', 'context', createdAt],
    ])
    expect(model.lastPrompt).toEqual(plain.lastPrompt)
    expect(JSON.stringify(model.lastPrompt)).toContain(dataUrl.split(',')[1])
  })

  test('files of the model', async () => {
    const bytes = new Uint8Array([0, 255, 128])
    const agent = new Agent({
      model: new ScriptedModel([[file('image/png', bytes), toolCall('look')], 'Done.']),
      storage: new InMemoryRunStore(),
      tools: { look: { ...tool({ inputSchema: anything, execute: () => 'seen' }), needsApproval: true } },
    })
    const result = await agent.resume(idOf(await agent.generate('Hi')), { approved: true })
    expect(result.messages[0]?.content.parts).toContainEqual(
      expect.objectContaining({ type: 'file', url: 'data:image/png;base64,AP+A' }),
    )
  })

  test('usage so far, to which the rest is added', async () => {
    const agent = new Agent({
      model: new ScriptedModel([toolCall('look'), 'Done.']),
      storage: new InMemoryRunStore(),
      tools: { look: { ...tool({ inputSchema: anything, execute: () => 'seen' }), needsApproval: true } },
    })
    const suspended = await agent.generate('Hi')
    expect(suspended.usage.totalTokens).toBe(15)
    const result = await agent.resume(idOf(suspended), { approved: true })
    expect(result.usage.totalTokens).toBe(30)
    expect(result.steps.map(({ usage }) => usage.totalTokens)).toEqual([15, 15])
  })

  test('the number of retries, and the feedback of a pending retry', async () => {
    const model = new ScriptedModel(['Bad.', 'Bad.', 'Bad.', 'Good.'])
    const counts: number[] = []
    const agent = new Agent({
      model,
      storage: new InMemoryRunStore(),
      maxProcessorRetries: 2,
      processors: [
        {
          id: 'asker',
          processInputStep: ({ retryCount, resumeData, suspend }) => {
            counts.push(retryCount)
            if (retryCount === 1 && resumeData === undefined) suspend()
          },
        },
        {
          id: 'judge',
          processOutputStep: ({ text, abort }) =>
            text === 'Bad.' ? abort('Be good.', { retry: true }) : undefined,
        },
      ],
    })
    const suspended = await agent.generate('Hi')
    const result = await agent.resume(idOf(suspended), 'yes')
    expect(counts).toEqual([0, 1, 1, 2])
    expect(model.calls[1]?.prompt.at(-1)).toEqual({
      role: 'user',
      content: [{ type: 'text', text: 'Be good.' }],
    })
    expect(result).toHaveTripped({ processorId: 'judge', retryCount: 2 })
    expect(result.usage.totalTokens).toBe(45)
  })

  test("processors' state, unchanged", async () => {
    const state = {
      text: 'é \u2028 "',
      number: -1.5e300,
      flags: [true, false, null],
      deep: { er: { list: [{}, []] } },
      __proto__key: 1,
    }
    const seen: unknown[] = []
    const keeper: Processor = {
      id: 'keeper',
      processInput: (args) => {
        Object.assign(args.state, structuredClone(state))
      },
      processOutputResult: (args) => {
        seen.push(args.state)
      },
    }
    const agent = new Agent({
      model: new ScriptedModel(['Hello.']),
      storage: new InMemoryRunStore(),
      processors: [keeper, asker()],
    })
    await agent.resume(idOf(await agent.generate('Hi')), 'yes')
    expect(seen).toEqual([state])
  })

  test.each<[string, unknown, string]>([
    ['a Map', new Map(), 'broken'],
    ['a Set within a list', [[new Set()]], 'broken.0.0'],
    ['a function', () => 1, 'broken'],
    ['NaN', Number.NaN, 'broken'],
    ['Infinity', { deep: Number.POSITIVE_INFINITY }, 'broken.deep'],
    ['a Date', new Date(0), 'broken'],
    ['a class instance', new (class Own {})(), 'broken'],
    ['bytes', new Uint8Array(1), 'broken'],
    ['a bigint', 1n, 'broken'],
    ['a symbol', Symbol('s'), 'broken'],
    ['undefined in a list', [undefined], 'broken.0'],
    ['a circle', circle(), 'broken.self'],
  ])('or an error that names the processor and the place: %s', async (_, broken, place) => {
    const storage = new InMemoryRunStore()
    const agent = new Agent({
      model: new ScriptedModel([]),
      storage,
      processors: [
        {
          id: 'keeper',
          processInput: ({ state }) => {
            state.fine = { list: [1] }
            state.broken = broken
          },
        },
        asker(),
      ],
    })
    const error = await agent.generate('Hi').catch((error) => error)
    expect(error).toMatchObject({ code: 'RUN_STATE_NOT_JSON' })
    expect(error.message).toContain("'keeper'")
    expect(error.message).toContain(`'${place}'`)
    expect(await storage.listRuns({})).toEqual([])
  })

  test('a shared reference is not a cycle', async () => {
    const shared = { a: 1 }
    const agent = new Agent({
      model: new ScriptedModel([]),
      storage: new InMemoryRunStore(),
      processors: [
        {
          id: 'keeper',
          processInput: ({ state }) => {
            Object.assign(state, { one: shared, two: shared, list: [shared, shared] })
          },
        },
        asker(),
      ],
    })
    expect(await agent.generate('Hi')).toHaveStatus('suspended')
  })

  test('a payload that is not JSON is an error', async () => {
    for (const payload of [circle(), () => 1, new Map()]) {
      const agent = new Agent({
        model: new ScriptedModel([]),
        processors: [{ id: 'asker', processInput: ({ suspend }) => suspend(payload) }],
      })
      await expect(agent.generate('Hi')).rejects.toMatchObject({ code: 'RUN_STATE_NOT_JSON' })
    }
  })

  test('copies: edits after the suspension do not change what is stored', async () => {
    const seen: unknown[] = []
    const agent = new Agent({
      model: new ScriptedModel([toolCall('wait'), 'Done.']),
      storage: new InMemoryRunStore(),
      tools: {
        wait: tool({
          inputSchema: anything,
          execute: (_, { resumeData, suspendPayload }) => {
            if (resumeData === undefined) throw new Suspend({ price: 1 })
            seen.push(suspendPayload)
            return 'paid'
          },
        }),
      },
    })
    const suspended = await agent.generate('Hi')
    Object.assign(suspended.suspension?.payload as object, { price: 1_000 })
    for (const { payload } of await agent.suspendedRuns()) Object.assign(payload as object, { price: 2_000 })
    await agent.resume(idOf(suspended), 'yes')
    expect(seen).toEqual([{ price: 1 }])
  })
})

describe('where it resumes', () => {
  test('only the processor that suspended gets the data, and no other with its id', async () => {
    const seen: string[] = []
    const one = (name: string, suspends: boolean): Processor => ({
      id: 'same',
      processToolCall: ({ resumeData, suspend }) => {
        seen.push(`${name} ${resumeData}`)
        if (suspends && resumeData === undefined) suspend()
      },
    })
    const agent = new Agent({
      model: new ScriptedModel([toolCall('look'), 'Done.']),
      storage: new InMemoryRunStore(),
      tools: { look: tool({ inputSchema: anything, execute: () => 'seen' }) },
      inputProcessors: [one('input', false)],
      outputProcessors: [one('output', true)],
    })
    const result = await agent.resume(idOf(await agent.generate('Hi')), 'yes')
    expect(result).toHaveText('Done.')
    expect(seen).toEqual(['input undefined', 'output undefined', 'output yes'])
  })

  test('only the call that had suspended gets the data', async () => {
    const seen: unknown[] = []
    const agent = new Agent({
      model: new ScriptedModel([toolCall('look'), 'Done.']),
      storage: new InMemoryRunStore(),
      tools: { look: tool({ inputSchema: anything, execute: () => 'seen' }) },
      processors: [
        {
          id: 'asker',
          processInputStep: ({ stepNumber, resumeData, suspend }) => {
            seen.push([stepNumber, resumeData])
            if (stepNumber === 0 && resumeData === undefined) suspend()
          },
          processToolCall: ({ resumeData }) => {
            seen.push(['call', resumeData])
          },
        },
      ],
    })
    await agent.resume(idOf(await agent.generate('Hi')), 'yes')
    expect(seen).toEqual([
      [0, undefined],
      [0, 'yes'],
      ['call', undefined],
      [1, undefined],
    ])
  })

  test('processors before the one that suspended are not called again; their changes of the step are kept', async () => {
    const model = new ScriptedModel(['Hello.'])
    const asked: string[] = []
    const agent = new Agent({
      model,
      storage: new InMemoryRunStore(),
      processors: [
        {
          id: 'first',
          processInputStep: ({ systemMessages, messages }) => {
            asked.push('first')
            return {
              messages: messages.slice(-1),
              systemMessages: [...systemMessages, { role: 'system', content: 'Careful.' }],
              modelSettings: { temperature: 0.5 },
            }
          },
        },
        {
          id: 'asker',
          processInputStep: ({ messages, messageList, resumeData, suspend }) => {
            asked.push('asker')
            if (resumeData === undefined) suspend()
            // Still live objects, with real dates.
            expect(messages[0]).toBe(messageList.last)
            expect(messages[0]?.createdAt).toBeInstanceOf(Date)
          },
        },
        {
          id: 'last',
          processInputStep: () => {
            asked.push('last')
          },
        },
      ],
    })
    await agent.resume(
      idOf(await agent.generate(['One', 'Two'].map((content) => ({ role: 'user', content })))),
      'yes',
    )
    expect(asked).toEqual(['first', 'asker', 'asker', 'last'])
    expect(model.lastPrompt).toEqual([
      { role: 'system', content: 'Careful.' },
      { role: 'user', content: [{ type: 'text', text: 'Two' }] },
    ])
    expect(model.lastCall.temperature).toBe(0.5)
  })

  test('an input that a processor set to null stays null', async () => {
    const inputs: unknown[] = []
    const agent = new Agent({
      model: new ScriptedModel([toolCall('look', { path: '/etc' }), 'Done.']),
      storage: new InMemoryRunStore(),
      tools: {
        look: tool({
          inputSchema: z.unknown(),
          execute: (input) => {
            inputs.push(input)
            return 'seen'
          },
        }),
      },
      processors: [
        { id: 'clean', processToolCall: () => ({ input: null }) },
        {
          id: 'asker',
          processToolCall: ({ toolCall, resumeData, suspend }) => {
            inputs.push(toolCall.input)
            if (resumeData === undefined) suspend()
          },
        },
      ],
    })
    await agent.resume(idOf(await agent.generate('Hi')), 'yes')
    expect(inputs).toEqual([null, null, null])
  })

  test('a message that processOutputStep added has a real date', async () => {
    const agent = new Agent({
      model: new ScriptedModel(['One.', 'Two.']),
      storage: new InMemoryRunStore(),
      processors: [
        {
          id: 'more',
          processOutputStep: ({ stepNumber }) => (stepNumber === 0 ? { continue: 'Go on.' } : undefined),
        },
        {
          id: 'asker',
          processOutputStep: ({ stepNumber, resumeData, suspend }) =>
            stepNumber === 0 && resumeData === undefined ? suspend() : undefined,
        },
      ],
    })
    const result = await agent.resume(idOf(await agent.generate('Hi')), 'yes')
    expect(result.messages.map(({ role }) => role)).toEqual(['assistant', 'user', 'assistant'])
    for (const { createdAt } of result.messages) expect(createdAt).toBeInstanceOf(Date)
  })

  test("tools that a processor added to the step are not replaced by the agent's: it cannot be suspended then", async () => {
    const executed: string[] = []
    const named = (name: string) =>
      tool({
        inputSchema: anything,
        execute: () => {
          executed.push(name)
          return name
        },
      })
    const agent = new Agent({
      model: new ScriptedModel([toolCall('erase')]),
      storage: new InMemoryRunStore(),
      tools: { erase: named('real') },
      processors: [
        { id: 'sandbox', processInputStep: () => ({ tools: { erase: named('sandboxed') } }) },
        { id: 'asker', processToolCall: ({ suspend }) => suspend() },
      ],
    })
    const error = await agent.generate('Hi').catch((error) => error)
    expect(error).toMatchObject({ code: 'RUN_STATE_NOT_JSON' })
    expect(error.message).toContain("'sandbox'")
    expect(executed).toEqual([])
  })

  test.each(['model', 'tools', 'structuredOutput'] as const)(
    'a step with another %s cannot be suspended before its model call',
    async (field) => {
      const value = {
        model: new ScriptedModel([]),
        tools: { look: tool({ inputSchema: anything, execute: () => 1 }) },
        structuredOutput: { schema: z.object({}) },
      }[field]
      const agent = new Agent({
        model: new ScriptedModel([]),
        processors: [
          { id: 'changer', processInputStep: () => ({ [field]: value }) },
          { id: 'asker', wrapModelCall: ({ suspend }) => suspend() },
        ],
      })
      const error = await agent.generate('Hi').catch((error) => error)
      expect(error).toMatchObject({ code: 'RUN_STATE_NOT_JSON' })
      expect(error.message).toContain("'changer'")
    },
  )

  test('a schema that a processor set is not lost: it cannot be suspended then', async () => {
    const agent = new Agent({
      model: new ScriptedModel(['{}']),
      processors: [
        { id: 'changer', processInputStep: () => ({ structuredOutput: { schema: z.object({}) } }) },
        { id: 'asker', processOutputResult: ({ suspend }) => suspend() },
      ],
    })
    await expect(agent.generate('Hi')).rejects.toMatchObject({ code: 'RUN_STATE_NOT_JSON' })
  })

  test('processors of the call must be passed again', async () => {
    const storage = new InMemoryRunStore()
    const agent = new Agent({ model: new ScriptedModel(['Hello.']), storage })
    const id = idOf(await agent.generate('Hi', { processors: [asker()] }))
    await expect(agent.resume(id, 'yes')).rejects.toMatchObject({ code: 'RUN_INCOMPATIBLE' })
    expect(await agent.resume(id, 'yes', { processors: [asker()] })).toHaveText('Hello.')
  })
})

function circle(): object {
  const value: Record<string, unknown> = {}
  value.self = value
  return value
}

describe('records from before a run was suspended', () => {
  const usage = { ...emptyUsage(), inputTokens: 3, outputTokens: 1, totalTokens: 4 }

  test('are in the result of the resumed run, merged with later ones of the same hook and step', async () => {
    const events: unknown[] = []
    const worker: Processor = {
      id: 'worker',
      processInput: ({ reportUsage }) => reportUsage({ model: 'a/judge', usage }),
      processInputStep: () => {},
      processToolCall: ({ toolCall, resumeData, suspend, reportUsage }) => {
        reportUsage({ model: 'a/judge', usage })
        if (toolCall.toolCallId === 'b' && resumeData === undefined) suspend()
      },
    }
    const model = new ScriptedModel([
      [toolCall('look', {}, { id: 'a' }), toolCall('look', {}, { id: 'b' })],
      'Done.',
    ])
    const look = tool({ inputSchema: z.object({}), execute: () => 'seen' })
    const agent = new Agent({ model, tools: { look }, processors: [worker] })
    const waiting = await agent.generate('Hi')
    const before = waiting.processors
    expect(before.map(({ hook, action }) => [hook, action])).toEqual([
      ['processInput', 'passed'],
      ['processInputStep', 'passed'],
      ['processToolCall', 'suspended'],
    ])
    agent.on('processor', (event) => events.push(event))
    const resumed = await agent.resume(waiting.runId, 'yes')
    await agent.close()
    expect(resumed.processors.map(({ hook, stepNumber, calls }) => [hook, stepNumber, calls])).toEqual([
      ['processInput', undefined, 1],
      ['processInputStep', 0, 1],
      ['processToolCall', 0, 3],
      ['processInputStep', 1, 1],
    ])
    expect(resumed.processors[0]).toEqual(before[0])
    expect(resumed.processors[2]).toMatchObject({
      action: 'suspended',
      modelUsage: [{ modelId: 'a/judge', calls: 3, usage: { inputTokens: 9, totalTokens: 12 } }],
    })
    expect(resumed.processors[2]?.durationMs).toBeGreaterThanOrEqual(before[2]?.durationMs ?? Number.NaN)
    expect(resumed.steps[0]?.processors).toEqual(resumed.processors.slice(1, 3))
    // Who listens hears of each run what happened in it.
    expect(events).toMatchObject([{ hook: 'processToolCall' }])
  })
})
