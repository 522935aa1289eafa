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
import { expect, test } from 'vitest'
import { z } from 'zod'
import { guardModel, guardSessionInput, guardTools } from '../src/openai-agents/index.ts'
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
  const lookUpTool = tool({
    name: 'lookUp',
    description: 'Looks up a key.',
    parameters: z.object({ key: z.string() }),
    execute: (given) => lookUp?.(given),
  })
  const agent = new Agent({
    name: 'Support',
    instructions: 'Answer.',
    model: guardModel(new BridgedModel(model), processors, limits),
    tools: lookUp ? guardTools([lookUpTool], processors) : [],
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

function textOf(items: readonly AgentInputItem[]): string {
  return items
    .flatMap((item) => ('role' in item && item.role === 'assistant' ? item.content : []))
    .map((content) => (content.type === 'output_text' ? content.text : ''))
    .join('')
}

testWayOut('guardModel of OpenAI Agents', { run })

test('traces are recorded', async () => {
  const { kept } = await run({
    model: new ScriptedModel([[toolCall('lookUp', { key: 'a' })], 'Done.']),
    processors: [],
    input: 'Hi',
    stream: false,
    lookUp: () => 'found',
  })
  expect(JSON.stringify(kept)).toContain('found')
  expect(((kept as unknown[])[1] as string[]).length).toBeGreaterThan(2)
})
void text
