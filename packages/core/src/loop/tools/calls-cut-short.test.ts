import { setImmediate as turn } from 'node:timers/promises'
import { collect, ScriptedModel, toolCall } from '@millrace/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent } from '../../agent/agent.ts'
import type { AgentOptions } from '../../agent/agent-options.ts'
import type { Processor } from '../../processors/processor.ts'
import type { Chunk } from '../../results/chunk.ts'
import { Halt, TripWire } from '../../signals.ts'
import { InMemoryRunStore } from '../../storage/in-memory-run-store.ts'
import { tool } from '../../tools/tool.ts'

const anything = z.object({}).loose()

function agentOf(calls: readonly string[], options: Partial<AgentOptions>): Agent {
  const model = new ScriptedModel([calls.map((name) => toolCall(name)), 'Done.'])
  return new Agent({ model, ...options })
}

/** A tool that ends the run once it may. */
function stops(signal: Error, when: Promise<void> = Promise.resolve()) {
  return tool({
    inputSchema: anything,
    async execute() {
      await when
      throw signal
    },
  })
}

async function settle(): Promise<void> {
  for (let count = 0; count < 5; count++) await turn()
}

describe.each([
  ['tripwire', new TripWire('Stop.')],
  ['halted', new Halt('Stopped.')],
])('once a tool has ended the run as %s', (status, signal) => {
  test('no queued call is executed', async () => {
    let executed = 0
    const counts = tool({ inputSchema: anything, execute: () => ++executed })
    const agent = agentOf(['stops', 'counts', 'counts'], {
      tools: { stops: stops(signal), counts },
      toolConcurrency: 1,
    })
    expect(await agent.generate('Go')).toMatchObject({ status })
    await settle()
    expect(executed).toBe(0)
  })

  test('no call is executed whose input callbacks were still running', async () => {
    const told = Promise.withResolvers<void>()
    const stop = Promise.withResolvers<void>()
    let executed = 0
    const slow = tool({
      inputSchema: anything,
      async onInputAvailable() {
        stop.resolve()
        await told.promise
      },
      execute: () => ++executed,
    })
    const agent = agentOf(['slow', 'stops'], { tools: { slow, stops: stops(signal, stop.promise) } })
    expect(await agent.generate('Go')).toMatchObject({ status })
    told.resolve()
    await settle()
    expect(executed).toBe(0)
  })

  test('nothing more is emitted for a call with several outputs, and it is ended', async () => {
    const stop = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    const seen: string[] = []
    const slow = tool({
      inputSchema: anything,
      async *execute() {
        try {
          yield 1
          stop.resolve()
          await ended.promise
          yield 2
          seen.push('went on')
        } finally {
          seen.push('ended')
        }
      },
    })
    const stream = agentOf(['slow', 'stops'], { tools: { slow, stops: stops(signal, stop.promise) } }).stream(
      'Go',
    )
    const chunks: Chunk[] = await collect(stream.fullStream)
    expect(await stream.result).toMatchObject({ status })
    ended.resolve()
    await settle()
    expect(chunks.filter(({ type }) => type === 'tool-result')).toMatchObject([
      { output: 1, preliminary: true },
    ])
    expect(seen).toEqual(['ended'])
  })

  test('late outputs of other calls are dropped', async () => {
    const stop = Promise.withResolvers<void>()
    const late = Promise.withResolvers<void>()
    const seen: unknown[] = []
    const slow = tool({
      inputSchema: anything,
      async execute() {
        stop.resolve()
        await late.promise
        return 'late'
      },
    })
    const agent = agentOf(['slow', 'stops'], {
      tools: { slow, stops: stops(signal, stop.promise) },
      processors: [
        {
          id: 'reader',
          processToolResult({ toolCall }) {
            seen.push(toolCall.toolName)
          },
        },
      ],
    })
    const result = await agent.generate('Go')
    late.resolve()
    await settle()
    expect(result).toMatchObject({ status })
    expect(seen).toEqual([])
    expect(JSON.stringify(result.messages)).not.toContain('late')
  })
})

test('once a processor has ended the run on a result, no call is executed whose input callbacks were still running', async () => {
  const told = Promise.withResolvers<void>()
  let executed = 0
  const slow = tool({
    inputSchema: anything,
    onInputAvailable: () => told.promise,
    execute: () => ++executed,
  })
  const quick = tool({ inputSchema: anything, execute: () => 'done' })
  const judge: Processor = { id: 'judge', processToolResult: ({ abort }) => abort('Stop.') }
  const agent = agentOf(['quick', 'slow'], { tools: { quick, slow }, processors: [judge] })
  expect(await agent.generate('Go')).toMatchObject({ status: 'tripwire' })
  told.resolve()
  await settle()
  expect(executed).toBe(0)
})

test('a processor that suspends on a result does not prevent the other calls from executing', async () => {
  const told = Promise.withResolvers<void>()
  let executed = 0
  const slow = tool({
    inputSchema: anything,
    onInputAvailable: () => told.promise,
    execute: () => ++executed,
  })
  const quick = tool({ inputSchema: anything, execute: () => 'done' })
  const asks: Processor = {
    id: 'asks',
    processToolResult({ toolCall, resumeData, suspend }) {
      told.resolve()
      if (toolCall.toolName === 'quick' && resumeData === undefined) suspend()
    },
  }
  const agent = agentOf(['quick', 'slow'], { tools: { quick, slow }, processors: [asks] })
  const { runId, status } = await agent.generate('Go')
  expect([status, executed]).toEqual(['suspended', 1])
  expect(await agent.resume(runId, 'yes')).toMatchObject({ status: 'completed', text: 'Done.' })
  expect(executed).toBe(1)
})

describe('once the caller has aborted the run', () => {
  test('no call is executed whose input was still being validated', async () => {
    const controller = new AbortController()
    const checked = Promise.withResolvers<void>()
    let executed = 0
    let checks = 0
    const slow = tool({
      inputSchema: z.object({}).refine(async () => {
        if (++checks === 1) return true
        controller.abort('enough')
        await checked.promise
        return true
      }),
      execute: () => ++executed,
    })
    const result = agentOf(['slow'], { tools: { slow } }).generate('Go', { abortSignal: controller.signal })
    expect(await result).toMatchObject({ status: 'aborted', abortReason: 'enough' })
    checked.resolve()
    await settle()
    expect(executed).toBe(0)
  })

  test('later outputs and errors of a tool are ignored', async () => {
    const controller = new AbortController()
    const late = Promise.withResolvers<void>()
    const tools = {
      gives: tool({ inputSchema: anything, execute: () => late.promise.then(() => 'late') }),
      fails: tool({
        inputSchema: anything,
        execute: () => late.promise.then(() => Promise.reject(new Error('late'))),
      }),
      streams: tool({
        inputSchema: anything,
        async *execute() {
          controller.abort('enough')
          await late.promise
          yield 'late'
        },
      }),
    }
    const stream = agentOf(['gives', 'fails', 'streams'], { tools }).stream('Go', {
      abortSignal: controller.signal,
    })
    const chunks = await collect(stream.fullStream)
    const result = await stream.result
    late.resolve()
    await settle()
    expect(result).toMatchObject({ status: 'aborted', abortReason: 'enough' })
    expect(JSON.stringify([chunks, result.messages])).not.toContain('late')
  })
})

test('a call that was approved, but whose input is no longer valid, is an error that the model sees', async () => {
  const storage = new InMemoryRunStore()
  const executed: unknown[] = []
  const pay = (inputSchema: z.ZodObject) =>
    tool({
      inputSchema,
      needsApproval: true,
      execute: (input) => {
        executed.push(input)
      },
    })
  const first = agentOf(['pay'], { storage, tools: { pay: pay(anything) } })
  const { suspension } = await first.generate('Go')
  const model = new ScriptedModel(['Sorry.'])
  const stricter = new Agent({ model, storage, tools: { pay: pay(z.object({ to: z.string() })) } })
  const result = await stricter.resume(suspension?.runId ?? '', { approved: true })
  expect(executed).toEqual([])
  expect(result.steps[0]?.toolResults).toMatchObject([
    { status: 'error', error: expect.stringContaining('to') },
  ])
  expect(model.lastPrompt.at(-1)).toMatchObject({
    role: 'tool',
    content: [{ output: { type: 'error-text' } }],
  })
})

test('a call that is denied without a reason has none', async () => {
  const agent = agentOf(['pay'], {
    tools: { pay: tool({ inputSchema: anything, execute: () => 'paid' }) },
    toolApproval: () => ({ type: 'denied' }),
  })
  const chunks = await collect(agent.stream('Go').fullStream)
  const denied = chunks.find(({ type }) => type === 'tool-denied')
  expect(denied).toEqual({ type: 'tool-denied', toolCallId: 'call-1', toolName: 'pay', input: {} })
})

test('a tool that is resumed receives the prompt of its call, with outputs as its tools convert them', async () => {
  const prompts: unknown[] = []
  const look = tool({
    inputSchema: anything,
    execute: () => ({ secret: 1 }),
    toModelOutput: () => ({ type: 'text', value: 'looked' }),
  })
  const pay = tool({
    inputSchema: anything,
    needsApproval: true,
    execute: (_, { messages }) => {
      prompts.push(messages)
      return 'paid'
    },
  })
  const model = new ScriptedModel([toolCall('look'), toolCall('pay'), 'Done.'])
  const agent = new Agent({
    model,
    instructions: 'Be brief.',
    tools: { look, pay },
    storage: new InMemoryRunStore(),
  })
  const { suspension } = await agent.generate('Go')
  await suspension?.resume({ approved: true })
  expect(prompts).toMatchObject([
    [
      { role: 'user' },
      { role: 'assistant', content: [{ type: 'tool-call', toolName: 'look' }] },
      { role: 'tool', content: [{ output: { type: 'text', value: 'looked' } }] },
    ],
  ])
  expect(prompts[0]).toHaveLength(3)
})
