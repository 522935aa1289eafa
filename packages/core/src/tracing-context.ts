import type { Span } from '@opentelemetry/api'

/** The tracing context of a hook. */
export interface TracingContext {
  /**
   * The run's span if an OpenTelemetry SDK records it, otherwise the span that was active when the run was created.
   * It is also the active span in hooks and tools, so spans started there are its children.
   */
  span: Span | undefined
}
