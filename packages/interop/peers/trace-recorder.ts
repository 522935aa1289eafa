import type { Span, Trace, TracingProcessor } from '@openai/agents'

/** Keeps all that is traced, by trace, as it would be exported. */
export class TraceRecorder implements TracingProcessor {
  readonly #records = new Map<string, string[]>()

  async onTraceStart(_: Trace): Promise<void> {}

  async onTraceEnd(trace: Trace): Promise<void> {
    this.#add(trace.traceId, trace.toJSON())
  }

  async onSpanStart(_: Span<never>): Promise<void> {}

  async onSpanEnd(span: Span<never>): Promise<void> {
    this.#add(span.traceId, { ...span.toJSON(), data: span.spanData, error: span.error })
  }

  async shutdown(): Promise<void> {}

  async forceFlush(): Promise<void> {}

  of(traceId: string): readonly string[] {
    return this.#records.get(traceId) ?? []
  }

  #add(traceId: string, record: unknown): void {
    const records = this.#records.get(traceId) ?? []
    records.push(JSON.stringify(record))
    this.#records.set(traceId, records)
  }
}
