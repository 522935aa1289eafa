import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
} from '@ai-sdk/provider'
import {
  MillraceError,
  type ProcessorPipeline,
  RequestContext,
  refuseSuspend,
  TripWire,
} from '@millrace/core'
import { AnsweredCalls } from '../adapter/answered-calls.ts'
import { GuardedModel, type GuardModelOptions } from '../ai-sdk/guard-model.ts'
import { GuardRejection } from '../ai-sdk/guard-rejection.ts'
import { GuardSession } from '../ai-sdk/guard-session.ts'
import type { MastraAbort, MastraRequestContext } from './mastra-types.ts'

/** The details of a rejection, for Mastra's tripwire. */
interface Rejection {
  reason: string
  metadata: Record<string, unknown>
}

/** The decisions of the processors in one run of a Mastra agent. */
export class GuardedRun {
  readonly session: GuardSession = new GuardSession()
  /** The answer of a processor that halted before the model was called. */
  halted: string | undefined
  /** Answers of processors in place of tool results. */
  readonly answers: AnsweredCalls = new AnsweredCalls()
  #rejection: Rejection | undefined
  #isInputReviewed = false

  /** Marks the input as reviewed, for the first model call. */
  markInputReviewed(): void {
    this.#isInputReviewed = true
  }

  takeReviewed(): boolean {
    const isReviewed = this.#isInputReviewed
    this.#isInputReviewed = false
    return isReviewed
  }

  /** Stores an error of the processors. Returns `false` if it is not theirs but a failure of the model. */
  reject(error: unknown): boolean {
    const rejection = rejectionIn(error)
    this.#rejection ??= rejection
    return rejection !== undefined
  }

  get isRejected(): boolean {
    return this.#rejection !== undefined
  }

  /** Ends the run with Mastra's tripwire, if anything was rejected. */
  abortIfRejected(abort: MastraAbort): void {
    if (this.#rejection) abort(this.#rejection.reason, { metadata: this.#rejection.metadata })
  }
}

function rejectionIn(given: unknown): Rejection | undefined {
  const error = refuseSuspend(given, 'an agent of Mastra')
  if (TripWire.isInstance(error) || GuardRejection.isInstance(error)) {
    const { reason, processorId, hook, metadata } = error
    return { reason, metadata: { processorId, hook, ...(metadata !== undefined && { detail: metadata }) } }
  }
  if (!MillraceError.isInstance(error)) return undefined
  const { code, message } = error
  return { reason: message, metadata: { code } }
}

/**
 * The model of a Mastra agent behind processors. Mastra would treat a rejection as a model error and retry
 * it. A rejected call therefore returns an answer without content, and the run is aborted after it.
 */
export class MastraModel implements LanguageModelV4 {
  readonly specificationVersion = 'v4'
  readonly #guarded: LanguageModelV4
  readonly #run: GuardedRun

  constructor(
    model: LanguageModelV4,
    run: GuardedRun,
    { processors, options }: { processors: ProcessorPipeline; options: GuardModelOptions },
  ) {
    this.#run = run
    this.#guarded = new GuardedModel(model, processors, {
      ...options,
      session: run.session,
      isReviewed: () => run.takeReviewed(),
      endsWithCalls: true,
    })
  }

  get provider(): string {
    return this.#guarded.provider
  }

  get modelId(): string {
    return this.#guarded.modelId
  }

  get supportedUrls(): LanguageModelV4['supportedUrls'] {
    return this.#guarded.supportedUrls
  }

  async doGenerate(options: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
    const own = this.#ownAnswer()
    if (own !== undefined) return generated(own)
    try {
      const result = await this.#guarded.doGenerate(options)
      return { ...result, content: result.content.flatMap((part) => this.#run.answers.take(part) ?? []) }
    } catch (error) {
      if (!this.#run.reject(error)) throw error
      return generated('')
    }
  }

  async doStream(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    const own = this.#ownAnswer()
    if (own !== undefined) return { stream: streamed(own) }
    try {
      const result = await this.#guarded.doStream(options)
      const run = this.#run
      const stream = result.stream.pipeThrough(
        new TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart>({
          transform(part, controller) {
            if (part.type !== 'error' || !run.reject(part.error)) {
              const left = run.answers.take(part)
              return left && controller.enqueue(left)
            }
            controller.enqueue(REJECTED)
            controller.terminate()
          },
        }),
      )
      return { ...result, stream }
    } catch (error) {
      if (!this.#run.reject(error)) throw error
      return { stream: streamed('') }
    }
  }

  /**
   * The answer of a call that does not reach the model: an empty text if the run is rejected, or the answer
   * of a processor.
   */
  #ownAnswer(): string | undefined {
    return this.#run.isRejected ? '' : this.#run.halted
  }
}

const NO_USAGE = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
}
const REJECTED: LanguageModelV4StreamPart = {
  type: 'finish',
  finishReason: { unified: 'content-filter', raw: undefined },
  usage: NO_USAGE,
}

function generated(text: string): LanguageModelV4GenerateResult {
  const unified = text === '' ? 'content-filter' : 'stop'
  return {
    content: text === '' ? [] : [{ type: 'text', text }],
    finishReason: { unified, raw: undefined },
    usage: NO_USAGE,
    warnings: [],
  }
}

function streamed(text: string): ReadableStream<LanguageModelV4StreamPart> {
  const said: LanguageModelV4StreamPart[] = [
    { type: 'text-start', id: 'answer' },
    { type: 'text-delta', id: 'answer', delta: text },
    { type: 'text-end', id: 'answer' },
  ]
  const { finishReason } = generated(text)
  return new ReadableStream({
    start(controller) {
      controller.enqueue({ type: 'stream-start', warnings: [] })
      if (text !== '') for (const part of said) controller.enqueue(part)
      controller.enqueue({ type: 'finish', finishReason, usage: NO_USAGE })
      controller.close()
    },
  })
}

/** A copy of Mastra's context as a request context. */
export function contextOf(context: MastraRequestContext | undefined): RequestContext {
  return new RequestContext(context ? Object.fromEntries(context.entries()) : {})
}
