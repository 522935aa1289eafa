import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { type Chunk, type PipelineAnswer, type PipelineAnswerEnd, toStreamPart } from '@millrace/core'
import type { CalledModel } from './called-model.ts'
import { GuardRejection, rejectionOf } from './guard-rejection.ts'

/** Parts that are made ahead of the reader: to be asked for each of them would cost more than the part. */
const READ_AHEAD = 16

/** A guarded call under way. */
export interface GuardedCall {
  model: CalledModel
  answer: PipelineAnswer
  /** To be called when nothing of the answer is under way any more. */
  release: () => void
}

/**
 * The chunks of a guarded answer as a stream of the AI SDK. Resolves with its first part, so that a failure before that is
 * one of the call, which may be tried again.
 */
export async function streamAnswer(call: GuardedCall): Promise<ReadableStream<LanguageModelV4StreamPart>> {
  const { model, release } = call
  const chunks = call.answer.chunks[Symbol.asyncIterator]()
  const parts = new AnswerParts(model)
  const first = await readFirst(call, chunks, parts)
  type Controller = ReadableStreamDefaultController<LanguageModelV4StreamPart>

  return new ReadableStream<LanguageModelV4StreamPart>(
    {
      start(controller) {
        for (const part of parts.head()) controller.enqueue(part)
        for (const part of first.parts) controller.enqueue(part)
        if (first.isOver) finish(controller)
      },
      pull,
      async cancel() {
        await chunks.return?.()
        release()
      },
    },
    { highWaterMark: READ_AHEAD },
  )

  async function pull(controller: Controller): Promise<void> {
    try {
      while ((controller.desiredSize ?? 0) > 0) {
        const { done, value } = await chunks.next()
        if (done) {
          for (const part of parts.tail(await call.answer.end)) controller.enqueue(part)
          return finish(controller)
        }
        if (value.type === 'text-delta') {
          controller.enqueue(toStreamPart(value) as LanguageModelV4StreamPart)
          continue
        }
        for (const part of parts.read(value)) controller.enqueue(part)
        if (!parts.isRetracted) continue
        await chunks.return?.()
        return finish(controller)
      }
    } catch (error) {
      controller.enqueue({ type: 'error', error: rejectionOf(error, { isRetraction: true }) })
      finish(controller)
    }
  }

  function finish(controller: Controller): void {
    controller.close()
    release()
  }
}

async function readFirst(
  { answer }: GuardedCall,
  chunks: AsyncIterator<Chunk>,
  parts: AnswerParts,
): Promise<{ parts: LanguageModelV4StreamPart[]; isOver: boolean }> {
  for (;;) {
    const { done, value } = await chunks.next()
    if (done) return { parts: parts.tail(await answer.end), isOver: true }
    const first = parts.read(value)
    if (first.length > 0) return { parts: first, isOver: false }
  }
}

/** The parts of one answer: those of its chunks, and those that describe it. */
class AnswerParts {
  /** What was given is taken back: nothing follows. */
  isRetracted = false
  #toldMetadata = false
  readonly #model: CalledModel

  constructor(model: CalledModel) {
    this.#model = model
  }

  /** What comes before all others. */
  head(): LanguageModelV4StreamPart[] {
    return [{ type: 'stream-start', warnings: [...this.#model.warnings] }, ...this.#metadata()]
  }

  read(chunk: Chunk): LanguageModelV4StreamPart[] {
    if (chunk.type === 'step-discarded') {
      const { reason = 'A processor rejected the answer.', processorId } = chunk
      return this.#retract(new GuardRejection({ reason, processorId, isRetraction: true }))
    }
    const part = toStreamPart(chunk)
    return part ? [...this.#metadata(), part] : []
  }

  /** What comes after all others. */
  tail(end: PipelineAnswerEnd): LanguageModelV4StreamPart[] {
    if (end.replacedText !== undefined) return this.#retract(new GuardRejection(REPLACED))
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
