import { type ProxyTracerProvider, trace } from '@opentelemetry/api'
import type { Run } from '../run/run.ts'
import type { RunTrace } from './run-trace.ts'

/**
 * Begins the span of a run. `undefined` where no OpenTelemetry SDK is registered: then nothing of tracing is loaded, and
 * nothing of it is asked for again in this run. Resolves to `undefined` where the run is not to be recorded.
 */
export function startTrace(run: Run): Promise<RunTrace | undefined> | undefined {
  const provider = trace.getTracerProvider() as Partial<ProxyTracerProvider>
  // The API stands in for an SDK until there is one.
  if (provider.getDelegateTracer && !provider.getDelegateTracer('@millrace/core')) return undefined
  const startTime = Date.now()
  return import('./run-trace.ts').then(
    ({ RunTrace }) => RunTrace.start(run, startTime),
    // A run does not depend on being traced.
    () => undefined,
  )
}
