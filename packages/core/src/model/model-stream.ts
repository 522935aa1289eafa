import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { ModelRequest } from '../processors/processor.ts'
import type { ChunkType } from '../run/chunk.ts'
import type { Run } from '../run/run.ts'
import type { Step } from '../run/step.ts'
import { callOptions } from './call-options.ts'
import { ChunkReader } from './chunk-reader.ts'
import { resolveModel } from './language-model.ts'
import { ProviderStream } from './provider-stream.ts'

/** The chunks of one model call, the last one a `step-finish`. Ended, by whatever, it ends the provider's stream. */
export class ModelStream implements AsyncIterator<ChunkType, undefined> {
  readonly #run: Run
  readonly #stream: ProviderStream
  readonly #reader: ChunkReader
  readonly #cancel: () => void
  #done = false

  private constructor(run: Run, stream: ProviderStream, reader: ChunkReader) {
    this.#run = run
    this.#stream = stream
    this.#reader = reader
    this.#cancel = () => stream.cancel(run.signal.reason)
    run.signal.addEventListener('abort', this.#cancel, { once: true })
  }

  /** @throws MillraceError `MODEL_CALL_FAILED` after all retries; `MODEL_UNRESOLVED` */
  static async open(run: Run, step: Step, request: ModelRequest): Promise<ModelStream> {
    const model = await resolveModel(request.model)
    const { modelSettings, tools } = request
    step.readRequest({ ...request, model })
    const options = await callOptions(request, run.signal)
    const stream = await ProviderStream.open({
      model,
      options,
      maxRetries: modelSettings.maxRetries ?? 2,
      signal: run.signal,
    })
    return new ModelStream(
      run,
      stream,
      new ChunkReader(step, tools, { usedIds: run.callIds, headers: stream.headers }),
    )
  }

  /**
   * Not an `async` function: that would cost a promise more for every chunk.
   *
   * @throws MillraceError `MODEL_STREAM_FAILED` when the connection breaks or the provider reports an error
   */
  next(): Promise<IteratorResult<ChunkType, undefined>> {
    if (this.#done) return Promise.resolve({ value: undefined, done: true })
    return this.#stream.next().then(this.#onPart, this.#onError)
  }

  readonly #onPart = ({
    value: part,
  }: {
    value?: LanguageModelV4StreamPart | undefined
  }): IteratorResult<ChunkType, undefined> | Promise<IteratorResult<ChunkType, undefined>> => {
    if (part === undefined) {
      this.#close()
      return { value: this.#reader.finish(), done: false }
    }
    if (part.type === 'error') throw this.#stream.failure(part.error)
    const chunk = this.#reader.read(part)
    return chunk === undefined ? this.next() : { value: chunk, done: false }
  }

  readonly #onError = (cause: unknown): never => {
    throw this.#stream.failure(cause)
  }

  async return(): Promise<IteratorResult<ChunkType, undefined>> {
    if (!this.#done) this.#stream.cancel('The response is not read to its end.')
    this.#close()
    return { value: undefined, done: true }
  }

  #close(): void {
    this.#done = true
    this.#run.signal.removeEventListener('abort', this.#cancel)
  }
}
