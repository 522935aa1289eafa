import type { LanguageModelV4 } from '@millrace/core'

/** Why a model failed. */
export type FailureReason = 'error' | 'timeout' | 'refusal'

export interface ResponseChecks {
  readonly firstChunkTimeout: number | undefined
  readonly chunkTimeout: number | undefined
  /** What counts as a refusal; `undefined` if refusals are accepted. */
  readonly refusal:
    | { readonly isRefusal: ((text: string) => boolean) | undefined; readonly window: number }
    | undefined
}

type CallOptions = Parameters<LanguageModelV4['doStream']>[0]
type StreamResult = Awaited<ReturnType<LanguageModelV4['doStream']>>
type StreamPart = StreamResult['stream'] extends ReadableStream<infer PART> ? PART : never

/** A model whose response fails, as with a broken connection, at a timeout or a refusal. */
export function checkedModel(model: LanguageModelV4, checks: ResponseChecks): LanguageModelV4 {
  const { firstChunkTimeout, chunkTimeout, refusal } = checks
  if (firstChunkTimeout === undefined && chunkTimeout === undefined && refusal === undefined) return model
  return new CheckedModel(model, checks)
}

class CheckedModel implements LanguageModelV4 {
  readonly specificationVersion = 'v4'
  readonly provider: string
  readonly modelId: string
  readonly #model: LanguageModelV4
  readonly #checks: ResponseChecks

  constructor(model: LanguageModelV4, checks: ResponseChecks) {
    this.provider = model.provider
    this.modelId = model.modelId
    this.#model = model
    this.#checks = checks
  }

  get supportedUrls(): LanguageModelV4['supportedUrls'] {
    return this.#model.supportedUrls
  }

  doGenerate(options: CallOptions): ReturnType<LanguageModelV4['doGenerate']> {
    return this.#model.doGenerate(options)
  }

  doStream(options: CallOptions): Promise<StreamResult> {
    return checkedStream(this.#model, options, this.#checks)
  }
}

export function reasonOf(error: unknown): FailureReason {
  return error instanceof Unanswered ? error.reason : 'error'
}

/** The error of a model whose response failed a check. */
class Unanswered extends Error {
  readonly reason: FailureReason

  constructor(reason: FailureReason, message: string) {
    super(message)
    this.name = 'Unanswered'
    this.reason = reason
  }
}

async function checkedStream(
  model: LanguageModelV4,
  options: CallOptions,
  { firstChunkTimeout, chunkTimeout, refusal }: ResponseChecks,
): Promise<StreamResult> {
  const { modelId } = model
  const controller = new AbortController()
  const { abortSignal = controller.signal } = options
  const signal = AbortSignal.any([abortSignal, controller.signal])
  const first = new Timeout(firstChunkTimeout, () => {
    return stop(`The model '${modelId}' sent nothing for ${firstChunkTimeout} ms.`)
  })
  const between = new Timeout(chunkTimeout, () => {
    return stop(`The model '${modelId}' sent nothing more for ${chunkTimeout} ms.`)
  })
  first.start()
  const answer = model.doStream({ ...options, abortSignal: signal })
  const result = await first.race(answer).catch((error) => {
    first.end()
    // A model that ignores its signal may still answer.
    answer.then(({ stream }) => stream.cancel(error)).then(undefined, () => {})
    throw error
  })
  const reader = result.stream.getReader()
  const held = refusal && new RefusalFilter(refusal)
  let hasBegun = false

  const stream = new ReadableStream<StreamPart>(
    {
      async pull(sink) {
        try {
          for (;;) {
            if (hasBegun) between.start()
            const { value: part, done } = await (hasBegun ? between : first).race(reader.read())
            between.end()
            if (done) {
              first.end()
              for (const heldPart of held?.flush() ?? []) sink.enqueue(heldPart)
              return sink.close()
            }
            if (!hasBegun && isContent(part)) {
              hasBegun = true
              first.end()
            }
            const parts = held ? held.pass(part) : [part]
            for (const passed of parts) sink.enqueue(passed)
            if (parts.length > 0) return
          }
        } catch (error) {
          first.end()
          between.end()
          // Aborts and cancels the provider's stream; errors of the cancellation are ignored.
          controller.abort(error)
          reader.cancel(error).catch(() => {})
          throw error
        }
      },
      cancel(reason) {
        first.end()
        between.end()
        return reader.cancel(reason)
      },
    },
    // Nothing is read before it is requested.
    { highWaterMark: 0 },
  )
  return { ...result, stream }

  function stop(message: string): Unanswered {
    const error = new Unanswered('timeout', message)
    controller.abort(error)
    return error
  }
}

/** Metadata parts before a response are not content. */
function isContent({ type }: StreamPart): boolean {
  return type !== 'stream-start' && type !== 'response-metadata' && type !== 'raw'
}

/** A timeout for one wait. */
class Timeout {
  readonly #milliseconds: number | undefined
  readonly #onTimeout: () => Error
  #timer: ReturnType<typeof setTimeout> | undefined
  #expired: Promise<never> | undefined

  constructor(milliseconds: number | undefined, onTimeout: () => Error) {
    this.#milliseconds = milliseconds
    this.#onTimeout = onTimeout
  }

  start(): void {
    const milliseconds = this.#milliseconds
    if (milliseconds === undefined) return
    this.#expired = new Promise((_, reject) => {
      this.#timer = setTimeout(() => reject(this.#onTimeout()), milliseconds)
    })
    this.#expired.catch(() => {})
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#expired = undefined
  }

  /** The result of the work, or the error at the timeout. */
  race<T>(work: PromiseLike<T>): Promise<T> {
    return this.#expired ? Promise.race([work, this.#expired]) : Promise.resolve(work)
  }
}

/** Holds the start of a response until it is known whether it is a refusal. */
class RefusalFilter {
  readonly #refusal: NonNullable<ResponseChecks['refusal']>
  readonly #held: StreamPart[] = []
  #text = ''
  #isDecided: boolean

  constructor(refusal: NonNullable<ResponseChecks['refusal']>) {
    this.#refusal = refusal
    this.#isDecided = refusal.isRefusal === undefined
  }

  /** Returns the parts that can be emitted. @throws Unanswered */
  pass(part: StreamPart): StreamPart[] {
    if (part.type === 'finish' && part.finishReason.unified === 'content-filter') {
      throw new Unanswered('refusal', "The provider's filter stopped the response.")
    }
    if (this.#isDecided) return [part]
    this.#held.push(part)
    if (part.type === 'text-delta') this.#text += part.delta
    const isWhole = part.type === 'finish' || part.type.startsWith('tool-') || part.type === 'error'
    if (this.#text.length < this.#refusal.window && !isWhole) return []
    return this.flush()
  }

  /** Returns all held parts, if they are not a refusal. @throws Unanswered */
  flush(): StreamPart[] {
    const { isRefusal, window } = this.#refusal
    this.#isDecided = true
    if (this.#text !== '' && isRefusal?.(this.#text.slice(0, window))) {
      throw new Unanswered('refusal', 'The response begins as a refusal.')
    }
    return this.#held.splice(0)
  }
}
