import { SpanKind, trace } from '@opentelemetry/api'
import type { Run } from '../run/run.ts'
import type { RunTrace } from './run-trace.ts'
import {
  ATTR_GEN_AI_AGENT_NAME,
  ATTR_GEN_AI_OPERATION_NAME,
  OPERATION_INVOKE_AGENT,
  SCHEMA_URL,
} from './semantic-conventions.ts'

/**
 * Begins the span of a run. `undefined` where nobody records it: then nothing of tracing is loaded, and nothing of it is
 * asked for again in this run.
 */
export function startTrace(run: Run): Promise<RunTrace | undefined> | undefined {
  const { agentName, recordContent } = run.settings
  const tracer = trace.getTracerProvider().getTracer('@millrace/core', undefined, { schemaUrl: SCHEMA_URL })
  const span = tracer.startSpan(
    `${OPERATION_INVOKE_AGENT} ${agentName}`,
    {
      kind: SpanKind.INTERNAL,
      attributes: {
        [ATTR_GEN_AI_OPERATION_NAME]: OPERATION_INVOKE_AGENT,
        [ATTR_GEN_AI_AGENT_NAME]: agentName,
      },
    },
    run.openedIn,
  )
  if (!span.isRecording()) return undefined
  run.tracingContext = { span }
  return import('./run-trace.ts').then(
    ({ RunTrace }) => new RunTrace(run, { tracer, span, recordContent }),
    () => {
      // A run does not depend on being traced.
      span.end()
      return undefined
    },
  )
}
