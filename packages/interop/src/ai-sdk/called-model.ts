import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4GenerateResult,
  LanguageModelV4ResponseMetadata,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
  LanguageModelV4ToolApprovalRequest,
  LanguageModelV4Usage,
  SharedV4Warning,
} from '@ai-sdk/provider'
import type { PipelineAnswerEnd, Usage } from '@millrace/core'
import { partsOf } from './generated-parts.ts'

/**
 * The guarded model during one call. Calls the model as the caller requested, streamed or not, and stores
 * metadata of its answers, but no content.
 */
export class CalledModel implements LanguageModelV4 {
  readonly specificationVersion = 'v4'
  readonly provider: string
  readonly modelId: string
  readonly supportedUrls: LanguageModelV4['supportedUrls']
  readonly warnings: SharedV4Warning[] = []
  /** Set once the model has sent it. */
  metadata: LanguageModelV4ResponseMetadata | undefined
  /** Requests to approve calls that the provider executes. */
  readonly approvalRequests: LanguageModelV4ToolApprovalRequest[] = []
  #request: { body?: unknown } | undefined
  #headers: Record<string, string> | undefined
  #finish: { finishReason: LanguageModelV4FinishReason; usage: LanguageModelV4Usage } | undefined
  #calls = 0
  readonly #model: LanguageModelV4
  readonly #mode: 'generate' | 'stream'

  constructor(model: LanguageModelV4, mode: 'generate' | 'stream') {
    this.provider = model.provider
    this.modelId = model.modelId
    this.supportedUrls = model.supportedUrls
    this.#model = model
    this.#mode = mode
  }

  doGenerate(options: LanguageModelV4CallOptions): PromiseLike<LanguageModelV4GenerateResult> {
    return this.#model.doGenerate(options)
  }

  async doStream(given: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    const options = withoutAnySchema(given)
    this.#calls++
    if (this.#mode === 'generate') {
      const result = await this.#model.doGenerate(options)
      this.#keep(result)
      return { stream: streamOf(partsOf(result)) }
    }
    const result = await this.#model.doStream(options)
    this.#keep(result)
    return { stream: result.stream }
  }

  get streamResult(): Omit<LanguageModelV4StreamResult, 'stream'> {
    return {
      ...(this.#request && { request: this.#request }),
      ...(this.#headers && { response: { headers: this.#headers } }),
    }
  }

  /**
   * The result without its content. The provider's raw response is left out, because no processor has seen
   * it.
   */
  resultOf(end: PipelineAnswerEnd): Omit<LanguageModelV4GenerateResult, 'content'> {
    const { request, response } = this.streamResult
    return {
      ...this.finishOf(end),
      warnings: this.warnings,
      ...(request && { request }),
      ...((this.metadata || response) && { response: { ...this.metadata, ...response } }),
    }
  }

  /** The finish reason and usage. The usage is the provider's own if there was only one call. */
  finishOf(
    end: PipelineAnswerEnd,
  ): Pick<LanguageModelV4GenerateResult, 'finishReason' | 'usage' | 'providerMetadata'> {
    const { halt, usage } = end
    const isOnly = this.#calls === 1 && this.#finish !== undefined && isSum(this.#finish.usage, usage)
    const unified = end.finishReason
    const raw = this.#finish?.finishReason
    const metadata = halt ? { millrace: { halted: true, processorId: halt.processorId ?? null } } : undefined
    const providerMetadata = halt ? metadata : end.providerMetadata
    return {
      finishReason: !halt && raw?.unified === unified ? raw : { unified, raw: undefined },
      usage: isOnly && this.#finish ? this.#finish.usage : toProviderUsage(usage),
      ...(providerMetadata && { providerMetadata }),
    }
  }

  #keep({ request, response }: Pick<LanguageModelV4StreamResult, 'request' | 'response'>): void {
    this.#request = request
    this.#headers = response?.headers
  }

  /** Stores the metadata in a part. */
  see(part: LanguageModelV4StreamPart): void {
    switch (part?.type) {
      case 'stream-start':
        this.warnings.push(...part.warnings)
        return
      case 'response-metadata': {
        const { type: _, ...metadata } = part
        this.metadata = { ...this.metadata, ...metadata }
        return
      }
      case 'tool-approval-request':
        this.approvalRequests.push(part)
        return
      case 'finish':
        this.#finish = part
        return
    }
  }
}

function streamOf(parts: readonly LanguageModelV4StreamPart[]): ReadableStream<LanguageModelV4StreamPart> {
  let next = 0
  return new ReadableStream({
    pull(controller) {
      const part = parts[next++]
      if (part === undefined) return controller.close()
      controller.enqueue(part)
    },
  })
}

/** Core represents JSON without a schema by an empty schema. */
function withoutAnySchema(options: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  const { responseFormat } = options
  if (responseFormat?.type !== 'json' || responseFormat.schema === undefined) return options
  if (Object.keys(responseFormat.schema).length > 0) return options
  const { schema: _, ...rest } = responseFormat
  return { ...options, responseFormat: rest }
}

function isSum({ inputTokens, outputTokens }: LanguageModelV4Usage, usage: Usage): boolean {
  return inputTokens?.total === usage.inputTokens && outputTokens?.total === usage.outputTokens
}

export function toProviderUsage({
  inputTokens,
  outputTokens,
  inputTokenDetails: input,
  outputTokenDetails: output,
}: Usage): LanguageModelV4Usage {
  return {
    inputTokens: {
      total: inputTokens,
      noCache: input.noCacheTokens,
      cacheRead: input.cacheReadTokens,
      cacheWrite: input.cacheWriteTokens,
    },
    outputTokens: { total: outputTokens, text: output.textTokens, reasoning: output.reasoningTokens },
  }
}
