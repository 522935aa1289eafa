import type { Context, ContextManager, MeterProvider, Span, TracerProvider } from '@opentelemetry/api'

/** What is registered in OpenTelemetry's API in this process. */
export interface RegisteredTelemetry {
  readonly context?: ContextManager
  readonly trace?: TracerProvider
  readonly metrics?: MeterProvider
}

/**
 * Reads the registry without loading the API, from the global that all copies of the API share. Most processes
 * register nothing, and loading the API takes longer than loading an agent.
 */
export function registeredTelemetry(): RegisteredTelemetry {
  return (globalThis as { [REGISTRY]?: RegisteredTelemetry })[REGISTRY] ?? NO_TELEMETRY
}

/** As `trace.getSpan()` of the API. */
export function spanIn(context: Context | undefined): Span | undefined {
  return (context?.getValue(SPAN_KEY) as Span | undefined) ?? undefined
}

const REGISTRY = Symbol.for('opentelemetry.js.api.1')
/** The API creates its keys with `Symbol.for()`, so that all of its copies share them. */
const SPAN_KEY = Symbol.for('OpenTelemetry Context Key SPAN')
const NO_TELEMETRY: RegisteredTelemetry = {}
