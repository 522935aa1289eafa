import type { OptionNames, ProcessorArgs, RequestContext, TracingContext } from '@millrace/core'
import { metrics as openTelemetry } from '@opentelemetry/api'
import { ADAPTER_OPTIONS, type AdapterOptions } from './adapter.ts'

/** {@link AdapterOptions}, for interfaces whose methods receive a {@link ModifierContext}. */
export interface ContextAdapterOptions extends AdapterOptions {
  /** Receives the counts of `context.metrics`. Default: counters of OpenTelemetry's global meter provider. */
  metrics?: ModifierMetrics
}

export const CONTEXT_ADAPTER_OPTIONS: OptionNames<ContextAdapterOptions> = {
  ...ADAPTER_OPTIONS,
  metrics: 'optional',
}

/** Counts events. */
export interface ModifierMetrics {
  /** @param by Default: 1 */
  incr(name: string, by?: number): void
}

/** The context that replaces `ctx` of the older Codebolt and of Oasis: the ids and the state of the run. */
export interface ModifierContext {
  threadId: string | undefined
  resourceId: string | undefined
  /** Starts at 0. */
  stepNumber: number
  metrics: ModifierMetrics
  requestContext: RequestContext
  tracingContext: TracingContext
  /** Aborted when the run is aborted. */
  abortSignal: AbortSignal
  /** The data that the run was resumed with, for the call that threw `Suspend`; `undefined` in all others. */
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
