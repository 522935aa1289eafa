import type {
  Chunk,
  Message,
  ProcessExecutionArgs,
  ProcessExecutionResult,
  ProcessInputArgs,
  ProcessInputStepArgs,
  ProcessInputStepResult,
  ProcessInputStepReturn,
  ProcessOutputResultArgs,
  ProcessOutputStepArgs,
  ProcessToolCallArgs,
  ProcessToolCallResult,
  ProcessToolResultArgs,
  ProcessToolResultResult,
  ToolSet,
} from '@millrace/core'
import { inspectValues } from './bytes/inspect-values.ts'
import type { Passed } from './chunk-queue.ts'
import { InboundMessages } from './inbound-messages.ts'
import type { ValuePlace } from './message-text.ts'
import { RequestInspection } from './request-inspection.ts'
import { ResponseMessages, removeParts } from './response-messages.ts'
import { SeenContent } from './seen-content.ts'
import { type ChunkControl, StepStream } from './step-stream.ts'
import type { SurfaceRunSettings } from './surface-run-settings.ts'
import { isPromise, perform, type Task } from './task.ts'
import type { Control, HookContext, Place } from './treatment.ts'

type MaybePromise<T> = T | Promise<T>

/**
 * A guard in one run. Every hook passes its text here. It gives texts that belong together to the inspector as one
 * text, and remembers what was inspected and how it was changed.
 */
export class SurfaceRun {
  readonly #settings: SurfaceRunSettings
  readonly #messages: InboundMessages
  readonly #seen = new SeenContent()
  /** Whether the answer is structured; `undefined` for a guard that checks the output only. */
  #structured: boolean | undefined
  #stream: StepStream | undefined

  constructor(settings: SurfaceRunSettings) {
    this.#settings = settings
    this.#messages = new InboundMessages(settings)
  }

  input(args: ProcessInputArgs): MaybePromise<void> {
    return perform(this.#messages.input(args))
  }

  inputStep(args: ProcessInputStepArgs): MaybePromise<ProcessInputStepReturn> {
    this.#structured = args.structuredOutput !== undefined
    return perform(this.#inputStep(args))
  }

  *#inputStep(args: ProcessInputStepArgs): Task<ProcessInputStepReturn> {
    const tools = yield* this.#tools(args)
    const messages = yield* this.#messages.inputStep(args)
    const changed = yield* this.#request(args, messages ?? args.messages)
    const settings = { ...changed, ...(tools && { tools }) }
    return Object.keys(settings).length > 0 ? { ...settings, ...(messages && { messages }) } : messages
  }

  *#request(args: ProcessInputStepArgs, messages: Message[]): Task<ProcessInputStepResult | undefined> {
    const { request: surface, inspector, treatment } = this.#settings
    if (surface === undefined || args.settingsFrom !== 'request') return undefined
    return yield* new RequestInspection({ inspector, treatment, surface }).inspect(args, messages)
  }

  *#tools(args: ProcessInputStepArgs): Task<ToolSet | undefined> {
    return this.#settings.tools && (yield* this.#settings.tools.inspect(args))
  }

  chunk(part: Chunk, control: ChunkControl): MaybePromise<Passed | null> {
    if (part.type !== 'step-start') return this.#step.chunk(part, control)
    this.#stream?.abandon()
    this.#stream = undefined
    // The prompt is complete. From now on messages may be stored, also those of a suspended run.
    const redacted = perform(this.#messages.redactUnseen(control.messageList, control))
    return isPromise(redacted) ? redacted.then(() => part) : part
  }

  /** Removes the parts that have findings and whose beginning was already streamed. */
  outputStep({ messages }: Pick<ProcessOutputStepArgs, 'messages'>): void {
    const parts = messages.at(-1)?.content.parts
    if (parts) removeParts(parts, this.#step.ended)
  }

  /** Inspects a tool call again if another processor changed it after the stream. */
  toolCall(args: ProcessToolCallArgs): MaybePromise<ProcessToolCallResult> {
    return perform(this.#toolCall(args))
  }

  *#toolCall({ toolCall, ...args }: ProcessToolCallArgs): Task<ProcessToolCallResult> {
    const { toolCallId, input } = toolCall
    const at: ValuePlace = { kind: 'tool-input', part: 'tool-call', field: 'input', toolCallId }
    const treated = yield* this.#value(input, at, args)
    return treated === input ? undefined : { input: treated }
  }

  /** Inspects the output of a tool before it is stored, and what the tool shows the model. */
  execution(args: ProcessExecutionArgs): MaybePromise<ProcessExecutionResult> {
    return perform(this.#execution(args))
  }

  *#execution({ direction, value, toolCall, ...args }: ProcessExecutionArgs): Task<ProcessExecutionResult> {
    const { toolCallId } = toolCall
    const field = direction === 'out' ? 'output' : direction
    const at: ValuePlace = { kind: 'tool-result', part: 'tool-result', field, toolCallId }
    const treated = yield* this.#value(value, at, { ...args, isPast: !this.#seen.isOwnCall(toolCallId) })
    return treated === value ? undefined : { value: treated }
  }

  /** Inspects a result before any later processor gets it. */
  toolResult(args: ProcessToolResultArgs): MaybePromise<ProcessToolResultResult> {
    return perform(this.#toolResult(args))
  }

  *#toolResult({
    toolCall: { toolCallId },
    status,
    output,
    error,
    ...args
  }: ProcessToolResultArgs): Task<ProcessToolResultResult> {
    const value = status === 'success' ? output : error
    const at: ValuePlace = { kind: 'tool-result', part: 'tool-result', field: 'output', toolCallId }
    const treated = yield* this.#value(value, at, args)
    if (treated === value) return undefined
    return status === 'success' ? { output: treated } : { error: treated as string }
  }

  /** Inspects what was not in the stream, such as text that another processor added to the messages of this run. */
  outputResult(args: ProcessOutputResultArgs): MaybePromise<void> {
    return perform(this.#outputResult(args))
  }

  *#outputResult(args: ProcessOutputResultArgs): Task<void> {
    const responses = new ResponseMessages({
      settings: this.#settings,
      seen: this.#seen,
      structured: this.#structured,
    })
    yield* responses.inspect(args)
    yield* this.#messages.redactUnseen(args.messageList, args)
  }

  get #step(): StepStream {
    this.#stream ??= new StepStream({
      settings: this.#settings,
      seen: this.#seen,
      structured: this.#structured,
    })
    return this.#stream
  }

  /** Inspects a value of a tool call. Returns it after treatment. */
  *#value(
    value: unknown,
    at: ValuePlace,
    { isPast = false, abort, halt, ...context }: HookContext & Control & { isPast?: boolean },
  ): Task<unknown> {
    const { inspector, treatment, surfaces } = this.#settings
    const surface = surfaces.outbound(at, this.#structured)
    if (surface === undefined || (yield* this.#seen.hasCallValue(value, at))) return value
    const { abortSignal, reportUsage, requestContext } = context
    const place: Place = {
      surface,
      context: { abortSignal, reportUsage, requestContext },
      toolCallId: at.toolCallId,
      found: false,
      ...(isPast ? { isPast } : { control: { abort, halt } }),
    }
    const [treated] = yield* inspectValues(inspector, [{ ...at, value }], { place, treatment })
    if (!isPast) yield* this.#seen.record(treated, at)
    return treated
  }
}
