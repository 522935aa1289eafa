import { MillraceError } from '../errors.ts'
import type { ToolSet } from '../tools/tool.ts'
import type { Usage } from '../usage.ts'
import type { ChunkType } from './chunk.ts'
import type { Outlet } from './outlet.ts'
import type { FinishReason, RunResult, RunStatus, StepResult } from './result.ts'

/**
 * A run whose chunks can be read as they come. Nothing happens before something is wanted of it: a reader sets its
 * pace, and awaiting a promise without a reader lets it run freely.
 *
 * `fullStream`, `textStream` and the UI stream share one reader. If the run fails, the stream ends after an `error`
 * chunk, and the promises reject; promises nobody asked for do not count as unhandled.
 */
export class RunStream<TOOLS extends ToolSet = ToolSet, OBJECT = undefined> {
  readonly #outlet: Outlet
  readonly #start: () => Promise<RunResult<TOOLS, OBJECT>>
  readonly #holdsText: () => boolean
  #result: Promise<RunResult<TOOLS, OBJECT>> | undefined

  /**
   * @param options.start Starts the run. Called once.
   * @param options.holdsText Whether a processor sees whole steps, so that text may be rejected after it has been
   * streamed. Asked once the run has begun.
   */
  constructor(options: {
    outlet: Outlet
    start: () => Promise<RunResult<TOOLS, OBJECT>>
    holdsText: () => boolean
  }) {
    this.#outlet = options.outlet
    this.#start = options.start
    this.#holdsText = options.holdsText
  }

  /** Everything the run emits. A step that is rejected is taken back with `step-discarded`. */
  get fullStream(): AsyncIterable<ChunkType> {
    return { [Symbol.asyncIterator]: () => this.#read() }
  }

  /**
   * The text alone. Text cannot be taken back here, so where a processor reviews whole steps (`processOutputStep`), a
   * step's text comes when the step is accepted. It ends with the run, however that ends: `result` says how.
   *
   * @throws MillraceError `RUN_TEXT_RETRACTED` while reading, if text that was already read is to be replaced by
   * another attempt at its step
   */
  get textStream(): AsyncIterable<string> {
    return { [Symbol.asyncIterator]: () => this.#readText() }
  }

  /** How the run ended and what it made. */
  get result(): Promise<RunResult<TOOLS, OBJECT>> {
    const result = this.run()
    this.#outlet.runFree()
    return result
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

  get object(): Promise<OBJECT | undefined> {
    return this.#field('object') as Promise<OBJECT | undefined>
  }

  get messages(): Promise<RunResult<TOOLS, OBJECT>['messages']> {
    return this.#field('messages')
  }

  get steps(): Promise<StepResult<TOOLS>[]> {
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

  get rejection(): Promise<RunResult<TOOLS, OBJECT>['rejection']> {
    return this.#field('rejection')
  }

  get warnings(): Promise<RunResult<TOOLS, OBJECT>['warnings']> {
    return this.#field('warnings')
  }

  /** Starts the run, if nothing has yet. It goes as far as the outlet has room. */
  run(): Promise<RunResult<TOOLS, OBJECT>> {
    if (!this.#result) {
      this.#result = this.#start()
      this.#result.catch(() => {})
    }
    return this.#result
  }

  #field<FIELD extends keyof RunResult<TOOLS, OBJECT>>(
    field: FIELD,
  ): Promise<RunResult<TOOLS, OBJECT>[FIELD]> {
    const value = this.result.then((result) => result[field])
    value.catch(() => {})
    return value
  }

  #read(): AsyncIterableIterator<ChunkType> {
    const reader = this.#outlet.read()
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
          yielded = false
          break
        case 'text-delta':
          if (this.#holdsText()) held += chunk.textDelta
          else {
            yielded = true
            yield chunk.textDelta
          }
          break
        case 'step-discarded':
          if (yielded && chunk.retry) throw retracted()
          held = ''
          break
        case 'step-finish':
          if (held !== '') yield held
          held = ''
          break
        case 'abort':
          if (held !== '') yield held
          break
      }
    }
  }
}

function retracted(): MillraceError {
  return new MillraceError(
    'RUN_TEXT_RETRACTED',
    "A processor rejected text that textStream had already given out. Read fullStream, which says 'step-discarded', or set emit: 'step'.",
  )
}
