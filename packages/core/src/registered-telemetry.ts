import type { Context, ContextManager, MeterProvider, Span, TracerProvider } from '@opentelemetry/api'

/** What the process has registered at the API of OpenTelemetry. */
export interface RegisteredTelemetry {
  readonly context?: ContextManager
  readonly trace?: TracerProvider
  readonly metrics?: MeterProvider
}

/**
 * Reads what is registered without loading the API, from the place that all copies of the API share. Most processes register
 * nothing, and loading the API takes longer than loading an agent.
 */
export function registeredTelemetry(): RegisteredTelemetry {
  return (globalThis as { [REGISTRY]?: RegisteredTelemetry })[REGISTRY] ?? NOTHING
}

/** As `trace.getSpan()` of the API. */
export function spanIn(context: Context | undefined): Span | undefined {
  return (context?.getValue(SPAN_KEY) as Span | undefined) ?? undefined
}

const REGISTRY = Symbol.for('opentelemetry.js.api.1')
/** The API makes its keys with `Symbol.for()`, for the same reason. */
const SPAN_KEY = Symbol.for('OpenTelemetry Context Key SPAN')
const NOTHING: RegisteredTelemetry = {}
