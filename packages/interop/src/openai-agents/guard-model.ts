import { MillraceError, type ProcessorEntry, ProcessorPipeline, requireOptions } from '@millrace/core'
import { AnswerContent } from '../ai-sdk/answer-content.ts'
import { GUARD_MODEL_OPTIONS, GuardedModel, type GuardModelOptions } from '../ai-sdk/guard-model.ts'
import { GuardRejection } from '../ai-sdk/guard-rejection.ts'
import type {
  AgentsModel,
  AgentsRequest,
  AgentsResponse,
  AgentsStreamEvent,
  AgentsUsage,
} from './agents-types.ts'
import { itemsOfAnswer } from './items-of-answer.ts'
import { loadAgents } from './load-agents.ts'
import { ProviderModel, type ProviderRequest } from './provider-model.ts'
import { OriginalRequest } from './request-settings.ts'

/** A model of OpenAI Agents behind processors. */
export type GuardedAgentsModel<MODEL extends AgentsModel> = Pick<MODEL, 'getResponse' | 'getStreamedResponse'>

/**
 * Wraps a model of OpenAI Agents, so that all its input and output passes `processors`. Use it wherever
 * OpenAI Agents takes a model.
 *
 * A rejection is a {@link GuardRejection} that fails the run, even if parts of the answer were streamed. If a
 * processor halts, its answer becomes the model's. If a processor suspends, the call fails.
 *
 * Raw events of the provider, and its own data of the response, are dropped, because no processor has seen
 * them.
 *
 * @throws MillraceError `CONFIG_…` as an agent does for its `processors`; `CONFIG_INVALID` for an invalid
 *   option. A call throws `CONFIG_INVALID` or `RUN_INPUT_INVALID` for content that processors cannot see
 *
 * @example
 * const model = guardModel(new OpenAIResponsesModel(client, 'gpt-5'), [new PIIDetector({ strategy: 'redact' })])
 * const agent = new Agent({ name: 'Support', model })
 */
export function guardModel<MODEL extends AgentsModel>(
  model: MODEL,
  processors: readonly ProcessorEntry[],
  given: GuardModelOptions = {},
): GuardedAgentsModel<MODEL> {
  const options = requireOptions('guardModel()', given, GUARD_MODEL_OPTIONS)
  return guarded(
    model,
    new ProcessorPipeline([...processors]),
    options,
  ) as unknown as GuardedAgentsModel<MODEL>
}

/**
 * A model provider whose models are all wrapped by {@link guardModel}. In a `Runner` it guards all agents
 * that refer to their model by name, or have none.
 *
 * @throws MillraceError as {@link guardModel}
 *
 * @example
 * const runner = new Runner({ modelProvider: guardModelProvider(new OpenAIProvider(), processors) })
 */
export function guardModelProvider<MODEL extends AgentsModel>(
  provider: { getModel(name?: string): MODEL | Promise<MODEL> },
  processors: readonly ProcessorEntry[],
  given: GuardModelOptions = {},
): { getModel(name?: string): Promise<GuardedAgentsModel<MODEL>> } {
  const options = requireOptions('guardModelProvider()', given, GUARD_MODEL_OPTIONS)
  const checked = new ProcessorPipeline([...processors])
  check(checked, options)
  return {
    async getModel(name) {
      const model = await provider.getModel(name)
      return guarded(model, checked, options) as unknown as GuardedAgentsModel<MODEL>
    },
  }
}

function guarded(
  model: AgentsModel,
  processors: ProcessorPipeline,
  options: GuardModelOptions,
): GuardedAgentModel {
  const { getResponse, getStreamedResponse } = (model ?? {}) as Partial<AgentsModel>
  if (typeof getResponse !== 'function' || typeof getStreamedResponse !== 'function') {
    throw new MillraceError(
      'CONFIG_INVALID',
      'guardModel() received an object without getResponse and getStreamedResponse. Pass a model of OpenAI Agents. For model names use guardModelProvider().',
    )
  }
  check(processors, options)
  return new GuardedAgentModel(
    model as ProviderRequest & Pick<AgentsModel, 'getRetryAdvice'>,
    processors,
    options,
  )
}

/** Validates the options immediately, not in the first call. */
function check(processors: ProcessorPipeline, options: GuardModelOptions): void {
  new GuardedModel('millrace/unused', processors, options)
}

class GuardedAgentModel {
  readonly #model: ProviderRequest & Pick<AgentsModel, 'getRetryAdvice'>
  readonly #processors: ProcessorPipeline
  readonly #options: GuardModelOptions

  constructor(
    model: ProviderRequest & Pick<AgentsModel, 'getRetryAdvice'>,
    processors: ProcessorPipeline,
    options: GuardModelOptions,
  ) {
    this.#model = model
    this.#processors = processors
    this.#options = options
  }

  async getResponse(request: AgentsRequest): Promise<AgentsResponse> {
    const { asked, guard, options } = this.#ask(request, false)
    const { content, ended } = await guard.answerWhole(options, 'stream')
    const output = itemsOfAnswer(asked.answer, content, ended.replacedText)
    const { responseId, requestId } = asked.responses.at(-1) ?? {}
    return {
      usage: await usageOf(asked),
      output,
      ...(responseId !== undefined && { responseId }),
      ...(requestId !== undefined && { requestId }),
    }
  }

  async *getStreamedResponse(request: AgentsRequest): AsyncGenerator<AgentsStreamEvent> {
    const { asked, guard, options } = this.#ask(request, true)
    const { stream } = await guard.doStream(options)
    const content = new AnswerContent()
    yield { type: 'response_started' }
    // Leaving the loop early cancels the stream.
    for await (const part of stream) {
      if (part.type === 'error') throw part.error
      content.addPart(part)
      if (part.type !== 'text-delta' || part.delta === '' || asked.answer.isRefusal(part.id)) continue
      const itemId = asked.answer.itemIdOf(part.id)
      yield { type: 'output_text_delta', delta: part.delta, ...(itemId !== undefined && { itemId }) }
    }
    const output = itemsOfAnswer(asked.answer, content, undefined)
    const { responseId, requestId } = asked.responses.at(-1) ?? {}
    yield {
      type: 'response_done',
      response: {
        id: responseId ?? crypto.randomUUID(),
        ...(requestId !== undefined && { requestId }),
        usage: await usageOf(asked),
        output,
      },
    }
  }

  /** The retry advice of the model. Rejections are not retried. */
  getRetryAdvice(args: { error: unknown }): unknown {
    if (GuardRejection.isInstance(args.error) || MillraceError.isInstance(args.error))
      return { suggested: false }
    return this.#model.getRetryAdvice?.(args as never)
  }

  #ask(request: AgentsRequest, isStreamed: boolean) {
    const given = new OriginalRequest(request)
    const asked = new ProviderModel(this.#model, given, { isStreamed })
    const guard = new GuardedModel(asked, this.#processors, this.#options)
    return { asked, guard, options: given.options }
  }
}

/** The usage of all model calls of the answer. With one call, the provider's own usage. */
async function usageOf({ responses }: ProviderModel): Promise<AgentsUsage> {
  const [first, ...others] = responses
  if (first && others.length === 0) return first.usage
  const { Usage } = await loadAgents()
  const usage = new Usage()
  for (const response of responses) usage.add(response.usage)
  return usage
}
