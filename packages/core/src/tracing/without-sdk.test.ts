import { ScriptedModel, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { INVALID_SPAN_CONTEXT, ProxyTracerProvider, type Span, type Tracer, trace } from '@opentelemetry/api'
import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent } from '../agent/agent.ts'
import { tool } from '../tools/tool.ts'

expect.extend(matchers)

afterEach(() => trace.disable())

function agent(seen: unknown[] = []) {
  return new Agent({
    model: new ScriptedModel([toolCall('look'), 'Done.'], { repeat: 'last' }),
    tools: { look: tool({ inputSchema: z.object({}), execute: () => 'seen' }) },
    processors: [
      {
        id: 'changes',
        processInput: ({ tracingContext }) => void seen.push(tracingContext.span),
        processToolResult: () => ({ output: 'changed' }),
      },
    ],
  })
}

test('a run has no span without an SDK, and steps still have records and usage', async () => {
  const seen: unknown[] = []
  const { steps } = await agent(seen).generate('Hi')
  expect(seen).toEqual([undefined])
  expect(steps[0]?.processors).toMatchObject([
    { processorId: 'changes', hook: 'processToolResult', action: 'changed' },
  ])
  expect(steps.map(({ usage }) => usage.inputTokens)).toEqual([10, 10])
})

test('a run that is not sampled starts one span and no others', async () => {
  const asked: string[] = []
  const notRecording = trace.wrapSpanContext(INVALID_SPAN_CONTEXT)
  const span = new Proxy(notRecording, {
    get(target, name) {
      asked.push(String(name))
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  const tracer: Pick<Tracer, 'startSpan'> = {
    startSpan(name): Span {
      asked.push(name)
      return span
    },
  }
  const provider = new ProxyTracerProvider()
  provider.setDelegate({ getTracer: () => tracer as Tracer })
  trace.setGlobalTracerProvider(provider)
  expect(await agent().generate('Hi')).toBeCompleted()
  expect(asked).toEqual(['invoke_agent agent', 'isRecording'])
})

test('a span that throws when it ends has no effect', async () => {
  const broken = new Proxy(trace.wrapSpanContext(INVALID_SPAN_CONTEXT), {
    get(target, name) {
      if (name === 'isRecording') return () => true
      if (name === 'end')
        return () => {
          throw new Error('The exporter is broken.')
        }
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  const provider = new ProxyTracerProvider()
  provider.setDelegate({ getTracer: () => ({ startSpan: () => broken }) as unknown as Tracer })
  trace.setGlobalTracerProvider(provider)
  expect(await agent().generate('Hi')).toBeCompleted()
})
