import { context, metrics, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base'
import { afterEach, expect, test } from 'vitest'
import { registeredTelemetry, spanIn } from './registered-telemetry.ts'

afterEach(() => {
  trace.disable()
  context.disable()
  metrics.disable()
})

test('finds what the API finds: nothing, what an SDK registers, and nothing again', () => {
  const found = () => {
    const { context, trace, metrics } = registeredTelemetry()
    return { context, trace, metrics }
  }
  const nothing = { context: undefined, trace: undefined, metrics: undefined }
  expect(found()).toEqual(nothing)
  const manager = new AsyncLocalStorageContextManager().enable()
  context.setGlobalContextManager(manager)
  trace.setGlobalTracerProvider(new BasicTracerProvider())
  metrics.setGlobalMeterProvider(new MeterProvider())
  expect(found().context).toBe(manager)
  expect(found().trace).toBe(trace.getTracerProvider())
  expect(found().metrics).toBe(metrics.getMeterProvider())
  trace.disable()
  context.disable()
  metrics.disable()
  expect(found()).toEqual(nothing)
})

test('reads the span of a context as the API does', () => {
  const span = new BasicTracerProvider().getTracer('test').startSpan('request')
  expect(spanIn(trace.setSpan(ROOT_CONTEXT, span))).toBe(span)
  expect(spanIn(ROOT_CONTEXT)).toBeUndefined()
  expect(spanIn(undefined)).toBeUndefined()
})
