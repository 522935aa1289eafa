import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { type Chunk, type PipelineAnswer, type PipelineAnswerEnd, toStreamPart } from '@millrace/core'
import type { CalledModel } from './called-model.ts'
import { GuardRejection, rejectionOf } from './guard-rejection.ts'

/**
 * Number of parts to buffer. When the buffer is full, the model waits until half of it is read: waiting for
 * each part would cost more than the part itself.
 */
const READ_AHEAD = 32

/** A running guarded call. */
export interface GuardedCall extends Pick<PipelineAnswer, 'end' | 'cancel'> {
  model: CalledModel
}

/** The chunks of a guarded answer as a stream of the AI SDK. */
export class AnswerStream {
  readonly stream: ReadableStream<LanguageModelV4StreamPart>
  readonly #release: () => void
  #controller!: ReadableStreamDefaultController<LanguageModelV4StreamPart>
  #call: GuardedCall | undefined
  #parts: AnswerParts | undefined
  /** Chunks that arrived before the call was set. */
  #early: Chunk[] = []
  #said = false
  #isOver = false
  #resume: (() => void) | undefined
  #hasPart: (() => void) | undefined

  /** @param release Called when nothing of the answer is running any more */
  constructor(release: () => void) {
    this.#release = release
    this.stream = new ReadableStream<LanguageModelV4StreamPart>(
      {
        start: (controller) => {
          this.#controller = controller
        },
        pull: (controller) => {
          if ((controller.desiredSize ?? 0) >= READ_AHEAD / 2) this.#proceed()
        },
        cancel: () => {
          this.#isOver = true
          this.#call?.cancel()
          this.#proceed()
          this.#release()
        },
      },
      { highWaterMark: READ_AHEAD },
    )
  }

  /** Writes a chunk. Returns a promise if the reader has to catch up. */
  readonly write = (chunk: Chunk): Promise<void> | undefined => {
    if (this.#isOver) return undefined
    // Fast path: nearly all chunks are text deltas.
    if (chunk.type === 'text-delta' && this.#said) {
      this.#controller.enqueue(toStreamPart(chunk) as LanguageModelV4StreamPart)
    } else if (this.#parts === undefined) {
      this.#early.push(chunk)
      return undefined
    } else this.#give(this.#parts.read(chunk))
    if ((this.#controller.desiredSize ?? 0) > 0) return undefined
    return new Promise((resolve) => {
      this.#resume = resolve
    })
  }

  /**
   * Resolves with the first part, so that an earlier failure rejects the call, which the caller can retry.
   *
   * @throws the error of the call
   */
  async open(call: GuardedCall): Promise<void> {
    this.#call = call
    this.#parts = new AnswerParts(call.model)
    for (const chunk of this.#early.splice(0)) this.#give(this.#parts.read(chunk))
    const ended = call.end.then((end) => this.#finish(end))
    if (!this.#said) {
      const first = new Promise<void>((resolve) => {
        this.#hasPart = resolve
      })
      await Promise.race([first, ended])
    }
    ended.catch((error) => this.#fail(error))
  }

  #finish(end: PipelineAnswerEnd): void {
    if (this.#isOver || this.#parts === undefined) return
    this.#give(this.#parts.tail(end))
    this.#close()
  }

  #fail(error: unknown): void {
    if (this.#isOver) return
    this.#controller.enqueue({ type: 'error', error: rejectionOf(error, { isRetraction: true }) })
    this.#close()
  }

  #give(parts: readonly LanguageModelV4StreamPart[]): void {
    if (parts.length === 0 || this.#isOver) return
    if (!this.#said) for (const part of this.#parts?.head() ?? []) this.#controller.enqueue(part)
    this.#said = true
    for (const part of parts) this.#controller.enqueue(part)
    this.#hasPart?.()
    if (!this.#parts?.isRetracted) return
    this.#close()
    this.#call?.cancel()
  }

  #close(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#controller.close()
    this.#proceed()
    this.#release()
  }

  #proceed(): void {
    this.#resume?.()
    this.#resume = undefined
  }
}

/** The parts of one answer: those of its chunks, and those that describe it. */
class AnswerParts {
  /** What was streamed is retracted: no more parts follow. */
  isRetracted = false
  #toldMetadata = false
  readonly #model: CalledModel

  constructor(model: CalledModel) {
    this.#model = model
  }

  /** The parts before all others. */
  head(): LanguageModelV4StreamPart[] {
    return [{ type: 'stream-start', warnings: [...this.#model.warnings] }, ...this.#metadata()]
  }

  read(chunk: Chunk): LanguageModelV4StreamPart[] {
    if (chunk.type === 'step-discarded') {
      const { reason = 'A processor rejected the answer.', processorId } = chunk
      return this.#retract(new GuardRejection({ reason, processorId, isRetraction: true }))
    }
    if (chunk.type === 'response-replaced') return this.#retract(new GuardRejection(REPLACED))
    const part = toStreamPart(chunk)
    return part ? [...this.#metadata(), part] : []
  }

  /** The parts after all others. */
  tail(end: PipelineAnswerEnd): LanguageModelV4StreamPart[] {
    return [
      ...this.#model.approvalRequests,
      ...this.#metadata(),
      { type: 'finish', ...this.#model.finishOf(end) },
    ]
  }

  #retract(error: GuardRejection): LanguageModelV4StreamPart[] {
    this.isRetracted = true
    return [{ type: 'error', error }]
  }

  #metadata(): LanguageModelV4StreamPart[] {
    const { metadata } = this.#model
    if (metadata === undefined || this.#toldMetadata) return []
    this.#toldMetadata = true
    return [{ type: 'response-metadata', ...metadata }]
  }
}

const REPLACED = {
  reason:
    "The answer was changed after it had been streamed. Use emit: 'step' with processors that change finished answers.",
  isRetraction: true,
}
