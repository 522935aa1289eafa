import { DBOS } from '@dbos-inc/dbos-sdk'
import { Agent, tool } from '@millrace/core'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { type DurableAgent, durable } from '../src/index.ts'
import { startDatabase } from './database.ts'

/** The attempt of each `run-start` event of `desk`. */
const attempts: number[] = []
const exporter = new InMemorySpanExporter()
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
const server = await startDatabase()
beforeAll(() => {
  trace.setGlobalTracerProvider(provider)
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
})
beforeEach(() => {
  exporter.reset()
  attempts.length = 0
})
afterAll(async () => {
  trace.disable()
  context.disable()
  await server.stop()
})

/** Starts as a new process does, with the same agents. */
async function beginProcess(executorID: string): Promise<DurableAgent> {
  const pay = tool({ inputSchema: z.object({}).loose(), needsApproval: true, execute: () => 'paid' })
  const clerk = new Agent({
    name: 'clerk',
    model: new ScriptedModel(({ prompt }) =>
      prompt.some(({ role }) => role === 'tool') ? 'Paid.' : toolCall('pay', {}, { id: 'pay' }),
    ),
    tools: { pay },
  })
  const desk = new Agent({
    name: 'desk',
    model: new ScriptedModel(({ prompt }) =>
      prompt.some(({ role }) => role === 'tool')
        ? 'All is paid.'
        : toolCall('ask', { prompt: 'Pay' }, { id: 'ask' }),
    ),
    tools: { ask: clerk.asTool() },
  })
  desk.on('run-start', ({ attempt }) => attempts.push(attempt))
  durable(clerk)
  const durableDesk = durable(desk)
  DBOS.setConfig({ name: 'test', systemDatabaseUrl: server.url, logLevel: 'error', executorID })
  await DBOS.launch()
  return durableDesk
}

const endProcess = (): Promise<void> => DBOS.shutdown({ deregister: true })

/** The spans of agents and their parents. */
function agentSpans() {
  return exporter
    .getFinishedSpans()
    .filter(({ name }) => name.startsWith('invoke_agent'))
    .map((span) => ({ span, ...span.spanContext(), runId: span.attributes['millrace.run.id'] }))
}

test('the spans of a run and of the agents it calls are one trace, across processes', async () => {
  const first = await beginProcess('one')
  const request = trace.getTracer('test').startSpan('POST /chat')
  const { workflowId } = await context.with(trace.setSpan(context.active(), request), () =>
    first.start('Pay'),
  )
  request.end()
  const waiting = await first.retrieve(workflowId)
  for await (const { type } of waiting.stream()) if (type === 'suspended') break
  await endProcess()
  const before = agentSpans().length
  const second = await beginProcess('one')
  const run = await second.retrieve(workflowId)
  await run.resume({ approved: true })
  expect(await run.result()).toMatchObject({ text: 'All is paid.' })
  await endProcess()

  expect(attempts[0]).toBe(1)
  expect(attempts.at(-1)).toBe(2)

  const spans = agentSpans()
  expect(before).toBeGreaterThan(0)
  expect(spans.length).toBeGreaterThan(before)
  const { traceId, spanId } = request.spanContext()
  expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set([traceId]))
  expect(new Set(spans.map(({ runId }) => runId))).toEqual(new Set([workflowId, `${workflowId}:ask`]))
  for (const { span, runId } of spans)
    if (runId === workflowId) expect(span.parentSpanContext?.spanId).toBe(spanId)
  const ids = new Set(exporter.getFinishedSpans().map((span) => span.spanContext().spanId))
  for (const { span } of spans) expect(ids).toContain(span.parentSpanContext?.spanId)
})

test('a run started without an active span has no parent', async () => {
  const desk = await beginProcess('one')
  const run = await desk.start('Pay')
  for await (const { type } of run.stream()) if (type === 'suspended') break
  await run.cancel()
  await endProcess()
  const roots = agentSpans().filter(({ runId }) => runId === run.workflowId)
  for (const { span } of roots) expect(span.parentSpanContext).toBeUndefined()
})
