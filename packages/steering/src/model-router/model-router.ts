import {
  type LanguageModel,
  MillraceError,
  type OptionNames,
  type ProcessInputStepArgs,
  type ProcessInputStepResult,
  type Processor,
  requireCount,
  requireOptions,
  type WarmUpArgs,
} from '@millrace/core'
import { type Encoding, encodingOf, loadEncoding, MessageTokens, warmUpEncoding } from '@millrace/tokens'

export interface ModelRouterOptions {
  /** Identifies the processor in results, events and errors. Default: `'model-router'`. */
  readonly id?: string
  /**
   * The routes, tried in order: the first whose conditions all hold is used. If none matches, the model is unchanged.
   */
  readonly routes: readonly ModelRoute[]
}

/** A model, and the conditions for its use. All given conditions must hold; without any, the route always matches. */
export interface ModelRoute {
  /** A model of the AI SDK, or its id. A run that is suspended before the model call requires an id. */
  readonly model: LanguageModel
  /** The first step that matches, counted from 0. */
  readonly fromStep?: number
  /** The last step that matches, counted from 0. */
  readonly toStep?: number
  /** The minimum number of tokens in the prompt: instructions and messages, counted like the token limiter does. */
  readonly fromTokens?: number
  /** A custom condition on the request's context, the messages, or the steps so far. */
  readonly when?: (args: ProcessInputStepArgs) => boolean | Promise<boolean>
}

const MODEL_ROUTE: OptionNames<ModelRoute> = {
  model: 'required',
  fromStep: 'optional',
  toStep: 'optional',
  fromTokens: 'optional',
  when: 'optional',
}

const MODEL_ROUTER_OPTIONS: OptionNames<ModelRouterOptions> = {
  id: 'optional',
  routes: ['required', MODEL_ROUTE],
}

/**
 * Chooses the model of each step by the number of the step, the size of the prompt, or the request.
 *
 * @example
 * new ModelRouter({ routes: [
 *   { model: 'acme/large', fromTokens: 100_000 },
 *   { model: 'acme/thorough', when: ({ requestContext }) => requestContext.get('plan') === 'paid' },
 *   { model: 'acme/fast', toStep: 0 },
 * ] })
 */
export class ModelRouter implements Processor {
  readonly id: string
  readonly #routes: readonly ModelRoute[]
  readonly #counters = new Map<Encoding, MessageTokens>()

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(options: ModelRouterOptions) {
    const { id = 'model-router', routes } = requireOptions('ModelRouter', options, MODEL_ROUTER_OPTIONS)
    if (!Array.isArray(routes) || routes.length === 0) {
      throw new MillraceError('CONFIG_INVALID', 'ModelRouter has no routes. Pass at least one.')
    }
    for (const [index, { fromStep, toStep, fromTokens }] of routes.entries()) {
      requireCount(`routes[${index}].fromStep`, fromStep ?? 0, 0)
      requireCount(`routes[${index}].toStep`, toStep ?? 0, 0)
      requireCount(`routes[${index}].fromTokens`, fromTokens ?? 0, 0)
    }
    this.id = id
    this.#routes = [...routes]
  }

  /** Loads the table of tokens, where a route asks for their number. */
  async warmUp({ model: { modelId } }: WarmUpArgs): Promise<void> {
    if (this.#routes.some(({ fromTokens }) => fromTokens !== undefined)) {
      await warmUpEncoding(encodingOf(modelId))
    }
  }

  async processInputStep(args: ProcessInputStepArgs): Promise<ProcessInputStepResult | undefined> {
    let tokens: number | undefined
    for (const { model, fromStep = 0, toStep = Number.POSITIVE_INFINITY, fromTokens, when } of this.#routes) {
      if (args.stepNumber < fromStep || args.stepNumber > toStep) continue
      if (fromTokens !== undefined) {
        tokens ??= await this.#count(args)
        if (tokens < fromTokens) continue
      }
      if (when && (await when(args)) !== true) continue
      return { model }
    }
    return undefined
  }

  async #count({ model, systemMessages, messages }: ProcessInputStepArgs): Promise<number> {
    const encoding = await loadEncoding(encodingOf(model.modelId))
    let counter = this.#counters.get(encoding)
    if (!counter) {
      counter = new MessageTokens(encoding)
      this.#counters.set(encoding, counter)
    }
    await counter.prepare(messages, systemMessages)
    let total = counter.ofSystem(systemMessages)
    for (const message of messages) total += counter.of(message)
    return total
  }
}
