import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
  LanguageModelV4Usage,
} from '@ai-sdk/provider'
import { MillraceError } from '@millrace/core'
import type { AgentsRequest, AgentsResponse, AgentsStreamEvent, AgentsUsage } from './agents-types.ts'
import { OriginalAnswer } from './original-answer.ts'
import { readItems } from './read-items.ts'
import type { OriginalRequest } from './request-settings.ts'

/** The request to a model of OpenAI Agents. */
export interface ProviderRequest {
  getResponse(request: AgentsRequest): Promise<AgentsResponse>
  getStreamedResponse(request: AgentsRequest): AsyncIterable<AgentsStreamEvent>
}

/**
 * A model of OpenAI Agents during one request, as a model of the AI SDK. It stores what its answers were made
 * of.
 */
export class ProviderModel implements LanguageModelV4 {
  readonly specificationVersion = 'v4'
  readonly provider = 'openai-agents'
  readonly modelId: string
  readonly supportedUrls: LanguageModelV4['supportedUrls'] = { '*/*': [/^https?:/] }
  /** One per model call, in order. */
  readonly responses: Omit<AgentsResponse, 'output'>[] = []
  readonly answer: OriginalAnswer = new OriginalAnswer()
  readonly #model: ProviderRequest
  readonly #request: OriginalRequest
  readonly #isStreamed: boolean

  constructor(model: ProviderRequest, request: OriginalRequest, { isStreamed }: { isStreamed: boolean }) {
    this.#model = model
    this.#request = request
    this.#isStreamed = isStreamed
    const { name } = (model as object).constructor
    this.modelId = name
  }

  doGenerate(): Promise<never> {
    return Promise.reject(new Error('A guarded model is asked for streams.'))
  }

  async doStream(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    const request = this.#request.left(options)
    const parts = this.#isStreamed
      ? this.#streamed(request)
      : this.#whole(await this.#model.getResponse(request))
    return { stream: streamOf(parts) }
  }

  async *#whole({ output, ...response }: AgentsResponse): AsyncGenerator<LanguageModelV4StreamPart> {
    yield { type: 'stream-start', warnings: [] }
    yield* this.#end(output, response)
  }

  async *#streamed(request: AgentsRequest): AsyncGenerator<LanguageModelV4StreamPart> {
    yield { type: 'stream-start', warnings: [] }
    let isDone = false
    for await (const event of this.#model.getStreamedResponse(request)) {
      // Events after the response are not part of it.
      if (isDone) continue
      if (event.type === 'output_text_delta') yield* this.answer.delta(event)
      else if (event.type === 'response_done') {
        isDone = true
        const { id: responseId, requestId, usage, output } = event.response
        yield* this.#end(output, { responseId, requestId, usage })
      }
    }
    if (!isDone)
      throw new MillraceError(
        'MODEL_STREAM_FAILED',
        'The stream of the model ended without a response_done event.',
      )
  }

  *#end(output: object[], response: Omit<AgentsResponse, 'output'>): Generator<LanguageModelV4StreamPart> {
    const { responseId, requestId, usage } = response
    this.responses.push({ usage, responseId, requestId })
    if (responseId !== undefined) yield { type: 'response-metadata', id: responseId }
    const items = readItems(output, 'answer')
    yield* this.answer.end(items)
    const unified = items.some(({ type }) => type === 'function_call') ? 'tool-calls' : 'stop'
    yield { type: 'finish', finishReason: { unified, raw: undefined }, usage: providerUsage(usage) }
  }
}

function streamOf(
  parts: AsyncGenerator<LanguageModelV4StreamPart>,
): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await parts.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    // Not awaited: a model that hangs is stopped by its abort signal.
    cancel: () => void parts.return(undefined).catch(() => {}),
  })
}

function providerUsage(usage: AgentsUsage): LanguageModelV4Usage {
  const { cached_tokens: cacheRead } = sumOf(usage.inputTokensDetails)
  const { reasoning_tokens: reasoning } = sumOf(usage.outputTokensDetails)
  return {
    inputTokens: { total: usage.inputTokens, noCache: undefined, cacheRead, cacheWrite: undefined },
    outputTokens: { total: usage.outputTokens, text: undefined, reasoning },
  }
}

function sumOf(details: AgentsUsage['inputTokensDetails']): Record<string, number | undefined> {
  const sum: Record<string, number> = {}
  for (const entry of details === undefined ? [] : [details].flat())
    for (const [name, count] of Object.entries(entry)) sum[name] = (sum[name] ?? 0) + count
  return sum
}
