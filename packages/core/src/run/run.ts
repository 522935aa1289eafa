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
import type { Incomplete } from '../results/outcome.ts'
import type { RunWarning } from '../results/result.ts'
import type { CounterStore } from '../storage/counter-store.ts'
import type { SuspendedRun } from '../storage/run-store.ts'
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

/** Reports work that failed in the background. */
export type BackgroundErrorHandler = (error: unknown, run: Run, source: WorkSource) => void | Promise<void>

/** One run of the loop: what it is to do, what it has come to, and who watches. */
export class Run {
  readonly id: string
  readonly messageList: MessageList = new MessageList()
  /** What was active when the run was asked for; `undefined` where no SDK keeps track of that. */
  readonly openedIn: Context | undefined = registeredTelemetry().context?.active()
  tracingContext: TracingContext = { span: spanIn(this.openedIn) }
  readonly listeners: Listeners
  /** Work that hooks have begun and that outlives them, in all runs of the agent. */
  readonly #background: Map<Promise<unknown>, WorkSource>
  readonly #onBackgroundError: BackgroundErrorHandler
  readonly settings: RunSettings
  /** Set anew only before the loop begins, when a stored run says whose it is. */
  requestContext: RequestContext
  readonly outlet: Outlet
  readonly counters: CounterStore | undefined
  /** All that is stored of the run besides its steps, messages and records. */
  readonly state: RunState
  /** Accepted steps. */
  readonly steps: Step[] = []
  /** The step under way, with its output. */
  current: { step: Step; output: OpenOutput } | undefined
  /** What processors did, in the order in which they first did it. */
  readonly records: HookRecord[] = []
  /** The structured answer asked for in the last step, if any. */
  structuredOutput: StructuredOutputOptions | undefined
  /** The model in use, once resolved: it is resolved anew only when a step asks for another. */
  resolvedModel: { from: LanguageModel; model: LanguageModelV4 } | undefined
  /** What the model was asked last. */
  lastPrompt: LanguageModelV4Prompt | undefined
  /** The suspended run that this one resumes. */
  resumedFrom: SuspendedRun | undefined
  /** Stores what the run does, where it is to survive this process. */
  journal: RunJournal | undefined
  /** Called when the run is announced, with the step that a resumed run continues. */
  onStart: ((step: Step | undefined) => void) | undefined
  /** The processors are shown what went out of a run that came to no end. */
  incomplete: Incomplete | undefined
  /** A chat client has a message that this run adds to. */
  continuesMessage = false
  /** Where a resumed run resumes, and the data it was resumed with, until it gets there. */
  resumption: { point: ResumePoint; data: unknown; payload: unknown } | undefined
  /** The phase a tool suspended in: it has no hook to tell it by. */
  suspendedIn: Phase = 'execute'
  /** The agent that has the turn, while this run passes on what it says. */
  handoff: LiveHandoff | undefined
  /** The answer of a halted run, as the processors left it. */
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
    /** Default: a new one. */
    id?: string
    settings: RunSettings
    requestContext: RequestContext
    outlet: Outlet
    listeners?: Listeners
    background?: Map<Promise<unknown>, WorkSource>
    counters?: CounterStore | undefined
    /** The state of processors that outlives the run, by name. Default: none does. */
    states?: Map<string, Record<string, unknown>> | undefined
    onBackgroundError?: BackgroundErrorHandler
  }) {
    this.id = options.id ?? crypto.randomUUID()
    this.state = newRunState(this.id)
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

  /** Emits the events of this run, where the agent has listeners. */
  get events(): RunObserver | undefined {
    return this.#events
  }

  /** Records the spans of this run, where tracing is on. */
  get trace(): RunTracer | undefined {
    return this.#trace
  }

  get changes(): ChangeLog | undefined {
    return this.#events?.changes
  }

  get decisions(): DecisionLog | undefined {
    return this.#events?.decisions
  }

  /** Adds observers. If the run has ended meanwhile, they are called for its end at once. */
  observe({ events, trace }: { events: RunObserver | undefined; trace: RunTracer | undefined }): void {
    this.#events = events
    this.#output = events?.output
    this.#trace = trace
    if (!this.#outcome) return
    events?.start()
    this.conclude(this.#outcome)
  }

  /** Returns whether this is the first call: the run is announced once. */
  announce(): boolean {
    const isFirst = !this.#isAnnounced
    this.#isAnnounced = true
    return isFirst
  }

  /** Tells the observers how the run ended. */
  conclude(outcome: RunOutcome): void {
    this.#outcome = outcome
    this.#events?.end(outcome)
    this.#trace?.end(outcome)
  }

  get pipeline(): Pipeline {
    return this.#pipeline
  }

  /** Called once, before the loop begins. `delivery` takes the chunks for the caller, where processors take part in that. */
  begin(pipeline: Pipeline, delivery?: ChunkSink): void {
    this.#pipeline = pipeline
    this.#delivery = delivery
  }

  /**
   * A run over what this one has left at its end: the same processors with their state, a transcript and a signal of its own.
   * What it emits goes nowhere.
   */
  fork(): Run {
    const run = new Run({
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

  /** Fires when the run is cut short. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** A processor in this run: its state and what it has done. The same instance is the same gate in every hook. */
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

  /** Whether a resumed run was suspended after this phase of its step. The loop asks, and skips what is finished. */
  isPast(phase: Phase): boolean {
    return this.resumption !== undefined && isBefore(phase, this.resumption.point)
  }

  /**
   * The processors of a hook, in order. Where a resumed run was suspended in this hook, those before the one that
   * suspended have finished, and that one gets the data.
   */
  stages<HOOK extends HookName & Phase>(hook: HOOK): readonly ProcessorWith<HOOK>[] {
    const processors = (this.pipeline[hook] ?? []) as readonly ProcessorWith<HOOK>[]
    const first = this.resumeIn(hook)
    return first === 0 ? processors : processors.slice(first)
  }

  /**
   * Gives the processor that suspended the run in this hook the data it is resumed with; from then on the run is as any
   * other.
   *
   * @returns Its position among the processors of the hook; 0 where the run is not to be resumed there
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

  /** Tracks work until it is done. If it fails, an event is emitted and the run is not affected. */
  waitUntil(work: PromiseLike<unknown>, source: WorkSource): void {
    const done: Promise<unknown> = Promise.resolve(work)
      .catch((error) => this.#onBackgroundError(error, this, source))
      .then(() => this.#background.delete(done))
    this.#background.set(done, source)
  }

  /** The ids of all tool calls in the transcript, those of history included. */
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
   * Sends a chunk to the caller, by way of `processDelivery`. Never throws. Returns a promise only where something must
   * wait, or `processDelivery` has failed.
   */
  emit(chunk: Chunk): Promise<void> | undefined {
    this.#output?.add(chunk)
    return this.#delivery === undefined ? this.outlet.write(chunk) : this.#delivery.emit(chunk)
  }

  /** Throws once the run is over: what still waited for something then stops. */
  throwIfOver(): void {
    if (this.#isOver) throw this.signal.reason
  }

  /** The run has ended, perhaps while something of it still waits. */
  get over(): boolean {
    return this.#isOver
  }

  /** Ends the run as `aborted`, at once. */
  abort(reason: unknown): void {
    this.#onAbort(reason)
  }

  /** Says how an abort is carried out from now on: that differs before and after the result is there. */
  handleAbort(handler: (reason: unknown) => void): void {
    this.#onAbort = handler
  }

  /** Marks the run as over. Nothing is cancelled. */
  end(): void {
    this.#isOver = true
  }

  /** Cancels everything that still runs: the model call, tools, hooks that listen. Idempotent. */
  stop(reason: unknown): void {
    this.#isOver = true
    this.#controller.abort(reason)
  }

  /** The step counts: it stands in the result, and the next prompt builds on it. */
  accept(step: Step): void {
    step.finish()
    this.steps.push(step)
    step.modelRequest = undefined
    // What its call was made from is done with: a stored run would hold the messages of every step.
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
