import { MillraceError } from '../errors.ts'
import { type Message, textOfParts } from '../messages/message.ts'
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
import { shownMessages } from '../run/shown-messages.ts'
import type { Step } from '../run/step.ts'
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
    return uiMessageStream({ run: this.#run, read: () => this.#read() }, options)
  }

  /** The chunks of {@link toUIMessageStream} as an async iterable. Leaving the loop aborts the run. */
  toUIMessageChunks(options: UIMessageStreamOptions = {}): AsyncIterable<UIMessageChunk> {
    return uiMessageChunks({ run: this.#run, read: () => this.#read() }, options)
  }

  /** {@link toUIMessageStream} as a response with server-sent events, for a route handler. */
  toUIMessageStreamResponse(options: UIMessageStreamResponseOptions = {}): Response {
    return uiMessageStreamResponse({ run: this.#run, read: () => this.#read() }, options)
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

  async *#readText(): AsyncGenerator<string, void> {
    const run = this.#run
    /** The text of the answer that was yielded, and what follows it in the current step. */
    let said = ''
    let held = ''
    /** The length of `said` before the current step. */
    let stepAt = 0
    run.onStart = (step) => {
      if (!step) return
      said = textOfMessages(shownMessages(run.messageList.get('response'), step.state))
      if (!this.#mayChange(step)) return
      const text = relayedText(run) ?? step.state.text
      said = said.slice(0, said.length - text.length)
      held = text.slice(0, text.length - heldText(step).length)
    }
    for await (const chunk of { [Symbol.asyncIterator]: () => this.#read() }) {
      switch (chunk.type) {
        case 'step-start':
        case 'finish':
          // From here on the last step cannot be rejected any more.
          if (held !== '') yield held
          said += held
          held = ''
          stepAt = said.length
          break
        case 'text-delta':
          if (this.waitsForReview) held += chunk.textDelta
          else {
            said += chunk.textDelta
            yield chunk.textDelta
          }
          break
        case 'step-discarded':
          if (said.length > stepAt) throw retracted()
          held = ''
          break
        case 'response-replaced': {
          const text = textOfMessages(chunk.messages)
          if (!text.startsWith(said)) throw retracted()
          held = text.slice(said.length)
          break
        }
        case 'suspended':
        case 'abort':
          if (held !== '' && !this.#mayChange(run.current?.step)) yield held
          break
      }
    }
  }

  /** Whether the run has stopped before processors could review the text that was emitted last. */
  #mayChange(step: Step | undefined): boolean {
    const { handoff } = this.#run.state
    if (handoff?.waiting) return handoff.waitsForReview
    return this.waitsForReview && step?.state.emitted === true && !step.state.reviewed
  }
}

/** The text of the last step that was relayed from an agent that waits; `undefined` if there is none. */
function relayedText({ state: { handoff }, steps }: Run): string | undefined {
  if (!handoff?.waiting) return undefined
  const { relayed } = handoff
  const last = relayed.filter(({ agentStep }) => agentStep === relayed.at(-1)?.agentStep)
  const own = steps.filter(({ number }) => last.some((each) => each.step === number))
  return own.map(({ state }) => state.text).join('')
}

/** The text of the step that is still to be emitted. */
function heldText({ state: { held } }: Step): string {
  return held?.map((chunk) => (chunk.type === 'text-delta' ? chunk.textDelta : '')).join('') ?? ''
}

/** The text of the answers among the messages. */
function textOfMessages(messages: readonly Message[]): string {
  const answers = messages.filter(({ role }) => role === 'assistant')
  return answers.map(({ content }) => textOfParts(content.parts)).join('')
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

function retracted(): MillraceError {
  return new MillraceError(
    'RUN_TEXT_RETRACTED',
    "A processor rejected or changed text that textStream had already yielded. Read fullStream, which has 'step-discarded' and 'response-replaced' chunks, or set emit: 'step'.",
  )
}
