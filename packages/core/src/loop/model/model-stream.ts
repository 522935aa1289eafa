import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { MillraceError } from '../../errors.ts'
import { isToolPart, type MessagePart } from '../../messages/message.ts'
import { callOptions } from '../../model/call-options.ts'
import { mendRequest } from '../../model/history/mend-request.ts'
import { resolveModel } from '../../model/language-model.ts'
import type { ModelRequest } from '../../model/model-request.ts'
import { ProviderStream } from '../../model/provider-stream.ts'
import type { Chunk } from '../../results/chunk.ts'
import type { Run } from '../../run/run.ts'
import type { ChatSpan } from '../../run/run-observer.ts'
import type { RunSettings } from '../../run/run-settings.ts'
import type { Step } from '../../run/step.ts'
import { isThenable } from '../../schema.ts'
import { ChunkReader } from './chunk-reader.ts'
import type { ChunkSource } from './chunk-source.ts'

/**
 * The chunks of one model call; the last one is `step-finish`. If it ends for any reason, it cancels the provider's
 * stream.
 */
export class ModelStream implements ChunkSource {
  readonly #stream: ProviderStream
  readonly #reader: ChunkReader
  readonly #span: ChatSpan | undefined
  readonly #onPart: ((part: LanguageModelV4StreamPart) => void) | undefined
  #done = false

  private constructor(
    stream: ProviderStream,
    reader: ChunkReader,
    { span, onPart }: { span: ChatSpan | undefined; onPart: RunSettings['onPart'] | undefined },
  ) {
    this.#stream = stream
    this.#reader = reader
    this.#span = span
    this.#onPart = onPart
  }

  /** @throws MillraceError `MODEL_CALL_FAILED` after all retries; `MODEL_UNRESOLVED` */
  static async open(run: Run, step: Step, given: ModelRequest): Promise<ModelStream> {
    const resolved = resolveModel(given.model)
    const model = isThenable(resolved) ? await resolved : resolved
    const mending = mendRequest({ ...given, model }, run.settings.providerHistory)
    const { request, mended } = isThenable(mending) ? await mending : mending
    const { modelSettings, tools } = request
    step.readRequest(request, mended)
    run.lastPrompt = request.prompt
    const options = await callOptions(request, run.signal)
    run.throwIfOver()
    const call = () =>
      ProviderStream.open({
        model,
        options,
        maxRetries: modelSettings.maxRetries ?? 2,
        signal: run.signal,
      })
    run.events?.startChat(step, request)
    const span = run.trace?.startChat(step, request, options.tools)
    const stream = await (span ? span.within(call) : call())
    const { callIds: usedIds, messageList } = run
    const isOwnCall = (id: string): boolean =>
      messageList.get().some(({ content }) => content.parts.some((part) => isOwnPart(part, id)))
    const reader = new ChunkReader(step, tools, { usedIds, isOwnCall, headers: stream.headers })
    return new ModelStream(stream, reader, { span, onPart: run.settings.onPart })
  }

  get done(): boolean {
    return this.#done
  }

  read(): Promise<StreamRead> {
    return this.#stream.next()
  }

  take({ value: part }: StreamRead): Chunk | undefined {
    if (part === undefined) {
      const finish = this.#reader.finish()
      this.#span?.finish(finish)
      this.#close()
      return finish
    }
    if (part?.type === 'error') throw this.failure(part.error)
    if (this.#onPart !== undefined && part?.type !== 'text-delta') this.#onPart(part)
    try {
      return this.#reader.read(part)
    } catch (cause) {
      // The part lacks a field that its type requires.
      throw this.failure(cause)
    }
  }

  failure(cause: unknown): MillraceError {
    const failure = this.#stream.failure(cause)
    this.#span?.fail(failure)
    return failure
  }

  end(): void {
    if (!this.#done) this.#stream.cancel('The response is not read to its end.')
    this.#close()
  }

  #close(): void {
    this.#done = true
    this.#span?.end()
    this.#stream.end()
  }
}

function isOwnPart(part: MessagePart, toolCallId: string): boolean {
  return isToolPart(part) && part.toolCallId === toolCallId && part.providerExecuted !== true
}

type StreamRead = { value?: LanguageModelV4StreamPart | undefined }
