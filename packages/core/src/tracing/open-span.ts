import { type Attributes, type Context, context, type Span, SpanStatusCode } from '@opentelemetry/api'
import type { StepFinishChunk } from '../results/chunk.ts'
import type { ChatSpan } from '../run/run-observer.ts'
import { chatResponse } from './attributes.ts'
import { errorType } from './error-type.ts'
import { ATTR_ERROR_TYPE } from './semantic-conventions.ts'

/** A span under way. It ends once; what comes after that is ignored. */
export class OpenSpan implements ChatSpan {
  readonly span: Span
  readonly #context: Context
  readonly #holds: boolean
  /** Milliseconds since the epoch. */
  #endedAt: number | undefined

  /** @param options.holds The span is ended by {@link close} only, though its time ends before: its content comes later. */
  constructor(span: Span, options: { context: Context; holds: boolean }) {
    this.span = span
    this.#context = options.context
    this.#holds = options.holds
  }

  /** Does something inside of the span: spans that begin there are its children. A rejection is the span's error. */
  async within<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await context.with(this.#context, work)
    } catch (error) {
      this.fail(error)
      throw error
    }
  }

  /** Ends the span of a model call whose response is complete. */
  finish(response: StepFinishChunk): void {
    this.end(chatResponse(response))
  }

  end(attributes: Attributes = {}, endedAt: number = Date.now()): void {
    if (this.#endedAt !== undefined) return
    this.span.setAttributes(attributes)
    this.#endedAt = endedAt
    if (!this.#holds) this.#handOn()
  }

  /** Ends the span with an error. Its message stays out: it may quote what was said. */
  fail(error: unknown, attributes: Attributes = {}): void {
    if (this.#endedAt !== undefined) return
    this.span.setStatus({ code: SpanStatusCode.ERROR })
    this.end({ [ATTR_ERROR_TYPE]: errorType(error), ...attributes })
  }

  /** No more is to come. */
  close(attributes: Attributes = {}): void {
    this.end()
    if (!this.#holds) return
    this.span.setAttributes(attributes)
    this.#handOn()
  }

  /** What exporters do with the span is their business: a run does not fail with them. */
  #handOn(): void {
    try {
      this.span.end(this.#endedAt)
    } catch {}
  }
}
