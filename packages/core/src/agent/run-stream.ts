import { MillraceError } from '../errors.ts'
import type { Chunk } from '../results/chunk.ts'
import type { FinishReason, RunStatus } from '../results/outcome.ts'
import type { RunResult } from '../results/result.ts'
import type { RunHandle } from '../results/run-handle.ts'
import type { UIMessageChunk } from '../results/ui-message-chunk.ts'
import type {
  UIMessageStreamOptions,
  UIMessageStreamResponseOptions,
} from '../results/ui-message-stream-options.ts'
import type { Run } from '../run/run.ts'
import { uiMessageChunks, uiMessageStream, uiMessageStreamResponse } from '../ui/ui-message-stream.ts'
import type { Usage } from '../usage.ts'

/**
 * A run whose chunks can be read as they come. Nothing happens before something is wanted of it: a reader sets its
 * pace, and awaiting a promise without a reader lets it run freely.
 *
 * `fullStream`, `textStream` and the UI stream share one reader. If the run fails, the stream ends after an `error`
 * chunk, and the promises reject; promises that were never read do not count as unhandled.
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

  /** Everything the run emits. A step that is rejected is taken back with `step-discarded`. */
  get fullStream(): AsyncIterable<Chunk> {
    return { [Symbol.asyncIterator]: () => this.#read() }
  }

  /**
   * The text alone. Text cannot be taken back here, so where a processor reviews whole steps (`processOutputStep`), a
   * step's text comes when the step is accepted. It ends with the run, however that ends: `result` says how.
   *
   * @throws MillraceError `RUN_TEXT_RETRACTED` while reading, if text that was already read must be replaced by
   * another attempt at its step
   */
  get textStream(): AsyncIterable<string> {
    return { [Symbol.asyncIterator]: () => this.#readText() }
  }

  /**
   * The run for `useChat` and the AI SDK's other clients. `data-tripwire`, `data-halt` and `data-suspended` say how a run
   * ended otherwise than with the model's answer; text that was rejected is taken back with `reset-step`. Cancelling the
   * stream ends the run.
   */
  toUIMessageStream(options: UIMessageStreamOptions = {}): ReadableStream<UIMessageChunk> {
    return uiMessageStream({ run: this.#run, read: () => this.#read() }, options)
  }

  /** The chunks of {@link toUIMessageStream}, one after the other. Leaving the loop ends the run. */
  toUIMessageChunks(options: UIMessageStreamOptions = {}): AsyncIterable<UIMessageChunk> {
    return uiMessageChunks({ run: this.#run, read: () => this.#read() }, options)
  }

  /** {@link toUIMessageStream} as server-sent events, for a route handler to return. */
  toUIMessageStreamResponse(options: UIMessageStreamResponseOptions = {}): Response {
    return uiMessageStreamResponse({ run: this.#run, read: () => this.#read() }, options)
  }

  /** How the run ended and what it made. */
  get result(): Promise<RESULT> {
    const result = this.run()
    this.#run.outlet.runFree()
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

  /** Starts the run, if nothing has yet. It goes as far as the outlet has room. */
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

  /** Whether a processor sees whole steps, so that text may be rejected after it has been streamed. */
  get #holdsText(): boolean {
    const { settings, pipeline } = this.#run
    return settings.emit === 'live' && pipeline.processOutputStep !== null
  }

  #read(): AsyncIterableIterator<Chunk> {
    const reader = this.#run.outlet.read()
    return {
      next: () => {
        this.run()
        return reader.next()
      },
      return: () => reader.return?.() ?? Promise.resolve({ value: undefined, done: true }),
      [Symbol.asyncIterator]() {
        return this
      },
    }
  }

  async *#readText(): AsyncGenerator<string, void> {
    let held = ''
    let yielded = false
    for await (const chunk of { [Symbol.asyncIterator]: () => this.#read() }) {
      switch (chunk.type) {
        case 'step-start':
        case 'finish':
          // Only now can nothing reject the step before any more.
          if (held !== '') yield held
          held = ''
          yielded = false
          break
        case 'text-delta':
          if (this.#holdsText) held += chunk.textDelta
          else {
            yielded = true
            yield chunk.textDelta
          }
          break
        case 'step-discarded':
          if (yielded && chunk.retry) throw retracted()
          held = ''
          break
        case 'suspended':
        case 'abort':
          if (held !== '') yield held
          break
      }
    }
  }
}

/**
 * A resumed run: a stream that can also be awaited, for its result. As with any stream, it begins when it is read or
 * awaited.
 */
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

function retracted(): MillraceError {
  return new MillraceError(
    'RUN_TEXT_RETRACTED',
    "A processor rejected text that textStream had already given out. Read fullStream, which says 'step-discarded', or set emit: 'step'.",
  )
}
