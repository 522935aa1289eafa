import type { LanguageModelV4, LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { Context } from '@opentelemetry/api'
import type { HookName } from '../hook-name.ts'
import { isToolPart } from '../messages/message.ts'
import type { LanguageModel } from '../model/language-model.ts'
import type { StructuredOutputOptions } from '../model/model-request.ts'
import type { ChangeLog, DecisionLog } from '../processors/change-log.ts'
import { Gate, type WorkSource } from '../processors/gate.ts'
import type { HookRecord } from '../processors/hook-record.ts'
import { EMPTY_PIPELINE, type Pipeline, type ProcessorWith } from '../processors/pipeline.ts'
import type { Processor } from '../processors/processor.ts'
import { registeredTelemetry, spanIn } from '../registered-telemetry.ts'
import type { RequestContext } from '../request-context.ts'
import type { Listeners } from '../results/agent-events.ts'
import type { Chunk } from '../results/chunk.ts'
import type { RunWarning } from '../results/result.ts'
import type { CounterStore } from '../storage/counter-store.ts'
import type { SuspendedRun } from '../storage/run-store.ts'
import type { WaitingCall } from '../tools/waiting-calls.ts'
import type { TracingContext } from '../tracing-context.ts'
import { MessageList } from '../transcript/message-list.ts'
import { addUsage, type Usage } from '../usage.ts'
import type { LiveHandoff } from './handoff.ts'
import { Outlet } from './outlet.ts'
import { isBefore, type Phase, type ResumePoint } from './resume-point.ts'
import type { RunJournal } from './run-journal.ts'
import type { ChunkLog, ChunkSink, OpenOutput, RunObserver, RunOutcome, RunTracer } from './run-observer.ts'
import type { RunSettings } from './run-settings.ts'
import { newRunState, type RunState } from './run-state.ts'
import type { Step } from './step.ts'

/** Reports background work that failed. */
export type BackgroundErrorHandler = (error: unknown, run: Run, source: WorkSource) => void | Promise<void>

/** One run of the loop: its settings, state and observers. */
export class Run {
  readonly id: string
  readonly messageList: MessageList = new MessageList()
  /** The OpenTelemetry context that was active when the run was created. `undefined` without an OpenTelemetry SDK. */
  readonly parentContext: Context | undefined = registeredTelemetry().context?.active()
  tracingContext: TracingContext = { span: spanIn(this.parentContext) }
  readonly listeners: Listeners
  /** Work that hooks have passed to `waitUntil`, of all runs of the agent. */
  readonly #background: Map<Promise<unknown>, WorkSource>
  readonly #onBackgroundError: BackgroundErrorHandler
  readonly settings: RunSettings
  /** Replaced only before the loop starts, when the owner of a stored run is read. */
  requestContext: RequestContext
  readonly outlet: Outlet
  readonly counters: CounterStore | undefined
  /** The part of the run that is stored, except steps, messages and records. */
  readonly state: RunState
  /** Accepted steps. */
  readonly steps: Step[] = []
  /** The current step, with its output. */
  current: { step: Step; output: OpenOutput } | undefined
  /** The records of processors, in the order of their first action. */
  readonly records: HookRecord[] = []
  /** The structured output that the last step requested, if any. */
  structuredOutput: StructuredOutputOptions | undefined
  /** The model in use. It is resolved again only if a step requests another model. */
  resolvedModel: { from: LanguageModel; model: LanguageModelV4 } | undefined
  /** The last prompt. */
  lastPrompt: LanguageModelV4Prompt | undefined
  /** The suspended run that this run resumes. */
  resumedFrom: SuspendedRun | undefined
  /** Who has answered what the run waited for. */
  readonly by: string | undefined
  /** The calls that the run went on waiting for when it was resumed. */
  waited: readonly WaitingCall[] = []
  /** Whether the run suspends for the rest of the calls that it waited for when it was resumed. */
  waitsOn = false
  /** Stores the progress of the run, if it must survive this process. */
  journal: RunJournal | undefined
  /** Called when `start` is emitted, with the step that a resumed run continues. */
  onStart: ((step: Step | undefined) => void) | undefined
  /** Whether the chat client already has the message that this run extends. */
  continuesMessage = false
  /** Where a resumed run resumes and its data, until it gets there. */
  resumption: { point: ResumePoint; data: unknown; payload: unknown } | undefined
  /** The phase in which a tool has suspended, for signals without a hook. */
  suspendedIn: Phase = 'execute'
  /** The agent that has the turn, while this run relays it. */
  handoff: LiveHandoff | undefined
  /** Whether an agent that has the turn emits text that its processors may still change. */
  waitsForReview = false
  /** The answer of a halted run, after the processors. */
  answer = ''

  readonly #controller = new AbortController()
  readonly #gates = new Map<Processor, Gate>()
  readonly #states: Map<string, Record<string, unknown>> | undefined
  #pipeline: Pipeline = EMPTY_PIPELINE
  #delivery: ChunkSink | undefined
  #callIds: Set<string> | undefined
  #events: RunObserver | undefined
  #output: ChunkLog | undefined
  #trace: RunTracer | undefined
  #outcome: RunOutcome | undefined
  #isAnnounced = false
  #isOver = false
  #onAbort: (reason: unknown) => void = (reason) => this.stop(reason)

  constructor(options: {
    /** Default: a new id. */
    id?: string
    by?: string | undefined
    settings: RunSettings
    requestContext: RequestContext
    outlet: Outlet
    listeners?: Listeners
    background?: Map<Promise<unknown>, WorkSource>
    counters?: CounterStore | undefined
    /** Processor state that is kept across runs, by name. Default: none. */
    states?: Map<string, Record<string, unknown>> | undefined
    onBackgroundError?: BackgroundErrorHandler
  }) {
    this.id = options.id ?? crypto.randomUUID()
    this.state = newRunState(this.id)
    this.by = options.by
    this.settings = options.settings
    this.requestContext = options.requestContext
    this.outlet = options.outlet
    this.counters = options.counters
    this.#states = options.states
    this.listeners = options.listeners ?? new Set()
    this.#background = options.background ?? new Map()
    this.#onBackgroundError = options.onBackgroundError ?? (() => {})
  }

  get warnings(): RunWarning[] {
    return this.state.warnings
  }

  get retryCount(): number {
    return this.state.retryCount
  }

  /** The listeners of the agent, if there are any. */
  get events(): RunObserver | undefined {
    return this.#events
  }

  /** Records the spans of this run, if tracing is on. */
  get trace(): RunTracer | undefined {
    return this.#trace
  }

  get changes(): ChangeLog | undefined {
    return this.#events?.changes
  }

  get decisions(): DecisionLog | undefined {
    return this.#events?.decisions
  }

  /** Adds observers. If the run has already ended, they are called for its end at once. */
  observe({ events, trace }: { events: RunObserver | undefined; trace: RunTracer | undefined }): void {
    this.#events = events
    this.#output = events?.output
    this.#trace = trace
    if (!this.#outcome) return
    events?.start()
    this.conclude(this.#outcome)
  }

  /** Returns `true` on the first call only: `start` is emitted once. */
  announce(): boolean {
    const isFirst = !this.#isAnnounced
    this.#isAnnounced = true
    return isFirst
  }

  /** Informs the observers of the end of the run. */
  conclude(outcome: RunOutcome): void {
    this.#outcome = outcome
    this.#events?.end(outcome)
    this.#trace?.end(outcome)
  }

  get pipeline(): Pipeline {
    return this.#pipeline
  }

  /** Call once, before the loop starts. `delivery` delivers the chunks if a processor has `processDelivery`. */
  begin(pipeline: Pipeline, delivery?: ChunkSink): void {
    this.#pipeline = pipeline
    this.#delivery = delivery
  }

  /**
   * A run for the review of what this run has left: the same processors and their state, with its own transcript and
   * abort signal. Its chunks are dropped.
   */
  fork(): Run {
    const run = new Run({
      id: this.id,
      settings: this.settings,
      requestContext: this.requestContext,
      outlet: new Outlet({ discards: true, onLeave: () => {} }),
      listeners: this.listeners,
      background: this.#background,
      counters: this.counters,
      states: new Map([...this.#gates.values()].map(({ name, state }) => [name, state])),
      onBackgroundError: this.#onBackgroundError,
    })
    run.begin(this.#pipeline)
    return run
  }

  /** Aborted when the run is cut short. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** The gate of a processor in this run, with its state and records. An instance has the same gate in all hooks. */
  gate(processor: Processor): Gate {
    let gate = this.#gates.get(processor)
    if (!gate) {
      gate = new Gate(processor, this.pipeline.names.get(processor) ?? processor.id, this)
      if (this.#states) gate.state = stateIn(this.#states, gate.name)
      this.#gates.set(processor, gate)
    }
    return gate
  }

  get gates(): Iterable<Gate> {
    return this.#gates.values()
  }

  /** Whether a resumed run has finished this phase of its step, so that the loop skips it. */
  hasFinished(phase: Phase): boolean {
    return this.resumption !== undefined && isBefore(phase, this.resumption.point)
  }

  /**
   * The processors of a hook, in order. If a resumed run was suspended in this hook: those from the processor that
   * suspended on, which gets the data.
   */
  stages<HOOK extends HookName & Phase>(hook: HOOK): readonly ProcessorWith<HOOK>[] {
    const processors = (this.pipeline[hook] ?? []) as readonly ProcessorWith<HOOK>[]
    const first = this.resumeIn(hook)
    return first === 0 ? processors : processors.slice(first)
  }

  /**
   * Passes the resume data to the processor that suspended in this hook, and ends the resumption.
   *
   * @returns The position of that processor in the hook's list; 0 if the run does not resume in this hook
   */
  resumeIn(hook: HookName & Phase): number {
    const { point, data } = this.resumption ?? {}
    if (point?.phase !== hook || point.processor === undefined) return 0
    this.resumption = undefined
    const processors: readonly Processor[] = this.pipeline[hook] ?? []
    const index = processors.findIndex((processor) => this.pipeline.names.get(processor) === point.processor)
    const processor = processors[Math.max(index, 0)]
    if (processor) this.gate(processor).resumeData = data
    return Math.max(index, 0)
  }

  /** Tracks work until it settles. An error is emitted as an event and does not affect the run. */
  waitUntil(work: PromiseLike<unknown>, source: WorkSource): void {
    const done: Promise<unknown> = Promise.resolve(work)
      .catch((error) => this.#onBackgroundError(error, this, source))
      .then(() => this.#background.delete(done))
    this.#background.set(done, source)
  }

  /** The ids of all tool calls in the transcript, including history. */
  get callIds(): Set<string> {
    if (!this.#callIds) {
      this.#callIds = new Set()
      for (const { content } of this.messageList) {
        for (const part of content.parts) if (isToolPart(part)) this.#callIds.add(part.toolCallId)
      }
    }
    return this.#callIds
  }

  /**
   * Emits a chunk to the caller, through `processDelivery`. Never throws. Returns a promise only if the writer must
   * wait, or if `processDelivery` has failed.
   */
  emit(chunk: Chunk): Promise<void> | undefined {
    this.#output?.add(chunk)
    return this.#delivery === undefined ? this.outlet.write(chunk) : this.#delivery.emit(chunk)
  }

  /**
   * The id under which the run is stored if it suspends. A run that waits on keeps the id that it was resumed by, so that
   * other approvers find it.
   */
  get storedId(): string {
    return (this.waitsOn && this.resumedFrom?.runId) || this.id
  }

  /** Throws if the run has ended, to stop work that was waiting. */
  throwIfOver(): void {
    if (this.#isOver) throw this.signal.reason
  }

  /** Whether the run has ended. Parts of it may still be waiting. */
  get over(): boolean {
    return this.#isOver
  }

  /** Ends the run as `aborted`, at once. */
  abort(reason: unknown): void {
    this.#onAbort(reason)
  }

  /** Sets the handler of an abort. It differs before and after the result exists. */
  handleAbort(handler: (reason: unknown) => void): void {
    this.#onAbort = handler
  }

  /** Marks the run as ended. Cancels nothing. */
  end(): void {
    this.#isOver = true
  }

  /** Marks the run as ended and cancels the model call, tools, and hooks that listen to the signal. Idempotent. */
  stop(reason: unknown): void {
    this.#isOver = true
    this.#controller.abort(reason)
  }

  /** Accepts the step: it is part of the result and of the next prompt. */
  accept(step: Step): void {
    step.finish()
    this.steps.push(step)
    step.modelRequest = undefined
    // Not needed any more: otherwise a stored run would contain the messages of every step.
    step.state.settings = undefined
    this.state.feedback = undefined
    this.current = undefined
    for (const warning of step.state.warnings) {
      this.warnings.push({ type: 'model', warning, stepNumber: step.number })
    }
    this.events?.finishStep(step)
  }

  addUsage(usage: Usage): void {
    this.state.usage = addUsage(this.state.usage, usage)
  }
}

function stateIn(states: Map<string, Record<string, unknown>>, name: string): Record<string, unknown> {
  const state = states.get(name) ?? {}
  states.set(name, state)
  return state
}
