import { Agent, type AgentEventName, type Processor, parallel, Suspend, tool, when } from '@millrace/core'
import { InMemoryRunStore } from '@millrace/core/storage'
import { collect, ScriptedModel, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { trace } from '@opentelemetry/api'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { PIIDetector } from './pii-detector.ts'

expect.extend(matchers)

/** Said by the user, looked up by the tool. */
const [known, found] = ['jo@example.com', 'al@example.org']

const exporter = new InMemorySpanExporter()

beforeAll(() => {
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
  )
})
afterAll(() => trace.disable())
beforeEach(() => exporter.reset())

const EVENTS: AgentEventName[] = [
  'run-start',
  'step-finish',
  'tool-finish',
  'processor',
  'run-finish',
  'run-error',
]

/** An agent that mails what it is asked to, and all that anybody keeps of its runs. */
function scene(options: Partial<ConstructorParameters<typeof Agent>[0]> = {}) {
  const storage = new InMemoryRunStore()
  const kept: unknown[] = []
  const save = storage.saveRun.bind(storage)
  storage.saveRun = async (run, options) => {
    kept.push(run)
    await save(run, options)
  }
  const given: unknown[] = []
  const mail = tool({
    inputSchema: z.object({ to: z.email(), toolCopy: z.boolean().optional() }),
    execute: (input, { resumeData }) => {
      given.push(input.to)
      if (input.toolCopy && resumeData === undefined) throw new Suspend({ copyTo: found, of: input.to })
      return { sentTo: input.to, copyTo: found }
    },
  })
  const model = new ScriptedModel(({ prompt }, index) => {
    const to = /\[EMAIL_[0-9a-f]{12}\]/.exec(JSON.stringify(prompt))?.[0] ?? 'nobody'
    if (index > 0) return `It went to ${to}.`
    return [toolCall('mail', { to, ...(options.tools && { toolCopy: true }) }, { chunkSize: 5 })]
  })
  const agent = new Agent({
    model,
    storage,
    processors: [new PIIDetector({ redaction: 'tokenize' })],
    telemetry: { recordContent: true },
    ...options,
    tools: { mail, ...options.tools },
  })
  for (const name of EVENTS) agent.on(name, (event) => kept.push(event))
  const all = async (): Promise<unknown[]> => {
    await agent.close()
    const spans = exporter.getFinishedSpans().map(({ name, attributes, events }) => {
      return { name, attributes, events }
    })
    expect(JSON.stringify(spans)).toContain('[EMAIL_')
    expect(kept.length).toBeGreaterThan(3)
    return [kept, spans, model.calls.map(({ prompt }) => prompt)]
  }
  return { agent, given, all }
}

async function expectNothingKept(all: () => Promise<unknown[]>): Promise<void> {
  const kept = await all()
  expect(kept).toLeakNothingOf(known)
  expect(kept).toLeakNothingOf(found)
}

describe('tokenize keeps originals from whoever keeps anything, while the tool and the caller get them', () => {
  test('in generate', async () => {
    const { agent, given, all } = scene()
    const result = await agent.generate(`I am ${known}`)
    expect(given).toEqual([known])
    expect(result.text).toBe(`It went to ${known}.`)
    expect(result.steps[0]?.toolCalls).toMatchObject([{ input: { to: known } }])
    expect(result.steps[0]?.toolResults).toMatchObject([{ output: { sentTo: known, copyTo: found } }])
    await expectNothingKept(all)
  })

  test('in stream', async () => {
    const { agent, given, all } = scene()
    const stream = agent.stream(`I am ${known}`)
    const chunks = await collect(stream.fullStream)
    expect(given).toEqual([known])
    expect(chunks.find(({ type }) => type === 'tool-call')).toMatchObject({ input: { to: known } })
    expect(chunks.find(({ type }) => type === 'tool-result')).toMatchObject({ output: { copyTo: found } })
    expect((await stream.result).text).toBe(`It went to ${known}.`)
    await expectNothingKept(all)
  })

  test('in a run that waits for approval, and when it is resumed', async () => {
    const asked: unknown[] = []
    const { agent, given, all } = scene({
      toolApproval: {
        mail: ({ to }) => {
          asked.push(to)
          return { type: 'user-approval', reason: `A mail to ${to}` }
        },
      },
    })
    const waiting = await agent.generate(`I am ${known}`)
    expect(asked).toEqual([known])
    expect(waiting.suspension?.payload).toMatchObject({
      toolCalls: [{ input: { to: known }, reason: `A mail to ${known}` }],
    })
    const stream = agent.resume(waiting.runId, { approved: true })
    expect(await collect(stream.fullStream)).not.toHaveLength(0)
    expect((await stream.result).text).toBe(`It went to ${known}.`)
    expect(given).toEqual([known])
    await expectNothingKept(all)
  })

  test('in a run that a tool suspends, and when it is resumed', async () => {
    const { agent, given, all } = scene({ tools: {} })
    const waiting = await agent.generate(`I am ${known}`)
    expect(waiting.suspension?.payload).toEqual({ copyTo: found, of: known })
    const resumed = await agent.resume(waiting.runId, 'yes')
    expect(resumed.text).toBe(`It went to ${known}.`)
    expect(given).toEqual([known, known])
    await expectNothingKept(all)
  })

  test('in what a client answered while another of its tools has not', async () => {
    const look = tool({ inputSchema: z.object({}) })
    const { agent, all } = scene({
      tools: { look },
      model: new ScriptedModel([
        [toolCall('look', {}, { id: 'a' }), toolCall('look', {}, { id: 'b' })],
        'Seen.',
      ]),
    })
    const first = await agent.generate(`I am ${known}`)
    const second = await agent.resume(first.runId, { b: `It is ${found}` })
    expect(second.status).toBe('suspended')
    const third = await agent.resume(second.runId, `It is ${known}`)
    expect(third.steps[0]?.toolResults).toMatchObject([
      { output: `It is ${known}` },
      { output: `It is ${found}` },
    ])
    await expectNothingKept(all)
  })
})

test('beside another, or under a condition, tokenize does what it does alone', async () => {
  const model = new ScriptedModel([[toolCall('mail', { to: 'someone' })], 'Done.'])
  const seen: unknown[] = []
  const mail = tool({ inputSchema: z.object({ to: z.string() }), execute: ({ to }) => void seen.push(to) })
  const both = parallel(
    new PIIDetector({ redaction: 'tokenize', types: ['email'] }),
    new PIIDetector({ id: 'phones', redaction: 'tokenize', types: ['phone'] }),
  )
  const ran = await new Agent({ model, tools: { mail }, processors: [both] }).generate('Hi')
  expect(ran.text).toBe('Done.')
  expect(seen).toEqual(['someone'])

  const { agent, given, all } = scene({
    processors: [when(() => true, new PIIDetector({ redaction: 'tokenize' }))],
  })
  expect((await agent.generate(`I am ${known}`)).text).toBe(`It went to ${known}.`)
  expect(given).toEqual([known])
  await expectNothingKept(all)
})

test('an agent used as a tool is found again when the run is resumed, whatever its run is named', async () => {
  const digits: Processor = {
    id: 'digits',
    processExecution: ({ direction, value }) => {
      if (direction === 'out') return { value: JSON.parse(JSON.stringify(value).replaceAll(/\d/g, '#')) }
    },
  }
  const model = new ScriptedModel([[toolCall('ask', {})], 'Well.'])
  const ask = tool({
    inputSchema: z.object({}),
    execute: (_, { resumeData }) => {
      if (resumeData === undefined) throw new Suspend({ of: known })
      return String(resumeData)
    },
  })
  const inner = new Agent({ name: 'inner', model, tools: { ask } })
  const outer = new Agent({
    model: new ScriptedModel([[toolCall('inner', { prompt: 'Go' })], 'Done.']),
    tools: { inner: inner.asTool() },
    processors: [new PIIDetector({ redaction: 'tokenize' }), digits],
  })
  const waiting = await outer.generate('Hi')
  expect(waiting.suspension?.payload).toMatchObject({ type: 'agent', payload: { of: known } })
  expect((await outer.resume(waiting.runId, 'yes')).text).toBe('Done.')
})
