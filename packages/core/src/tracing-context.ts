import { type Span, trace } from '@opentelemetry/api'

/** Where a hook stands in the caller's trace. */
export interface TracingContext {
  /** The OpenTelemetry span that was active when the run began, if any. */
  span: Span | undefined
}

export function currentTracingContext(): TracingContext {
  return { span: trace.getActiveSpan() }
}
