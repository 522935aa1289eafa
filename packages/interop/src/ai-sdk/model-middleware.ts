import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4Middleware,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
} from '@ai-sdk/provider'
import {
  type Chunk,
  MillraceError,
  type ModelRequest,
  type Processor,
  ProcessorPipeline,
  requireOptions,
  resolveModel,
  toJsonSchema,
  toStreamPart,
} from '@millrace/core'
import { ADAPTER_OPTIONS, type AdapterOptions, identityOf, requireMethod } from '../adapter/adapter.ts'
import { AnswerContent } from './answer-content.ts'
import { settingsOf } from './call-settings.ts'
import { toProviderUsage } from './called-model.ts'
import { partsOf, streamOf } from './generated-parts.ts'

/** A middleware of the AI SDK, with or without its version. */
export type ModelMiddleware = {
  [KEY in Exclude<keyof LanguageModelV4Middleware, 'specificationVersion'>]?:
    | LanguageModelV4Middleware[KEY]
    | undefined
} & { readonly specificationVersion?: string | undefined }

type Next = (request: ModelRequest) => AsyncIterable<Chunk>

/**
 * Runs a middleware of the AI SDK around every model call, in `wrapModelCall`: `transformParams` changes the
 * request, `wrapStream` the response. An agent always streams. A middleware that only has `wrapGenerate`
 * receives complete answers, which are then streamed at once. If it throws, the run fails.
 *
 * Overrides of the model's name and URLs are refused, because an agent takes them from its model.
 *
 * @throws MillraceError `CONFIG_INVALID` if the middleware has none of these three, or an override
 */
export function modelMiddleware(middleware: ModelMiddleware, given: AdapterOptions = {}): Processor {
  const options = requireOptions('modelMiddleware()', given, ADAPTER_OPTIONS)
  requireMethod(middleware, ['transformParams', 'wrapGenerate', 'wrapStream'], 'modelMiddleware')
  for (const name of ['overrideProvider', 'overrideModelId', 'overrideSupportedUrls'] as const) {
    if (middleware[name] === undefined) continue
    throw new MillraceError(
      'CONFIG_INVALID',
      `The middleware has ${name}, which modelMiddleware() does not support, because an agent takes it from its model. Use wrapLanguageModel() of the AI SDK on the agent's model.`,
    )
  }
  return {
    ...identityOf(options, 'model-middleware'),
    wrapModelCall: ({ request, next, stepNumber, abortSignal }) =>
      callThrough(middleware, { request, next, stepNumber, abortSignal }),
  }
}

async function* callThrough(
  middleware: ModelMiddleware,
  {
    request,
    next,
    stepNumber,
    abortSignal,
  }: { request: ModelRequest; next: Next; stepNumber: number; abortSignal: AbortSignal },
): AsyncGenerator<Chunk> {
  const inner = new NextModel(await resolveModel(request.model), request, next)
  const model = new MiddlewareModel(middleware, inner)
  // A separate pipeline reads the parts as chunks. Retries happen in the inner model.
  const pipeline = new ProcessorPipeline([], { abortSignal, tools: request.tools })
  const modelSettings = { ...request.modelSettings, maxRetries: 0 }
  try {
    for await (const chunk of pipeline.wrapModelCall({ ...request, model, modelSettings }))
      yield 'stepNumber' in chunk ? { ...chunk, stepNumber } : chunk
  } catch (error) {
    throw causeOf(error)
  }
}

/** The error of the inner call is unwrapped. */
function causeOf(error: unknown): unknown {
  const cause = MillraceError.isInstance(error) ? error.cause : undefined
  return cause instanceof NextFailure ? cause.error : error
}

class NextFailure extends Error {
  readonly error: unknown

  constructor(error: unknown) {
    super('The model call failed.', { cause: error })
    this.error = error
  }
}

/** A model behind a middleware, for streams, as `wrapLanguageModel` of the AI SDK creates it. */
class MiddlewareModel implements LanguageModelV4 {
  readonly specificationVersion = 'v4'
  readonly provider: string
  readonly modelId: string
  readonly supportedUrls: LanguageModelV4['supportedUrls']
  readonly #middleware: ModelMiddleware
  readonly #model: LanguageModelV4

  constructor(middleware: ModelMiddleware, model: LanguageModelV4) {
    this.#middleware = middleware
    this.#model = model
    this.provider = model.provider
    this.modelId = model.modelId
    this.supportedUrls = model.supportedUrls
  }

  doGenerate(): Promise<never> {
    return Promise.reject(new Error('An agent streams every answer.'))
  }

  async doStream(given: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    const { wrapGenerate, wrapStream, transformParams } = this.#middleware
    const model = this.#model
    const type = wrapGenerate && !wrapStream ? 'generate' : 'stream'
    const params = transformParams
      ? await transformParams.call(this.#middleware, { type, params: given, model })
      : given
    const doGenerate = (): PromiseLike<LanguageModelV4GenerateResult> => model.doGenerate(params)
    const doStream = (): PromiseLike<LanguageModelV4StreamResult> => model.doStream(params)
    if (wrapStream) return wrapStream.call(this.#middleware, { doGenerate, doStream, params, model })
    if (!wrapGenerate) return doStream()
    const result = await wrapGenerate.call(this.#middleware, { doGenerate, doStream, params, model })
    return { ...result, stream: streamOf(partsOf(result)) }
  }
}

/** The next handler, as a model. */
class NextModel implements LanguageModelV4 {
  readonly specificationVersion = 'v4'
  readonly provider: string
  readonly modelId: string
  readonly supportedUrls: LanguageModelV4['supportedUrls']
  readonly #request: ModelRequest
  readonly #next: Next

  constructor(model: LanguageModelV4, request: ModelRequest, next: Next) {
    this.provider = model.provider
    this.modelId = model.modelId
    this.supportedUrls = model.supportedUrls
    this.#request = request
    this.#next = next
  }

  async doGenerate(params: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
    const content = new AnswerContent()
    let end: ReturnType<typeof finishOf> | undefined
    for await (const chunk of this.#chunks(params)) {
      content.add(chunk)
      if (chunk.type === 'step-finish') end = finishOf(chunk)
    }
    if (!end) throw new Error('The model call ended without a finish part.')
    const { finish, warnings, metadata } = end
    return {
      content: content.settle(undefined),
      finishReason: finish.finishReason,
      usage: finish.usage,
      ...(finish.providerMetadata && { providerMetadata: finish.providerMetadata }),
      warnings,
      response: metadata,
    }
  }

  async doStream(params: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    const chunks = this.#chunks(params)[Symbol.asyncIterator]()
    const stream = new ReadableStream<LanguageModelV4StreamPart>({
      async pull(controller) {
        for (;;) {
          const { done, value } = await chunks.next()
          if (done) return controller.close()
          if (value.type === 'step-finish') {
            const { finish, warnings, metadata } = finishOf(value)
            // Core reports these at the end.
            controller.enqueue({ type: 'stream-start', warnings })
            controller.enqueue({ type: 'response-metadata', ...metadata })
            return controller.enqueue(finish)
          }
          const part = toStreamPart(value)
          if (part) return controller.enqueue(part)
        }
      },
      cancel: async () => void (await chunks.return?.(undefined)),
    })
    return { stream }
  }

  async *#chunks(params: LanguageModelV4CallOptions): AsyncGenerator<Chunk> {
    try {
      yield* this.#next(await requestOf(params, this.#request))
    } catch (error) {
      throw new NextFailure(error)
    }
  }
}

/** The request that a middleware made. What it did not change is taken from the original request. */
async function requestOf(params: LanguageModelV4CallOptions, request: ModelRequest): Promise<ModelRequest> {
  const settings = settingsOf(params)
  const { maxRetries } = request.modelSettings
  const tools = Object.entries(settings.tools).map(([name, tool]) => {
    const own = Object.hasOwn(request.tools, name) ? request.tools[name] : undefined
    return [name, own ? { ...own, ...tool, ...(own.execute && { execute: own.execute.bind(own) }) } : tool]
  })
  const isSameOutput =
    request.structuredOutput !== undefined &&
    params.responseFormat?.type === 'json' &&
    JSON.stringify(params.responseFormat.schema) ===
      JSON.stringify(await toJsonSchema(request.structuredOutput.schema))
  return {
    model: request.model,
    prompt: params.prompt,
    tools: Object.fromEntries(tools),
    toolChoice: settings.toolChoice,
    modelSettings: { ...settings.modelSettings, ...(maxRetries !== undefined && { maxRetries }) },
    providerOptions: settings.providerOptions,
    structuredOutput: isSameOutput ? request.structuredOutput : settings.structuredOutput,
  }
}

function finishOf(chunk: Extract<Chunk, { type: 'step-finish' }>) {
  const { finishReason, usage, providerMetadata, response = {}, warnings = [] } = chunk
  const { headers: _, ...metadata } = response
  return {
    finish: {
      type: 'finish' as const,
      finishReason: { unified: finishReason, raw: undefined },
      usage: toProviderUsage(usage),
      ...(providerMetadata && { providerMetadata }),
    },
    warnings,
    metadata,
  }
}
