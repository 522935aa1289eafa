import { collect, ScriptedModel, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent } from '../../agent/agent.ts'
import type { AgentOptions } from '../../agent/agent-options.ts'
import type { Processor } from '../../processors/processor.ts'
import type { ProcessToolResultArgs, ProcessToolStepArgs } from '../../processors/tool-hooks.ts'
import { Suspend } from '../../signals.ts'
import { InMemoryRunStore } from '../../storage/in-memory-run-store.ts'
import { tool } from '../../tools/tool.ts'

expect.extend(matchers)

function pay(executed: unknown[] = []) {
  return tool({
    inputSchema: z.object({ amount: z.coerce.number().positive() }),
    execute: (input) => {
      executed.push(input)
      return `paid ${input.amount}`
    },
  })
}

async function run(turn: unknown[], options: Partial<AgentOptions>) {
  const model = new ScriptedModel([turn as never, 'Done.'])
  const stream = new Agent({ model, storage: new InMemoryRunStore(), ...options }).stream('Go')
  const chunks = await collect(stream.fullStream)
  return { model, chunks, result: await stream.result }
}

const onCall = (
  processToolCall: NonNullable<Processor['processToolCall']>,
  id = 'gatekeeper',
): Processor => ({
  id,
  processToolCall,
})
const onResult = (
  processToolResult: NonNullable<Processor['processToolResult']>,
  id = 'reader',
): Processor => ({ id, processToolResult })

describe('processToolCall', () => {
  test('is called for every call in order, before any executes', async () => {
    const order: string[] = []
    await run([toolCall('pay', { amount: 1 }), toolCall('pay', { amount: 2 })], {
      tools: {
        pay: tool({
          inputSchema: z.object({ amount: z.number() }),
          execute: ({ amount }) => {
            order.push(`execute ${amount}`)
            return 'paid'
          },
        }),
      },
      processors: ['a', 'b'].map((id) =>
        onCall(({ toolCall, tool }) => {
          expect(tool.execute).toBeTypeOf('function')
          order.push(`${id} ${toolCall.toolCallId}`)
        }, id),
      ),
    })
    expect(order).toEqual(['a call-1', 'b call-1', 'a call-2', 'b call-2', 'execute 1', 'execute 2'])
  })

  test('{ input } replaces what the tool gets, validated again; the transcript keeps the model’s', async () => {
    const executed: unknown[] = []
    const { model, result } = await run([toolCall('pay', { amount: 1_000 })], {
      tools: { pay: pay(executed) },
      processors: [
        onCall(() => ({ input: { amount: '10', extra: 'dropped' } }), 'cap'),
        onCall(({ toolCall }) => {
          expect(toolCall.input).toEqual({ amount: '10', extra: 'dropped' })
        }, 'next'),
      ],
    })
    expect(executed).toEqual([{ amount: 10 }])
    expect(result.steps[0]?.toolCalls[0]?.input).toEqual({ amount: 10 })
    expect(model.lastPrompt).toHaveLength(3)
    expect(model.lastPrompt[1]).toMatchObject({ content: [{ type: 'tool-call', input: { amount: 1_000 } }] })
    expect(result.processors).toMatchObject([{ action: 'changed' }, { action: 'passed' }])
  })

  test.each([{ amount: -1 }, 'text', null, undefined, {}])(
    '{ input } that is invalid is an error that the model sees: %j',
    async (input) => {
      const executed: unknown[] = []
      const { model, result } = await run([toolCall('pay', { amount: 1 })], {
        tools: { pay: pay(executed) },
        processors: [onCall(() => ({ input }))],
      })
      expect(executed).toEqual([])
      expect(result.steps[0]?.toolResults).toMatchObject([{ status: 'error' }])
      expect(model.lastPrompt).toPairEveryToolCall()
    },
  )

  test('{ deny } is a denial that the model sees; the other calls run, and later processors are not called', async () => {
    const executed: unknown[] = []
    const asked: string[] = []
    const { model, chunks, result } = await run(
      [toolCall('pay', { amount: 1 }), toolCall('pay', { amount: 2 }), toolCall('pay', { amount: 3 })],
      {
        tools: { pay: pay(executed) },
        processors: [
          onCall(({ toolCall }) =>
            (toolCall.input as { amount: number }).amount === 2 ? { deny: 'Too much.' } : undefined,
          ),
          onCall(({ toolCall }) => {
            asked.push(toolCall.toolCallId)
          }, 'next'),
        ],
      },
    )
    expect(result).toHaveText('Done.')
    expect(executed).toEqual([{ amount: 1 }, { amount: 3 }])
    expect(asked).toEqual(['call-1', 'call-3'])
    expect(result.steps[0]?.toolResults).toMatchObject([
      { status: 'success' },
      { status: 'denied', reason: 'Too much.' },
      { status: 'success' },
    ])
    expect(model.lastPrompt[2]).toMatchObject({
      role: 'tool',
      content: [
        { output: { type: 'text', value: 'paid 1' } },
        { output: { type: 'execution-denied', reason: 'Too much.' } },
        { output: { type: 'text', value: 'paid 3' } },
      ],
    })
    expect(chunks.filter(({ type }) => type === 'tool-denied')).toMatchObject([{ toolCallId: 'call-2' }])
    expect(result.processors[0]).toMatchObject({ action: 'denied' })
    expect(result.messages).toPairEveryToolCall()
  })

  test('{ output } answers without executing', async () => {
    const executed: unknown[] = []
    const { model, result } = await run([toolCall('pay', { amount: 1 })], {
      tools: { pay: pay(executed) },
      processors: [onCall(() => ({ output: { cached: true } }))],
    })
    expect(executed).toEqual([])
    expect(result.steps[0]?.toolResults).toMatchObject([{ status: 'success', output: { cached: true } }])
    expect(model.lastPrompt[2]).toMatchObject({ content: [{ output: { value: { cached: true } } }] })
  })

  test('is not called for calls that cannot run, nor for those that the provider runs', async () => {
    let asked = 0
    await run(
      [
        toolCall('none', {}),
        toolCall('pay', { amount: 'x' }),
        toolCall('pay', {}, { rawInput: '{' }),
        toolCall('web', {}, { providerExecuted: true }),
      ],
      {
        tools: { pay: pay() },
        processors: [
          onCall(() => {
            asked++
          }),
        ],
      },
    )
    expect(asked).toBe(0)
  })

  test.each(['text', 7, true])('returning %j is an error', async (value) => {
    const agent = new Agent({
      model: new ScriptedModel([toolCall('pay', { amount: 1 })]),
      tools: { pay: pay() },
      processors: [onCall(() => value as never)],
    })
    await expect(agent.generate('Go')).rejects.toMatchObject({ code: 'PROCESSOR_RESULT_INVALID' })
  })

  test.each(['constructor', '__proto__', 'toString'])(
    'a call with the id %s is a call like any other',
    async (id) => {
      const executed: unknown[] = []
      const { result } = await run([toolCall('pay', { amount: 1 }, { id })], {
        tools: { pay: pay(executed) },
        processors: [onCall(() => ({ input: { amount: 2 } }))],
      })
      expect(executed).toEqual([{ amount: 2 }])
      expect(result.messages).toPairEveryToolCall()
    },
  )

  test.each(['constructor', '__proto__'])('and so is a suspended one: %s', async (id) => {
    const executed: unknown[] = []
    const { result } = await run([toolCall('pay', { amount: 1 }, { id }), toolCall('pay', { amount: 3 })], {
      tools: { pay: pay(executed) },
      processors: [
        onCall(() => ({ input: { amount: 2 } }), 'cap'),
        onCall(({ resumeData, suspend }) => (resumeData === undefined ? suspend() : undefined)),
      ],
    })
    let end = result
    for (let count = 0; end.status === 'suspended' && count < 10; count++) {
      end = await end.suspension.resume('yes')
    }
    expect(end).toHaveText('Done.')
    expect(executed).toEqual([{ amount: 2 }, { amount: 2 }])
  })
})

describe('processToolResult', () => {
  const secret = tool({ inputSchema: z.object({}), execute: () => ({ found: 'the secret' }) })

  test('what it redacts is redacted for the model, the stream, the result, the records and the store', async () => {
    const stored: unknown[] = []
    const { model, chunks, result } = await run([toolCall('secret')], {
      tools: { secret },
      processors: [
        onResult(() => ({ output: { found: '[REDACTED]' } })),
        {
          id: 'memory',
          processOutputResult: ({ messages }) => {
            stored.push(structuredClone(messages))
          },
          processToolStep: ({ toolResults, messages }) => {
            stored.push(structuredClone([toolResults, messages]))
          },
        },
      ],
    })
    expect(result.steps[0]?.toolResults).toMatchObject([{ output: { found: '[REDACTED]' } }])
    expect(stored).toHaveLength(2)
    expect([model.calls, chunks, result, stored]).toLeakNothingOf('the secret')
  })

  test('what it redacts is redacted in a run that is suspended after it', async () => {
    const storage = new InMemoryRunStore()
    const { result } = await run([toolCall('secret'), toolCall('wait')], {
      storage,
      tools: { secret, wait: { inputSchema: z.object({}) } },
      processors: [onResult(() => ({ output: { found: '[REDACTED]' } }))],
    })
    expect(result).toHaveStatus('suspended')
    expect(result).toLeakNothingOf('the secret')
    const found = await storage.getRun(result.runId)
    expect(found).toMatchObject({ state: 'suspended' })
    expect(found).toLeakNothingOf('the secret')
  })

  test('receives outputs, errors and denials, in call order, in whatever order they arrive', async () => {
    const seen: Pick<ProcessToolResultArgs, 'status' | 'output' | 'error'>[] = []
    let first = () => {}
    const waiting = new Promise<void>((resolve) => {
      first = resolve
    })
    await run([toolCall('slow'), toolCall('fails'), toolCall('denied'), toolCall('none')], {
      tools: {
        slow: tool({ inputSchema: z.object({}), execute: () => waiting.then(() => 'slow') }),
        fails: tool({
          inputSchema: z.object({}),
          execute: () => {
            first()
            throw new Error('broken')
          },
        }),
        denied: tool({ inputSchema: z.object({}), execute: () => 'never' }),
      },
      processors: [
        onCall(({ toolCall }) => (toolCall.toolName === 'denied' ? { deny: 'no' } : undefined)),
        onResult(({ status, output, error, preliminary }) => {
          expect(preliminary).toBe(false)
          seen.push({ status, output, error })
        }),
      ],
    })
    expect(seen).toEqual([
      { status: 'success', output: 'slow', error: undefined },
      { status: 'error', output: undefined, error: 'broken' },
      { status: 'denied', output: undefined, error: 'no' },
      { status: 'error', output: undefined, error: expect.stringContaining("'none'") },
    ])
  })

  test('{ error } makes an error of an output, { output } an output of an error, and a denial stays one', async () => {
    const { model, result } = await run(
      [toolCall('pay', { amount: 1 }), toolCall('fails'), toolCall('denied')],
      {
        tools: {
          pay: pay(),
          fails: tool({
            inputSchema: z.object({}),
            execute: () => {
              throw new Error('secret path')
            },
          }),
          denied: tool({ inputSchema: z.object({}), execute: () => 'never' }),
        },
        processors: [
          onCall(({ toolCall }) => (toolCall.toolName === 'denied' ? { deny: 'secret reason' } : undefined)),
          onResult(({ status }) => (status === 'error' ? { output: 'instead' } : { error: 'Not for you.' })),
        ],
      },
    )
    expect(result.steps[0]?.toolResults).toMatchObject([
      { status: 'error', error: 'Not for you.' },
      { status: 'success', output: 'instead' },
      { status: 'denied', reason: 'Not for you.' },
    ])
    expect([model.lastPrompt, result]).toLeakNothingOf('secret')
  })

  test('receives each preliminary result, and what it returns is emitted', async () => {
    const seen: unknown[] = []
    const { chunks } = await run([toolCall('count')], {
      tools: {
        count: tool({
          inputSchema: z.object({}),
          async *execute() {
            yield 'secret 1'
            yield 'secret 2'
          },
        }),
      },
      processors: [
        onResult(({ output, preliminary }) => {
          seen.push([output, preliminary])
          return { output: String(output).replace('secret', 'count') }
        }),
      ],
    })
    expect(seen).toEqual([
      ['secret 1', true],
      ['secret 2', true],
      ['secret 2', false],
    ])
    expect(chunks).toLeakNothingOf('secret')
    expect(chunks.filter(({ type }) => type === 'tool-result')).toMatchObject([
      { output: 'count 1', preliminary: true },
      { output: 'count 2', preliminary: true },
      { output: 'count 2' },
    ])
  })

  // A generator cannot be stopped halfway and go on in another process.
  test('cannot suspend on a preliminary result: that would run the tool twice', async () => {
    let runs = 0
    const agent = new Agent({
      model: new ScriptedModel([toolCall('count')]),
      tools: {
        count: tool({
          inputSchema: z.object({}),
          async *execute() {
            runs++
            yield 1
            yield 2
          },
        }),
      },
      processors: [onResult(({ suspend }) => suspend('Shall this go out?'))],
      storage: new InMemoryRunStore(),
    })
    const error = await agent.generate('Go').catch((error) => error)
    expect(error).toMatchObject({ code: 'PROCESSOR_FAILED' })
    expect(error.message).toContain("'reader'")
    expect(error.message).toContain('preliminary')
    expect(runs).toBe(1)
    expect(await agent.suspendedRuns()).toEqual([])
  })

  test('keeps the signals of concurrent calls apart', async () => {
    let proceed = () => {}
    const begun = new Promise<void>((resolve) => {
      proceed = resolve
    })
    const { result } = await run([toolCall('fast'), toolCall('streams')], {
      tools: {
        fast: tool({ inputSchema: z.object({}), execute: () => begun }),
        streams: tool({
          inputSchema: z.object({}),
          async *execute() {
            yield 'a part'
          },
        }),
      },
      processors: [
        onResult(async ({ toolCall, preliminary, resumeData, suspend }) => {
          if (preliminary) proceed()
          // The hook is busy with the part while it suspends over the result of the other call, and swallows it.
          for (let tick = 0; tick < (preliminary ? 6 : 2); tick++) await Promise.resolve()
          if (toolCall.toolName !== 'fast' || resumeData !== undefined) return
          try {
            suspend('Sure?')
          } catch {
            for (let tick = 0; tick < 12; tick++) await Promise.resolve()
          }
        }),
      ],
    })
    expect(result.suspension).toMatchObject({ payload: 'Sure?', toolCallId: 'call-1' })
    expect(await result.suspension?.resume('yes')).toHaveText('Done.')
  })

  test('suspends on one result while another tool runs: that one finishes and is not run again', async () => {
    const executed: string[] = []
    let proceed = () => {}
    const waiting = new Promise<void>((resolve) => {
      proceed = resolve
    })
    const named = (name: string, until?: Promise<void>) =>
      tool({
        inputSchema: z.object({}),
        execute: async () => {
          executed.push(name)
          await until
          return name
        },
      })
    const { result } = await run([toolCall('fast'), toolCall('slow'), toolCall('queued')], {
      toolConcurrency: 2,
      tools: { fast: named('fast'), slow: named('slow', waiting), queued: named('queued') },
      processors: [
        onResult(({ toolCall, resumeData, suspend }) => {
          if (toolCall.toolName !== 'fast' || resumeData !== undefined) return
          setImmediate(proceed)
          suspend()
        }),
      ],
    })
    expect(result).toHaveStatus('suspended')
    const end = await result.suspension?.resume('yes')
    expect(end).toHaveText('Done.')
    expect(executed).toEqual(['fast', 'slow', 'queued'])
    expect(end?.messages).toPairEveryToolCall()
  })
})

describe('processToolStep', () => {
  const tools = { pay: pay() }

  test('is called once per step, after all results are in the transcript', async () => {
    const seen: ProcessToolStepArgs[] = []
    await run([toolCall('pay', { amount: 1 }), toolCall('pay', { amount: 2 })], {
      tools,
      contextWindow: 1_000,
      modelSettings: { maxOutputTokens: 100 },
      processors: [
        {
          id: 'compactor',
          processToolStep: (args) => {
            seen.push(args)
            expect(args.messages).toPairEveryToolCall()
          },
        },
      ],
    })
    expect(seen).toHaveLength(1)
    expect(seen[0]).toMatchObject({ stepNumber: 0, contextWindow: 1_000, maxOutputTokens: 100 })
    expect(seen[0]?.usage.totalTokens).toBe(15)
    expect(seen[0]?.toolResults.map(({ status }) => status)).toEqual(['success', 'success'])
  })

  test('may change the transcript before the next call of the model', async () => {
    const { model } = await run([toolCall('pay', { amount: 1 })], {
      tools,
      processors: [
        {
          id: 'compactor',
          processToolStep: ({ messageList }) => {
            const [first] = messageList.get('input')
            if (first)
              messageList.replace({ ...first, content: { parts: [{ type: 'text', text: 'Short.' }] } })
          },
        },
      ],
    })
    expect(model.lastPrompt[0]).toEqual({ role: 'user', content: [{ type: 'text', text: 'Short.' }] })
  })

  test('{ finish } ends the run with its text, or without', async () => {
    for (const text of ['Enough.', undefined]) {
      const { model, chunks, result } = await run([toolCall('pay', { amount: 1 })], {
        tools,
        processors: [
          { id: 'stopper', processToolStep: () => ({ finish: true, ...(text && { text }) }) },
          {
            id: 'next',
            processToolStep: () => {
              throw new Error('not to be asked')
            },
          },
        ],
      })
      expect(result).toBeCompleted()
      expect(result).toHaveText(text ?? '')
      expect(model.callCount).toBe(1)
      expect(chunks.at(-1)).toMatchObject({ type: 'finish', status: 'completed' })
      expect(result.messages).toPairEveryToolCall()
    }
  })

  test('is not called if the step has no results', async () => {
    let calls = 0
    await run(['No tools.'], {
      tools,
      processors: [
        {
          id: 'counter',
          processToolStep: () => {
            calls++
          },
        },
      ],
    })
    expect(calls).toBe(0)
  })
})

test('the data that a processor is resumed with for a call is not passed to the tool', async () => {
  const heard: unknown[] = []
  const look = tool({
    inputSchema: z.object({}),
    execute(_, { resumeData, suspendPayload }) {
      heard.push([resumeData, suspendPayload])
      return 'seen'
    },
  })
  const asks: Processor = {
    id: 'asks',
    processToolCall: ({ resumeData, suspend }) =>
      resumeData === undefined ? suspend('Shall I?') : undefined,
  }
  const model = new ScriptedModel([toolCall('look'), 'Done.'])
  const agent = new Agent({ model, tools: { look }, processors: [asks] })
  const { runId } = await agent.generate('Go')
  expect(await agent.resume(runId, 'yes')).toMatchObject({ text: 'Done.' })
  expect(heard).toEqual([[undefined, undefined]])
})

test('an input that a processor does not change is validated as often as without it', async () => {
  const validations = async (processors: Processor[]) => {
    let count = 0
    const inputSchema = z.object({}).refine(() => ++count > 0)
    const model = new ScriptedModel([toolCall('look'), 'Done.'])
    await new Agent({
      model,
      tools: { look: tool({ inputSchema, execute: () => 'seen' }) },
      processors,
    }).generate('Go')
    return count
  }
  expect(await validations([{ id: 'looks', processToolCall: () => {} }])).toBe(await validations([]))
})

test('a call that needed no approval needs none when its run is resumed by an agent with a policy', async () => {
  const storage = new InMemoryRunStore()
  const wait = tool({
    inputSchema: z.object({}),
    execute(_, { resumeData }) {
      if (resumeData === undefined) throw new Suspend('Shall I?')
      return resumeData
    },
  })
  const agentOf = (options: Partial<AgentOptions>, turns: string[] | ReturnType<typeof toolCall>[]) =>
    new Agent({ model: new ScriptedModel(turns), storage, tools: { wait }, ...options })
  const { runId } = await agentOf({}, [toolCall('wait')]).generate('Go')
  const asks = agentOf({ toolApproval: { wait: 'user-approval' } }, ['Done.'])
  const result = await asks.resume(runId, 'yes')
  expect(result).toMatchObject({ status: 'completed', text: 'Done.' })
  expect(result.steps[0]?.toolResults).toMatchObject([{ output: 'yes' }])
})
