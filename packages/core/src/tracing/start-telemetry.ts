import type { ProxyTracerProvider } from '@opentelemetry/api'
import { registeredTelemetry } from '../registered-telemetry.ts'
import type { Run } from '../run/run.ts'
import type { RunTracer } from '../run/run-observer.ts'
import { SCOPE } from './scope.ts'

/**
 * Starts the span of a run and its metrics. `undefined` if no OpenTelemetry SDK is registered: then no tracing code
 * is loaded, including the API, and registration is not checked again in this run. Resolves to `undefined` if the run
 * is not recorded.
 */
export function startTelemetry(run: Run): Promise<RunTracer | undefined> | undefined {
  const spans = startTrace(run)
  const measures = startMetrics(run)
  if (!spans || !measures) return spans ?? measures
  return Promise.all([spans, measures, import('./spans-and-metrics.ts')]).then(
    ([trace, metrics, { SpansAndMetrics }]) =>
      trace && metrics ? new SpansAndMetrics(trace, metrics) : (trace ?? metrics),
  )
}

function startTrace(run: Run): Promise<RunTracer | undefined> | undefined {
  const provider: Partial<ProxyTracerProvider> | undefined = registeredTelemetry().trace
  // The API has a proxy provider until an SDK is registered.
  if (!provider || (provider.getDelegateTracer && !provider.getDelegateTracer(...SCOPE))) return undefined
  const startTime = Date.now()
  return import('./run-trace.ts').then(({ RunTrace }) => RunTrace.start(run, startTime)).catch(nothing)
}

function startMetrics(run: Run): Promise<RunTracer | undefined> | undefined {
  if (!registeredTelemetry().metrics) return undefined
  const startedAt = performance.now()
  return import('./run-metrics.ts').then(({ RunMetrics }) => RunMetrics.start(run, startedAt)).catch(nothing)
}

/** Errors of tracing do not fail a run. */
function nothing(): undefined {}
