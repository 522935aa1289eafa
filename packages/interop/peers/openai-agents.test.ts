import type { Processor } from '@millrace/core'
import { RegexFilter } from '@millrace/guards/regex-filter'
import { ScriptedModel, text, toolCall } from '@millrace/testing'
import {
  Agent,
  type AgentInputItem,
  generateTraceId,
  MemorySession,
  Runner,
  setTraceProcessors,
  setTracingDisabled,
  tool,
} from '@openai/agents'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  GuardSession,
  guardModel,
  guardModelProvider,
  guardSessionInput,
  guardTools,
} from '../src/openai-agents/index.ts'
import { type Outcome, type Turn, testWayOut } from '../test/ways-out/corpus.ts'
import { BridgedModel } from './agents-bridge.ts'
import { TraceRecorder } from './trace-recorder.ts'

const recorder = new TraceRecorder()
setTraceProcessors([recorder])
setTracingDisabled(false)

async function run({
  processors,
  lookUp,
  object,
  abortSignal,
  input,
  timeout,
  stream,
  model,
}: Turn): Promise<Outcome> {
  const limits = { ...(timeout !== undefined && { timeout }) }
  const agent = new Agent({
    name: 'Support',
    instructions: 'Answer.',
    model: guardModel(new BridgedModel(model), processors, limits),
    tools: lookUp ? guardTools([lookUpTool(lookUp)], processors) : [],
    ...(object && {
      outputType: z.object(Object.fromEntries(object.map((key) => [key, z.string()]))),
    }),
  } as ConstructorParameters<typeof Agent>[0])
  const session = new MemorySession()
  const traceId = generateTraceId()
  const runner = new Runner({
    traceId,
    tracingDisabled: false,
    sessionInputCallback: guardSessionInput(processors, { ...limits, ...(abortSignal && { abortSignal }) }),
  })
  const options = { session, maxTurns: 4, ...(abortSignal && { signal: abortSignal }) }
  const kept = async (result?: {
    history: unknown
    state: { toString(): string }
    newItems: unknown
    rawResponses: unknown
  }) => [
    await session.getItems(),
    recorder.of(traceId),
    result && [result.history, result.rawResponses, result.state.toString()],
  ]
  if (!stream) {
    try {
      const result = await runner.run(agent, input, options)
      const { finalOutput, output } = result
      return {
        text: textOf(output),
        reader: [finalOutput, output],
        kept: await kept(result),
        error: undefined,
      }
    } catch (error) {
      return { text: '', reader: undefined, kept: await kept(), error }
    }
  }
  let said = ''
  const events: string[] = []
  let error: unknown
  const result = await runner.run(agent, input, { ...options, stream: true }).catch((thrown: unknown) => {
    error = thrown
  })
  if (!result) return { text: '', reader: undefined, kept: await kept(), error }
  try {
    for await (const event of result) {
      events.push(JSON.stringify(event, (key, value) => (key === 'agent' ? undefined : value)))
      if (event.type === 'raw_model_stream_event' && event.data.type === 'output_text_delta')
        said += event.data.delta
    }
    await result.completed
  } catch (thrown) {
    error = thrown
  }
  return { text: said, reader: events, kept: await kept(result), error }
}

function lookUpTool(execute: (input: { key: string }) => unknown) {
  return tool({
    name: 'lookUp',
    description: 'Looks up a key.',
    parameters: z.object({ key: z.string() }),
    execute,
  })
}

function textOf(items: readonly AgentInputItem[]): string {
  return items
    .flatMap((item) => ('role' in item && item.role === 'assistant' ? item.content : []))
    .map((content) => (content.type === 'output_text' ? content.text : ''))
    .join('')
}

testWayOut('guardModel of OpenAI Agents', { run })

const SECRET = 'KEY-12345678'
const redacts = (): Processor => new RegexFilter({ patterns: [/KEY-\d{8}/], strategy: 'redact' })
const TURN = { processors: [redacts()], input: `My key is ${SECRET}.`, lookUp: () => `It is ${SECRET}.` }
const script = () =>
  new ScriptedModel([[toolCall('lookUp', { key: SECRET })], text(['It is KEY-', '12345678.'])])

describe.each([{ stream: false }, { stream: true }])('one turn ($stream)', ({ stream }) => {
  test('leaves redacted text in no session, history, state or trace', async () => {
    const { kept, reader, text: said } = await run({ ...TURN, model: script(), stream })
    const [session, traces, result] = kept as [unknown[], string[], unknown]
    // What was said is there, in the session and in the traces.
    expect(session).toHaveLength(4)
    expect(JSON.stringify(session)).toContain('My key is [REDACTED].')
    expect(traces.join()).toContain('It is [REDACTED].')
    expect(said).toBe('It is [REDACTED].')
    for (const seen of [session, traces, result, reader])
      expect(JSON.stringify(seen)).not.toContain('12345678')
  })

  test('keeps everything without processors, which shows that the checks work', async () => {
    const { kept } = await run({ ...TURN, processors: [], model: script(), stream })
    const [session, traces] = kept as [unknown[], string[]]
    for (const seen of [session, traces.join()]) expect(JSON.stringify(seen)).toContain(SECRET)
  })
})

test('errors of a tool are in no trace, also if it has its own errorFunction', async () => {
  const failing = tool({
    name: 'fail',
    description: 'Fails.',
    parameters: z.object({}),
    execute: () => {
      throw new Error(`No ${SECRET}.`)
    },
    errorFunction: (_, error) => `Failed: ${String(error)}`,
  })
  const model = new ScriptedModel([[toolCall('fail', {})], 'Done.'])
  const traceId = generateTraceId()
  const runner = new Runner({ traceId, tracingDisabled: false })
  const agent = new Agent({
    name: 'Support',
    model: guardModel(new BridgedModel(model), [redacts()]),
    tools: guardTools([failing], [redacts()]),
  })
  const result = await runner.run(agent, 'Hi')
  expect(JSON.stringify(result.output)).toContain('Failed: Error: No [REDACTED].')
  expect(recorder.of(traceId).join()).toContain('Error running tool')
  expect(recorder.of(traceId).join()).not.toContain(SECRET)
})

test('a denied call is a model call with its answer in the next turn', async () => {
  const model = new ScriptedModel([[toolCall('lookUp', { key: 'a' })], 'I may not.', 'Fine.'])
  const denies: Processor = { id: 'denies', processToolCall: () => ({ deny: 'Not today.' }) }
  const bridged = new BridgedModel(model)
  const agent = new Agent({
    name: 'Support',
    model: guardModel(bridged, [denies]),
    tools: [lookUpTool(() => 'x')],
  })
  const session = new MemorySession()
  const runner = new Runner({ tracingDisabled: true })
  await runner.run(agent, 'Look.', { session })
  expect((await runner.run(agent, 'And?', { session })).finalOutput).toBe('Fine.')
  expect(bridged.requests.at(-1)?.input).toMatchObject([
    { role: 'user' },
    { type: 'function_call', name: 'lookUp', arguments: '{"key":"a"}' },
    { type: 'function_call_result', name: 'lookUp', output: { text: 'Not today.' } },
    { role: 'assistant' },
    { role: 'user' },
  ])
})

test('usage is the sum of all model calls', async () => {
  const once: Processor = {
    id: 'once',
    processOutputStep: ({ text: said, abort }) =>
      said === 'bad' ? abort('Better.', { retry: true }) : undefined,
  }
  for (const stream of [false, true]) {
    const model = guardModel(new BridgedModel(new ScriptedModel(['bad', 'good'])), [once], { emit: 'step' })
    const agent = new Agent({ name: 'Support', model })
    const runner = new Runner({ tracingDisabled: true })
    const result = stream ? await runner.run(agent, 'Hi', { stream }) : await runner.run(agent, 'Hi')
    if ('completed' in result) await result.completed
    expect(result.finalOutput).toBe('good')
    expect(result.state.usage).toMatchObject({ requests: 2, inputTokens: 20, outputTokens: 10 })
  }
})

test('streamed text is retracted by an error', async () => {
  const late: Processor = {
    id: 'late',
    processOutputStep: ({ text: said, abort }) => (said.includes('bad') ? abort('No.') : undefined),
  }
  const agent = new Agent({
    name: 'Support',
    model: guardModel(new BridgedModel(new ScriptedModel([text(['so ', 'bad'])])), [late]),
  })
  const session = new MemorySession()
  const result = await new Runner({ tracingDisabled: true }).run(agent, 'Hi', { stream: true, session })
  const error = await result.completed.catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ name: 'GuardRejection', reason: 'No.', isRetraction: true })
  expect(JSON.stringify(await session.getItems())).not.toContain('bad')
})

test('agents hand off, with a provider that guards all models', async () => {
  const models: Record<string, ScriptedModel> = {
    front: new ScriptedModel([[toolCall('transfer_to_Billing', {})]]),
    billing: new ScriptedModel([`It is ${SECRET}.`]),
  }
  const provider = { getModel: (name = '') => new BridgedModel(models[name] as ScriptedModel) }
  const billing = new Agent({ name: 'Billing', model: 'billing' })
  const front = new Agent({ name: 'Front', model: 'front', handoffs: [billing] })
  const modelProvider = guardModelProvider(provider, [redacts()])
  const result = await new Runner({ tracingDisabled: true, modelProvider }).run(front, 'Hi')
  expect(result.lastAgent?.name).toBe('Billing')
  expect(result.finalOutput).toBe('It is [REDACTED].')
})

test('a session keeps the state of processors between turns', async () => {
  const counts: unknown[] = []
  const counter: Processor = {
    id: 'counter',
    processInputStep: ({ state }) => {
      state.calls = Number(state.calls ?? 0) + 1
      counts.push(state.calls)
    },
  }
  const guarded = guardModel(new BridgedModel(new ScriptedModel(['One.', 'Two.'])), [counter], {
    session: new GuardSession(),
  })
  const agent = new Agent({ name: 'Support', model: guarded })
  const runner = new Runner({ tracingDisabled: true })
  const session = new MemorySession()
  await runner.run(agent, 'Hi', { session })
  await runner.run(agent, 'And?', { session })
  expect(counts).toEqual([1, 2])
})
