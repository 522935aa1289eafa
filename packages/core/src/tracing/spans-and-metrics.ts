import type { ModelRequest } from '../model/model-request.ts'
import type { ChatSpan, RunOutcome, RunTracer, ToolDefinitions } from '../run/run-observer.ts'
import type { Step } from '../run/step.ts'
import type { Suspend } from '../signals.ts'
import type { Answer } from '../tools/decision.ts'
import type { ToolCall } from '../tools/tool.ts'

/** Observes a run with both spans and metrics. */
export class SpansAndMetrics implements RunTracer {
  readonly #spans: RunTracer
  readonly #metrics: RunTracer

  constructor(spans: RunTracer, metrics: RunTracer) {
    this.#spans = spans
    this.#metrics = metrics
  }

  within<T>(work: () => T): T {
    return this.#spans.within(work)
  }

  startChat(step: Step, request: ModelRequest, tools: ToolDefinitions): ChatSpan {
    const span = this.#spans.startChat(step, request, tools)
    const metric = this.#metrics.startChat(step, request, tools)
    return {
      within: (work) => span.within(() => metric.within(work)),
      finish(response) {
        metric.finish(response)
        span.finish(response)
      },
      end() {
        metric.end()
        span.end()
      },
      fail(error) {
        metric.fail(error)
        span.fail(error)
      },
    }
  }

  executeTool(
    step: Step,
    call: ToolCall,
    execute: () => Promise<Answer | Suspend>,
  ): Promise<Answer | Suspend> {
    return this.#spans.executeTool(step, call, () => this.#metrics.executeTool(step, call, execute))
  }

  end(outcome: RunOutcome): void {
    this.#metrics.end(outcome)
    this.#spans.end(outcome)
  }
}
