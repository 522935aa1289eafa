import type { ProxyTracerProvider } from '@opentelemetry/api'
import { registeredTelemetry } from '../registered-telemetry.ts'
import type { Run } from '../run/run.ts'
import type { RunTracer } from '../run/run-observer.ts'
import { SCOPE } from './scope.ts'

/**
 * Begins the span of a run and its metrics. `undefined` where no OpenTelemetry SDK is registered: then nothing of it is
 * loaded, the API included, and nothing of it is asked for again in this run. Resolves to `undefined` where the run is not to
 * be recorded.
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
  // The API stands in for an SDK until there is one.
  if (!provider || (provider.getDelegateTracer && !provider.getDelegateTracer(...SCOPE))) return undefined
  const startTime = Date.now()
  return import('./run-trace.ts').then(({ RunTrace }) => RunTrace.start(run, startTime)).catch(nothing)
}

function startMetrics(run: Run): Promise<RunTracer | undefined> | undefined {
  if (!registeredTelemetry().metrics) return undefined
  const startedAt = performance.now()
  return import('./run-metrics.ts').then(({ RunMetrics }) => RunMetrics.start(run, startedAt)).catch(nothing)
}

/** A run does not depend on being observed. */
function nothing(): undefined {}
