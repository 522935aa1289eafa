import { requireOptions } from '../option-names.ts'
import type { Chunk } from '../results/chunk.ts'
import type { FinishReason, RunStatus } from '../results/outcome.ts'
import type { RunResult } from '../results/result.ts'
import type { RunHandle } from '../results/run-handle.ts'
import type { UIMessageChunk } from '../results/ui-message-chunk.ts'
import {
  UI_RESPONSE_OPTIONS,
  UI_STREAM_OPTIONS,
  type UIMessageStreamOptions,
  type UIMessageStreamResponseOptions,
} from '../results/ui-message-stream-options.ts'
import type { Run } from '../run/run.ts'
import { uiMessageChunks, uiMessageStream, uiMessageStreamResponse } from '../ui/ui-message-stream.ts'
import type { Usage } from '../usage.ts'

/**
 * A run as a stream of chunks. It starts on demand: a reader applies backpressure; accessing a promise without a
 * reader lets the run continue without waiting.
 *
 * `fullStream`, `textStream` and the UI stream share one reader. If the run fails, the stream ends with an `error`
 * chunk and the promises reject; promises that were never accessed do not cause unhandled rejections.
 */
export class RunStream<RESULT extends RunResult = RunResult> {
  readonly #run: Run
  readonly #start: () => Promise<RESULT>
  #result: Promise<RESULT> | undefined

  /** @param options.start Starts the run. Called once. */
  constructor({ run, start }: { run: Run; start: () => Promise<RESULT> }) {
    this.#run = run
    this.#start = start
  }

  /**
   * All chunks that the run emits. A rejected step is followed by `step-discarded`, and a change of what was emitted by
   * `response-replaced`.
   */
  get fullStream(): AsyncIterable<Chunk> {
    return { [Symbol.asyncIterator]: () => this.#read() }
  }

  /**
   * Only the text. Since text cannot be retracted here, the text of a step is emitted when the step is accepted if a
   * processor reviews whole steps (`processOutputStep`), as the processors left it. The stream ends with the run,
   * whatever its status: see `result`.
   *
   * @throws MillraceError `RUN_TEXT_RETRACTED` while reading, if processors have rejected or changed text that was
   *   already read
   */
  get textStream(): AsyncIterable<string> {
    return { [Symbol.asyncIterator]: () => this.#readText() }
  }

  /**
   * The run for `useChat` and the AI SDK's other clients. `data-tripwire`, `data-halt` and `data-suspended` report an
   * end without the model's answer; rejected text is discarded with `reset-step`. Cancelling the stream aborts the
   * run.
   */
  toUIMessageStream(options: UIMessageStreamOptions = {}): ReadableStream<UIMessageChunk> {
    return uiMessageStream(
      { run: this.#run, read: () => this.#read() },
      requireOptions('toUIMessageStream()', options, UI_STREAM_OPTIONS),
    )
  }

  /** The chunks of {@link toUIMessageStream} as an async iterable. Leaving the loop aborts the run. */
  toUIMessageChunks(options: UIMessageStreamOptions = {}): AsyncIterable<UIMessageChunk> {
    return uiMessageChunks(
      { run: this.#run, read: () => this.#read() },
      requireOptions('toUIMessageChunks()', options, UI_STREAM_OPTIONS),
    )
  }

  /** {@link toUIMessageStream} as a response with server-sent events, for a route handler. */
  toUIMessageStreamResponse(options: UIMessageStreamResponseOptions = {}): Response {
    return uiMessageStreamResponse(
      { run: this.#run, read: () => this.#read() },
      requireOptions('toUIMessageStreamResponse()', options, UI_RESPONSE_OPTIONS),
    )
  }

  /** The result of the run. */
  get result(): Promise<RESULT> {
    const result = this.run()
    this.#run.outlet.runAhead()
    return result
  }

  get runId(): Promise<string> {
    return this.#field('runId')
  }

  get status(): Promise<RunStatus> {
    return this.#field('status')
  }

  get text(): Promise<string> {
    return this.#field('text')
  }

  get reasoningText(): Promise<string> {
    return this.#field('reasoningText')
  }

  get object(): Promise<RESULT['object']> {
    return this.#field('object')
  }

  get messages(): Promise<RESULT['messages']> {
    return this.#field('messages')
  }

  get steps(): Promise<RESULT['steps']> {
    return this.#field('steps')
  }

  get usage(): Promise<Usage> {
    return this.#field('usage')
  }

  get finishReason(): Promise<FinishReason> {
    return this.#field('finishReason')
  }

  get tripwire(): Promise<boolean> {
    return this.#field('tripwire')
  }

  get rejection(): Promise<RESULT['rejection']> {
    return this.#field('rejection')
  }

  get halt(): Promise<RESULT['halt']> {
    return this.#field('halt')
  }

  get suspension(): Promise<RESULT['suspension']> {
    return this.#field('suspension')
  }

  get abortReason(): Promise<RESULT['abortReason']> {
    return this.#field('abortReason')
  }

  get processors(): Promise<RESULT['processors']> {
    return this.#field('processors')
  }

  get warnings(): Promise<RESULT['warnings']> {
    return this.#field('warnings')
  }

  /** Starts the run if it has not started. Without a reader, it runs until the outlet's buffer is full. */
  run(): Promise<RESULT> {
    if (!this.#result) {
      this.#result = this.#start()
      this.#result.catch(() => {})
    }
    return this.#result
  }

  #field<FIELD extends keyof RESULT>(field: FIELD): Promise<RESULT[FIELD]> {
    const value = this.result.then((result) => result[field])
    value.catch(() => {})
    return value
  }

  /** Whether it emits text that processors may still change when its step is complete. */
  get waitsForReview(): boolean {
    const { settings, pipeline, waitsForReview } = this.#run
    return waitsForReview || (settings.emit === 'live' && pipeline.processOutputStep !== null)
  }

  #read(): AsyncIterableIterator<Chunk> {
    return this.#run.outlet.read(() => this.run())
  }

  /** Loaded on demand: most chats read another stream. No generator around it, which would cost time for each chunk. */
  #readText(): AsyncIterator<string, void> {
    let text: AsyncGenerator<string, void> | undefined
    const open = async () => {
      const { textOfRun } = await import('./text-of-run.ts')
      text ??= textOfRun(this.#run, { read: () => this.#read(), waits: () => this.waitsForReview })
      return text.next()
    }
    return {
      next: () => text?.next() ?? open(),
      return: async () => text?.return() ?? { value: undefined, done: true },
    }
  }
}

/** A resumed run: a stream that can also be awaited for its result. It starts when it is read or awaited. */
export class ResumedRun<RESULT extends RunResult = RunResult>
  extends RunStream<RESULT>
  implements RunHandle<RESULT>
{
  readonly [Symbol.toStringTag] = 'ResumedRun'

  // biome-ignore lint/suspicious/noThenProperty: awaiting it is the point
  then<VALUE = RESULT, OTHER = never>(
    onResult?: ((result: RESULT) => VALUE | PromiseLike<VALUE>) | null,
    onError?: ((error: unknown) => OTHER | PromiseLike<OTHER>) | null,
  ): Promise<VALUE | OTHER> {
    return this.result.then(onResult, onError)
  }

  catch<OTHER = never>(
    // biome-ignore lint/suspicious/noExplicitAny: as a promise has it
    onError?: ((error: any) => OTHER | PromiseLike<OTHER>) | null,
  ): Promise<RESULT | OTHER> {
    return this.result.catch(onError)
  }

  finally(onEnd?: (() => void) | null): Promise<RESULT> {
    return this.result.finally(onEnd)
  }
}
