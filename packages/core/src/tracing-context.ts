import type { Span } from '@opentelemetry/api'

/** Where a hook stands in a trace. */
export interface TracingContext {
  /**
   * The span of the run, where an OpenTelemetry SDK records it; else the span that was active when the run was asked
   * for, if any. It is active in hooks and tools too, so spans that begin there are its children.
   */
  span: Span | undefined
}
