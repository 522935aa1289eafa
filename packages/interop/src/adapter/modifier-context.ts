import type { ProcessorArgs, RequestContext, TracingContext } from '@millrace/core'
import { metrics as openTelemetry } from '@opentelemetry/api'
import type { AdapterOptions } from './adapter.ts'

/** As {@link AdapterOptions}, for interfaces whose methods get a {@link ModifierContext}. */
export interface ContextAdapterOptions extends AdapterOptions {
  /** Where `context.metrics` goes. Default: counters of OpenTelemetry's global meter provider. */
  metrics?: ModifierMetrics
}

/** Counts things. */
export interface ModifierMetrics {
  /** @param by Default: 1 */
  incr(name: string, by?: number): void
}

/** What the `ctx` of the older Codebolt and of Oasis becomes: who the run is for, and what it is part of. */
export interface ModifierContext {
  threadId: string | undefined
  resourceId: string | undefined
  /** Counted from 0. */
  stepNumber: number
  metrics: ModifierMetrics
  requestContext: RequestContext
  tracingContext: TracingContext
  /** Fires when the run is aborted. */
  abortSignal: AbortSignal
  /** What the run was resumed with, in the call that had thrown `Suspend`; `undefined` in all others. */
  resumeData: unknown
}

interface ContextSource extends ProcessorArgs {
  stepNumber: number
  resumeData: unknown
}

export function contextOf(
  { requestContext, stepNumber, tracingContext, abortSignal, resumeData }: ContextSource,
  metrics: ModifierMetrics = counters,
): ModifierContext {
  const { threadId, resourceId } = requestContext
  return {
    threadId,
    resourceId,
    stepNumber,
    metrics,
    requestContext,
    tracingContext,
    abortSignal,
    resumeData,
  }
}

const counters: ModifierMetrics = {
  incr: (name, by = 1) => openTelemetry.getMeter('@millrace/interop').createCounter(name).add(by),
}
