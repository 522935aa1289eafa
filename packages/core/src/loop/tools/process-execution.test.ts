import { collect, ScriptedModel, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent } from '../../agent/agent.ts'
import type { Processor } from '../../processors/processor.ts'
import { Suspend } from '../../signals.ts'
import { InMemoryRunStore } from '../../storage/in-memory-run-store.ts'
import { type Tool, tool } from '../../tools/tool.ts'

expect.extend(matchers)

const secret = 'jo@example.com'

/** Tools get the secret in place of `$1`, and everybody else `$1` in place of the secret. */
const vault: Processor = {
  id: 'vault',
  processExecution: ({ direction, value }) => ({
    value: JSON.parse(
      direction === 'in'
        ? JSON.stringify(value).replaceAll('$1', secret)
        : JSON.stringify(value).replaceAll(secret, '$1'),
    ),
  }),
}

const email = z.object({ to: z.email() })

function scene(execute: Tool['execute'], options: Partial<ConstructorParameters<typeof Agent>[0]> = {}) {
  const storage = new InMemoryRunStore()
  const given: unknown[] = []
  const events: unknown[] = []
  const send = tool({
    inputSchema: email,
    execute: (input, context) => {
      given.push(input)
      return execute?.(input, context)
    },
  })
  const model = new ScriptedModel([[toolCall('send', { to: '$1' }, { id: 'call-1' })], 'Sent.'])
  const agent = new Agent({ model, tools: { send }, processors: [vault], storage, ...options })
  for (const event of ['run-start', 'step-finish', 'tool-finish', 'processor', 'run-finish'] as const) {
    agent.on(event, (data) => events.push(data))
  }
  return { agent, model, storage, given, events }
}

describe('the input of a tool', () => {
  test('is what the schema and execute receive, and is not stored', async () => {
    const { agent, model, given, events } = scene(({ to }) => ({ sentTo: to }))
    const stream = agent.stream('Hi')
    const chunks = await collect(stream.fullStream)
    const result = await stream.result
    await agent.close()
    expect(given).toEqual([{ to: secret }])
    expect(result).toBeCompleted()
    expect(result.steps[0]?.toolCalls).toMatchObject([{ input: { to: '$1' } }])
    expect(result.steps[0]?.toolResults).toMatchObject([{ output: { sentTo: '$1' } }])
    expect([result, chunks, model.calls.map(({ prompt }) => prompt), events]).toLeakNothingOf(secret)
    expect(events.length).toBeGreaterThan(3)
  })

  test('is not stored if a suspended run waits for approval, and is restored when it is resumed', async () => {
    const asked: unknown[] = []
    const { agent, storage, given } = scene(({ to }) => `to ${to}`, {
      toolApproval: {
        send: (input) => {
          asked.push(input)
          return { type: 'user-approval', reason: `It goes to ${secret}` }
        },
      },
    })
    const waiting = await agent.generate('Hi')
    expect(waiting.suspension?.payload).toMatchObject({
      toolCalls: [{ input: { to: '$1' }, reason: 'It goes to $1' }],
    })
    expect(asked).toEqual([{ to: secret }])
    expect([await storage.getRun(waiting.runId)]).toLeakNothingOf(secret)
    const resumed = await agent.resume(waiting.runId, { approved: true })
    expect(resumed).toBeCompleted()
    expect(given).toEqual([{ to: secret }])
    expect([resumed]).toLeakNothingOf(secret)
  })

  test('includes the payload a tool had suspended with, which is stored after the processors', async () => {
    const payloads: unknown[] = []
    const { agent, storage, given } = scene((input, { resumeData, suspendPayload }) => {
      payloads.push(suspendPayload)
      if (resumeData === undefined) throw new Suspend({ sendTo: input.to })
      return 'sent'
    })
    const waiting = await agent.generate('Hi')
    expect(waiting.suspension?.payload).toEqual({ sendTo: '$1' })
    expect([await storage.getRun(waiting.runId)]).toLeakNothingOf(secret)
    expect(await agent.resume(waiting.runId, 'yes')).toBeCompleted()
    expect(payloads).toEqual([undefined, { sendTo: secret }])
    expect(given).toEqual([{ to: secret }, { to: secret }])
  })
})

describe('the output of a tool', () => {
  test('is changed before anything else sees it: preliminary outputs, errors and validation errors', async () => {
    const streaming = scene(async function* ({ to }) {
      yield `looking for ${to}`
      yield `found ${to}`
    })
    const stream = streaming.agent.stream('Hi')
    expect([await collect(stream.fullStream), await stream.result]).toLeakNothingOf(secret)

    const failing = scene(({ to }) => {
      throw new Error(`No such address: ${to}`)
    })
    const failed = await failing.agent.generate('Hi')
    expect(failed.steps[0]?.toolResults).toMatchObject([{ error: 'No such address: $1' }])

    const strict = scene(() => 'never')
    const model = new ScriptedModel([[toolCall('strict', { to: '$1' })], 'Well.'])
    const inputSchema = email.refine(({ to }) => to !== secret, { error: `${secret} is blocked` })
    const agent = new Agent({
      model,
      tools: { strict: tool({ inputSchema, execute: () => 1 }) },
      processors: [vault],
    })
    const refused = await agent.generate('Hi')
    expect(refused.steps[0]?.toolResults[0]).toMatchObject({ status: 'error' })
    expect(JSON.stringify(refused.steps)).toContain('$1 is blocked')
    expect([refused, strict.given]).toLeakNothingOf(secret)
  })

  test('passes the processors in reverse order', async () => {
    const wrap = (id: string): Processor => ({
      id,
      processExecution: ({ direction, value }) => {
        if (direction === 'in') return { value: { to: `${(value as { to: string }).to}<${id}` } }
        return { value: `${value}>${id}` }
      },
    })
    const seen: unknown[] = []
    const model = new ScriptedModel([[toolCall('send', { to: 'x' })], 'Sent.'])
    const send = tool({
      inputSchema: z.object({ to: z.string() }),
      execute: ({ to }) => {
        seen.push(to)
        return 'out'
      },
    })
    const agent = new Agent({ model, tools: { send }, processors: [wrap('a'), wrap('b')] })
    const { steps } = await agent.generate('Hi')
    expect(seen).toEqual(['x<a<b'])
    expect(steps[0]?.toolResults).toMatchObject([{ output: 'out>b>a' }])
    expect(steps[0]?.processors.filter(({ hook }) => hook === 'processExecution')).toMatchObject([
      { processorId: 'a', action: 'changed' },
      { processorId: 'b', action: 'changed' },
    ])
  })

  test('is dropped if the hook fails', async () => {
    const broken: Processor = {
      id: 'broken',
      processExecution: ({ direction }) => {
        if (direction === 'out') throw new Error('broken')
      },
    }
    const { agent } = scene(() => 'raw view', {
      processors: [broken, { ...vault, processToolResult: () => expect.unreachable() }],
    })
    const stream = agent.stream('Hi')
    const chunks = await collect(stream.fullStream)
    await expect(stream.result).rejects.toMatchObject({ code: 'PROCESSOR_FAILED' })
    expect(chunks).toLeakNothingOf('raw view')
  })

  test('of parallel calls is kept apart', async () => {
    const calls = Array.from({ length: 20 }, (_, index) => toolCall('send', { to: `$1${index}` }))
    const model = new ScriptedModel([calls, 'Sent.'])
    const send = tool({ inputSchema: email.or(z.object({ to: z.string() })), execute: async ({ to }) => to })
    const slow: Processor = {
      id: 'slow',
      processExecution: async (args) => {
        await Promise.resolve()
        return vault.processExecution?.(args) as { value: unknown }
      },
    }
    const { steps } = await new Agent({ model, tools: { send }, processors: [slow] }).generate('Hi')
    expect(steps[0]?.toolResults.map((result) => result.status === 'success' && result.output)).toEqual(
      Array.from({ length: 20 }, (_, index) => `$1${index}`),
    )
  })
})

test('is passed as a whole if it looks like the suspension of an agent', async () => {
  const seen: unknown[] = []
  const output = { type: 'agent', runId: 'run-1', payload: 'p', text: 'a secret' }
  const model = new ScriptedModel([toolCall('get', {}), 'Done.'])
  const agent = new Agent({
    model,
    tools: { get: tool({ inputSchema: z.object({}), execute: () => output }) },
    processors: [
      {
        id: 'guard',
        processExecution: ({ direction, value }) => {
          if (direction !== 'out') return
          seen.push(value)
          return { value: 'hidden' }
        },
      },
    ],
  })
  const { messages } = await agent.generate('Go.')
  expect(seen).toEqual([output])
  expect(JSON.stringify(messages)).not.toContain('secret')
})
