import { type Attributes, type Context, context, type Span, SpanStatusCode } from '@opentelemetry/api'
import type { StepFinishChunk } from '../results/chunk.ts'
import type { ChatSpan } from '../run/run-observer.ts'
import { chatResponse } from './attributes.ts'
import { errorType } from './error-type.ts'
import { ATTR_ERROR_TYPE } from './semantic-conventions.ts'

/** An open span. It ends once; later calls have no effect. */
export class OpenSpan implements ChatSpan {
  readonly span: Span
  readonly #context: Context
  readonly #holds: boolean
  /** Milliseconds since the epoch. */
  #endedAt: number | undefined

  /**
   * @param options.holds Whether the span is only ended by {@link close}, with the earlier end time, because its
   *   content is added later
   */
  constructor(span: Span, options: { context: Context; holds: boolean }) {
    this.span = span
    this.#context = options.context
    this.#holds = options.holds
  }

  /** Runs `work` with this span as the active span. A rejection is recorded as the span's error. */
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
    if (!this.#holds) this.#export()
  }

  /** Ends the span with an error. Its message is not recorded, because it may quote user content. */
  fail(error: unknown, attributes: Attributes = {}): void {
    if (this.#endedAt !== undefined) return
    this.span.setStatus({ code: SpanStatusCode.ERROR })
    this.end({ [ATTR_ERROR_TYPE]: errorType(error), ...attributes })
  }

  /** Ends the span, and adds the attributes if it was held. */
  close(attributes: Attributes = {}): void {
    this.end()
    if (!this.#holds) return
    this.span.setAttributes(attributes)
    this.#export()
  }

  /** Errors of exporters do not fail a run. */
  #export(): void {
    try {
      this.span.end(this.#endedAt)
    } catch {}
  }
}
