import { metrics as openTelemetry } from '@opentelemetry/api'
import { MillraceError } from '../errors.ts'
import { isRecord } from '../messages/message.ts'
import type { ProcessorArgs } from '../processors/hook-arguments.ts'
import type { RequestContext } from '../request-context.ts'
import type { TracingContext } from '../tracing-context.ts'

export type MaybePromise<T> = T | Promise<T>

/** What every adapter takes besides the object it adapts. */
export interface AdapterOptions {
  /** Unique within a list. Default: the adapter's name in kebab case, such as `pre-inference`. */
  id?: string
  /** What happens when the adapted object throws. As for any processor. Default: `fail`. */
  onError?: 'fail' | 'skip'
}

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
  incr: (name, by = 1) => openTelemetry.getMeter('@millrace/core').createCounter(name).add(by),
}

/** The parts of a processor that do not depend on what is adapted. */
export function identityOf(
  { id, onError }: AdapterOptions,
  name: string,
): { id: string; onError?: 'fail' | 'skip' } {
  return { id: id ?? name, ...(onError && { onError }) }
}

/**
 * Refuses an object that is not what the adapter is for, when the agent is built and not in its first run.
 *
 * @throws MillraceError `CONFIG_INVALID`
 */
export function requireMethod(object: unknown, methods: readonly string[], adapter: string): void {
  if (isObject(object) && methods.some((method) => typeof object[method] === 'function')) return
  throw new MillraceError(
    'CONFIG_INVALID',
    `${adapter}() got something without a method ${methods.join(' or ')}. Pass an object of the interface it adapts.`,
  )
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'function' || (typeof value === 'object' && value !== null)
}

/** What a modifier may add to what it returns. */
export interface ControlFlow {
  /** Ends the run: nothing pending runs. */
  halt?: boolean
  /** Tool modifiers only: the call is answered with a denial that the model sees. */
  deny?: boolean
  reason?: string
}

/** What a modifier added to what it returned, if anything. */
export function controlOf(returned: unknown): ControlFlow {
  if (!isRecord(returned)) return {}
  const { halt, deny, reason } = returned
  return {
    ...(halt === true && { halt }),
    ...(deny === true && { deny }),
    ...(typeof reason === 'string' && { reason }),
  }
}

/** Ends the run if the modifier said so. The caller gets no answer, and the reason in `result.halt`. */
export function haltIfTold(
  returned: unknown,
  halt: (response?: string, options?: { reason?: string }) => never,
): void {
  const control = controlOf(returned)
  if (control.halt) halt('', control.reason === undefined ? {} : { reason: control.reason })
}
