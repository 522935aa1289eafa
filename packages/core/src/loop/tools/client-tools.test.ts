import { collect, ScriptedModel, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent } from '../../agent/agent.ts'
import type { AgentOptions } from '../../agent/agent-options.ts'
import type { RunResult } from '../../results/result.ts'
import { Suspend } from '../../signals.ts'
import { InMemoryRunStore } from '../../storage/in-memory-run-store.ts'
import { tool } from '../../tools/tool.ts'

expect.extend(matchers)

const anything = z.object({}).loose()

function agentOf(turn: unknown[], options: Partial<AgentOptions>) {
  const model = new ScriptedModel([turn as never, 'Done.'])
  return { model, agent: new Agent({ model, storage: new InMemoryRunStore(), ...options }) }
}

function idOf({ suspension }: RunResult): string {
  return suspension?.runId ?? ''
}

describe('a tool without execute', () => {
  const locate = { inputSchema: z.object({ precise: z.boolean().optional() }) }

  test('suspends with its call and resumes with its output', async () => {
    const { agent, model } = agentOf([toolCall('locate', { precise: true })], { tools: { locate } })
    const stream = agent.stream('Go')
    const chunks = await collect(stream.fullStream)
    const suspended = await stream.result
    const payload = {
      type: 'tool-output',
      toolCalls: [{ toolCallId: 'call-1', toolName: 'locate', input: { precise: true } }],
    }
    expect(suspended.suspension).toMatchObject({ payload, toolCallId: 'call-1', processorId: undefined })
    expect(chunks.at(-1)).toMatchObject({ type: 'suspended', payload })

    const result = await agent.resume(idOf(suspended), { city: 'Oslo' })
    expect(result).toHaveText('Done.')
    expect(result.steps[0]?.toolResults).toMatchObject([{ status: 'success', output: { city: 'Oslo' } }])
    expect(model.lastPrompt[2]).toMatchObject({
      content: [{ output: { type: 'json', value: { city: 'Oslo' } } }],
    })
  })

  test('has its output passed to processToolResult like any other', async () => {
    const { agent, model } = agentOf([toolCall('locate', {})], {
      tools: { locate },
      processors: [{ id: 'redactor', processToolResult: () => ({ output: '[REDACTED]' }) }],
    })
    const result = await agent.resume(idOf(await agent.generate('Go')), 'the secret place')
    expect([result, model.calls]).toLeakNothingOf('the secret place')
  })

  test('waits with others: outputs by call id, all at once or in parts', async () => {
    const { agent } = agentOf([toolCall('locate', {}), toolCall('locate', { precise: true })], {
      tools: { locate },
    })
    const first = await agent.generate('Go')
    expect(first.suspension?.payload).toMatchObject({
      toolCalls: [{ toolCallId: 'call-1' }, { toolCallId: 'call-2' }],
    })
    const second = await agent.resume(idOf(first), { 'call-2': 'Bergen' })
    expect(second.suspension?.payload).toMatchObject({ toolCalls: [{ toolCallId: 'call-1' }] })
    const result = await agent.resume(idOf(second), { 'call-1': 'Oslo' })
    expect(result.steps[0]?.toolResults).toMatchObject([{ output: 'Oslo' }, { output: 'Bergen' }])
    expect(result.messages).toPairEveryToolCall()
  })

  test.each([[undefined], ['Oslo'], [null], [{}], [{ 'call-9': 'Oslo' }], [['Oslo', 'Bergen']]])(
    'waits with others, and data that is for none of them changes nothing: %j',
    async (data) => {
      const { agent } = agentOf([toolCall('locate', {}), toolCall('locate', {})], { tools: { locate } })
      const suspended = await agent.generate('Go')
      await expect(agent.resume(idOf(suspended), data)).rejects.toMatchObject({
        code: 'RUN_RESUME_INVALID',
        message: expect.stringMatching(/'call-1'.*'call-2'/),
      })
      expect(await agent.resume(idOf(suspended), { 'call-1': 1, 'call-2': 2 })).toHaveText('Done.')
    },
  )

  test('waits next to tools that run here: they have finished, and are not run again', async () => {
    let executed = 0
    const { agent } = agentOf([toolCall('locate', {}), toolCall('here', {})], {
      tools: { locate, here: tool({ inputSchema: anything, execute: () => ++executed }) },
    })
    const suspended = await agent.generate('Go')
    expect(executed).toBe(1)
    const result = await agent.resume(idOf(suspended), 'Oslo')
    expect(executed).toBe(1)
    expect(result.steps[0]?.toolResults).toMatchObject([{ output: 'Oslo' }, { output: 1 }])
  })

  test('may need approval first', async () => {
    const { agent } = agentOf([toolCall('locate', {})], {
      tools: { locate: { ...locate, needsApproval: true } },
    })
    const asked = await agent.generate('Go')
    expect(asked.suspension?.payload).toMatchObject({ type: 'tool-approval' })
    const waiting = await agent.resume(idOf(asked), { approved: true })
    expect(waiting.suspension?.payload).toMatchObject({ type: 'tool-output' })
    expect(await agent.resume(idOf(waiting), 'Oslo')).toHaveText('Done.')
  })

  test('is not waited for if a processor answers for it', async () => {
    const { agent } = agentOf([toolCall('locate', {})], {
      tools: { locate },
      processors: [{ id: 'cache', processToolCall: () => ({ output: 'Oslo' }) }],
    })
    expect(await agent.generate('Go')).toHaveText('Done.')
  })

  test('does not receive an input that a processor made invalid', async () => {
    const { agent } = agentOf([toolCall('locate', {})], {
      tools: { locate },
      processors: [{ id: 'spoiler', processToolCall: () => ({ input: { precise: 'very' } }) }],
    })
    const result = await agent.generate('Go')
    expect(result).toHaveText('Done.')
    expect(result.steps[0]?.toolResults).toMatchObject([{ status: 'error' }])
  })

  test('is not waited for if its input is invalid', async () => {
    const { agent } = agentOf([toolCall('locate', { precise: 'very' })], { tools: { locate } })
    const result = await agent.generate('Go')
    expect(result).toHaveText('Done.')
    expect(result.steps[0]?.toolResults).toMatchObject([{ status: 'error' }])
  })
})

describe('a tool that suspends itself', () => {
  test('is called again from its start, with the data and its payload', async () => {
    const seen: unknown[] = []
    const { agent } = agentOf([toolCall('book', { seat: 1 })], {
      tools: {
        book: tool({
          inputSchema: z.object({ seat: z.coerce.number() }),
          execute: ({ seat }, { resumeData, suspendPayload, messages }) => {
            seen.push({ seat, resumeData, suspendPayload, messages: messages.length })
            if (resumeData === undefined) throw new Suspend({ price: 7 })
            return 'booked'
          },
        }),
      },
    })
    const suspended = await agent.generate('Go')
    expect(suspended.suspension).toMatchObject({
      payload: { price: 7 },
      toolCallId: 'call-1',
      hook: undefined,
    })
    const result = await agent.resume(idOf(suspended), { paid: true })
    expect(result.steps[0]?.toolResults).toMatchObject([{ output: 'booked' }])
    expect(seen).toEqual([
      { seat: 1, resumeData: undefined, suspendPayload: undefined, messages: 1 },
      { seat: 1, resumeData: { paid: true }, suspendPayload: { price: 7 }, messages: 1 },
    ])
  })

  test('may suspend any number of times', async () => {
    const { agent } = agentOf([toolCall('ask')], {
      tools: {
        ask: tool({
          inputSchema: anything,
          execute: (_, { resumeData = 0 }) => {
            if (Number(resumeData) < 3) throw new Suspend(resumeData)
            return resumeData
          },
        }),
      },
    })
    let result: RunResult = await agent.generate('Go')
    const ids = new Set<string>()
    for (let data = 1; result.status === 'suspended' && data < 10; data++) {
      expect(result.suspension.payload).toBe(data - 1)
      ids.add(result.suspension.runId)
      result = await agent.resume(idOf(result), data)
    }
    expect(ids.size).toBe(3)
    expect(result.steps[0]?.toolResults).toMatchObject([{ output: 3 }])
  })

  test('waits until the others have finished, and they are not run again', async () => {
    const executed: string[] = []
    const { agent } = agentOf([toolCall('a'), toolCall('wait'), toolCall('b'), toolCall('fails')], {
      toolConcurrency: 1,
      tools: {
        a: tool({ inputSchema: anything, execute: () => void executed.push('a') }),
        b: tool({ inputSchema: anything, execute: () => void executed.push('b') }),
        fails: tool({
          inputSchema: anything,
          execute: () => {
            executed.push('fails')
            throw new Error('broken')
          },
        }),
        wait: tool({
          inputSchema: anything,
          execute: (_, { resumeData }) => {
            executed.push('wait')
            if (resumeData === undefined) throw new Suspend()
            return resumeData
          },
        }),
      },
    })
    const suspended = await agent.generate('Go')
    expect(executed).toEqual(['a', 'wait', 'b', 'fails'])
    const result = await agent.resume(idOf(suspended), 'data')
    expect(executed).toEqual(['a', 'wait', 'b', 'fails', 'wait'])
    expect(result.steps[0]?.toolResults).toMatchObject([
      { status: 'success' },
      { status: 'success', output: 'data' },
      { status: 'success' },
      { status: 'error', error: 'broken' },
    ])
    expect(result.messages).toPairEveryToolCall()
  })

  test('next to another that suspends: one after the other gets its own data', async () => {
    const seen: unknown[] = []
    const ask = tool({
      inputSchema: z.object({ name: z.string() }),
      execute: ({ name }, { resumeData, suspendPayload }) => {
        if (resumeData === undefined) throw new Suspend(name)
        seen.push([name, suspendPayload, resumeData])
        return resumeData
      },
    })
    const { agent } = agentOf([toolCall('ask', { name: 'one' }), toolCall('ask', { name: 'two' })], {
      tools: { ask },
    })
    const first = await agent.generate('Go')
    expect(first.suspension?.payload).toMatchObject({
      type: 'tool-question',
      toolCalls: [
        { toolCallId: 'call-1', payload: 'one' },
        { toolCallId: 'call-2', payload: 'two' },
      ],
    })
    const second = await agent.resume(idOf(first), { 'call-1': 1 })
    expect(second.suspension?.payload).toBe('two')
    const result = await agent.resume(idOf(second), 2)
    expect(seen).toEqual([
      ['one', 'one', 1],
      ['two', 'two', 2],
    ])
    expect(result.steps[0]?.toolResults).toMatchObject([{ output: 1 }, { output: 2 }])
  })

  test('executes with the input in its step', async () => {
    const { agent } = agentOf([toolCall('a', { n: '1' }), toolCall('wait', { n: '2' })], {
      tools: {
        a: tool({ inputSchema: z.object({ n: z.coerce.number() }), execute: ({ n }) => n }),
        wait: tool({
          inputSchema: z.object({ n: z.coerce.number() }),
          execute: (_, { resumeData }) => {
            if (resumeData === undefined) throw new Suspend()
            return resumeData
          },
        }),
      },
    })
    const result = await agent.resume(idOf(await agent.generate('Go')), 'data')
    expect(result.steps[0]?.toolCalls.map(({ input }) => input)).toEqual([{ n: 1 }, { n: 2 }])
  })
})
