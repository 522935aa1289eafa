import {
  type Chunk,
  type LanguageModel,
  type LanguageModelV4,
  MillraceError,
  type ModelRequest,
  type OptionNames,
  type ProcessModelErrorArgs,
  type ProcessModelErrorResult,
  type Processor,
  requireCount,
  requireOptions,
  requireTime,
  resolveModel,
  type WrapModelCallArgs,
} from '@millrace/core'
import { checkedModel, type FailureReason, reasonOf } from './checked-model.ts'

export interface ModelFallbackOptions {
  /** Identifies the processor in results, events and errors. Default: `'model-fallback'`. */
  readonly id?: string
  /** The models to use, in order, if the agent's model fails. */
  readonly models: readonly LanguageModel[]
  /** The timeout for the first content of a response, in milliseconds. */
  readonly firstChunkTimeout?: number
  /** The timeout between two parts of a response, in milliseconds. */
  readonly chunkTimeout?: number
  /**
   * Decides whether a response is a refusal, by its first `refusalWindow` characters, or all of a shorter one. These
   * are held until then. Without it, only a response that the provider's filter stops is a refusal.
   */
  readonly isRefusal?: (text: string) => boolean
  /** How many characters of a response `isRefusal` gets. Default: 200. */
  readonly refusalWindow?: number
  /**
   * Decides whether to fall back, by `{ reason, error, from, stepNumber }`, with `'error'`, `'timeout'` or `'refusal'`
   * as reason. Default: always.
   */
  readonly fallBackOn?: (failure: ModelFailure) => boolean
  /**
   * `'run'`: the fallback model also answers the following steps. `'step'`: each step begins with the agent's model.
   * Default: `'run'`.
   */
  readonly until?: 'run' | 'step'
  /** Called for each change of model. An error it throws fails the run. */
  readonly onFallback?: (fallback: ModelFailure & { readonly to: string }) => void
}

const MODEL_FALLBACK_OPTIONS: OptionNames<ModelFallbackOptions> = {
  id: 'optional',
  models: 'required',
  firstChunkTimeout: 'optional',
  chunkTimeout: 'optional',
  isRefusal: 'optional',
  refusalWindow: 'optional',
  fallBackOn: 'optional',
  until: 'optional',
  onFallback: 'optional',
}

/** The failure of a model. */
export interface ModelFailure {
  readonly reason: FailureReason
  /** The provider's error, the refusal or the timeout. May contain confidential text. */
  readonly error: unknown
  /** The id of the model that failed. */
  readonly from: string
  readonly stepNumber: number
}

/**
 * Falls back to another model if one fails: after errors and timeouts, or if it refuses. As long as nothing of the
 * response was emitted, the next model takes over directly; later, what was emitted is discarded first
 * (`step-discarded`), so answers of two models are never mixed. If all models fail, the run fails with the last error.
 *
 * After the first content, at most two fallbacks are possible in a step: core's maximum of attempts.
 */
export class ModelFallback implements Processor {
  readonly id: string
  readonly #models: readonly LanguageModel[]
  readonly #options: ModelFallbackOptions

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(given: ModelFallbackOptions) {
    const options = requireOptions('ModelFallback', given, MODEL_FALLBACK_OPTIONS)
    const { id = 'model-fallback', models, firstChunkTimeout, chunkTimeout, refusalWindow = 200 } = options
    if (!Array.isArray(models) || models.length === 0) {
      throw new MillraceError(
        'CONFIG_INVALID',
        'ModelFallback has no models to fall back on. Pass at least one.',
      )
    }
    requireCount('refusalWindow', refusalWindow, 1)
    requireTime('firstChunkTimeout', firstChunkTimeout)
    requireTime('chunkTimeout', chunkTimeout)
    this.id = id
    this.#models = [...models]
    this.#options = { ...options, refusalWindow }
  }

  async *wrapModelCall(args: WrapModelCallArgs): AsyncGenerator<Chunk> {
    const { request, next, abortSignal, stepNumber } = args
    const progress = this.#progress(args)
    for (;;) {
      const model = await this.#model(request, progress)
      let isEmitted = false
      try {
        for await (const chunk of next({ ...request, model })) {
          isEmitted = true
          yield chunk
        }
        return
      } catch (error) {
        if (isEmitted || abortSignal.aborted || !isModelFailure(error)) throw error
        if (!this.#fallBack(progress, { error, from: model.modelId, stepNumber })) throw error
      }
    }
  }

  /** Called if part of the response was already emitted, or no model was left. */
  processModelError(args: ProcessModelErrorArgs): ProcessModelErrorResult {
    const { error, request, stepNumber } = args
    const progress = this.#progress(args)
    const { used } = progress
    const from = idOf(used === 0 ? request.model : (this.#models[used - 1] as LanguageModel))
    return this.#fallBack(progress, { error, from, stepNumber }) ? { retry: true } : undefined
  }

  #progress({ state, stepNumber }: Pick<WrapModelCallArgs, 'state' | 'stepNumber'>): Progress {
    const known = state.progress as Progress | undefined
    if (known && (known.stepNumber === stepNumber || this.#options.until !== 'step')) return known
    const progress = { used: 0, stepNumber }
    state.progress = progress
    return progress
  }

  /** The current model, with timeouts and refusal detection. A refusal of the last model is accepted. */
  async #model(request: ModelRequest, { used }: Progress): Promise<LanguageModelV4> {
    const model = await resolveModel(used === 0 ? request.model : (this.#models[used - 1] as LanguageModel))
    const { firstChunkTimeout, chunkTimeout, isRefusal, refusalWindow = 0 } = this.#options
    const isLast = used >= this.#models.length
    return checkedModel(model, {
      firstChunkTimeout,
      chunkTimeout,
      refusal: isLast ? undefined : { isRefusal, window: refusalWindow },
    })
  }

  /** Switches to the next model, if there is one. Returns whether there was. */
  #fallBack(progress: Progress, failed: { error: unknown; from: string; stepNumber: number }): boolean {
    const to = this.#models[progress.used]
    if (to === undefined) return false
    const { fallBackOn, onFallback } = this.#options
    const cause = failed.error instanceof Error ? failed.error.cause : undefined
    const failure: ModelFailure = { ...failed, reason: reasonOf(cause), error: cause ?? failed.error }
    if (fallBackOn && fallBackOn(failure) !== true) return false
    progress.used++
    onFallback?.({ ...failure, to: idOf(to) })
    return true
  }
}

/** How many models have failed. */
interface Progress {
  used: number
  stepNumber: number
}

function isModelFailure(error: unknown): boolean {
  return (
    MillraceError.isInstance(error) &&
    (error.code === 'MODEL_CALL_FAILED' || error.code === 'MODEL_STREAM_FAILED')
  )
}

function idOf(model: LanguageModel): string {
  return typeof model === 'string' ? model : model.modelId
}
