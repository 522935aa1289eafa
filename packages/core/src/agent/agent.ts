import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { copyOnce } from '../copy-data.ts'
import type { CloseOptions } from '../events/close.ts'
import { execute } from '../loop/end/execute.ts'
import type { AgentInput } from '../messages/agent-input.ts'
import type { UIMessage } from '../messages/message.ts'
import type { WorkSource } from '../processors/gate.ts'
import { RequestContext } from '../request-context.ts'
import {
  type AgentEventName,
  type AgentListener,
  checkEventName,
  type ListenerOptions,
  type Listeners,
} from '../results/agent-events.ts'
import type { RunResult } from '../results/result.ts'
import { watch } from '../run/deadline.ts'
import { Outlet } from '../run/outlet.ts'
import { Run } from '../run/run.ts'
import type { Step } from '../run/step.ts'
import type { InferSchema, Schema, StandardSchema } from '../schema.ts'
import type { CounterStore } from '../storage/counter-store.ts'
import { ownerOf } from '../storage/owner.ts'
import type { RunStore, SuspendedRun } from '../storage/run-store.ts'
import type { Store } from '../storage/store.ts'
import type { ToolSet } from '../tools/tool.ts'
import { type PromptMessage, promptText, withoutFiles } from '../transcript/prompt-text.ts'
import { type AgentOptions, checkOptions, type RunOptions } from './agent-options.ts'
import { AgentPipeline } from './agent-pipeline.ts'
import { type AgentPrompt, type AgentTool, type AgentToolOptions, agentTool } from './agent-tool.ts'
import { type PrepareOptions, prepareResumed, prepareRun, releaseKept } from './prepare-run.ts'
import { runSettings } from './run-settings-of.ts'
import { ResumedRun, RunStream } from './run-stream.ts'

export interface AgentInternals {
  options: AgentOptions
  pipeline: AgentPipeline
  createRun(options: RunOptions, how: { discards: boolean; runId?: string }): Run
  preparing(call: RunOptions): PrepareOptions
  execute<RESULT>(run: Run, prepare: () => Promise<Step | undefined>, options: RunOptions): Promise<RESULT>
}

/** What belongs to an agent, for the files beside it. */
export let internalsOf: (agent: Agent) => AgentInternals

type ObjectOf<SCHEMA> = SCHEMA extends Schema ? InferSchema<SCHEMA> : undefined

/**
 * A model, its instructions and tools, and the processors around them. No run depends on anything an agent holds of
 * another: one instance serves any number of them at the same time.
 *
 * @example
 * const agent = new Agent({ name: 'support', model, instructions: 'Answer briefly.', tools: { weather } })
 * const { text } = await agent.generate('Is it raining in Oslo?')
 */
// biome-ignore lint/suspicious/noExplicitAny: an `Agent` without more is one with any tools
export class Agent<TOOLS extends ToolSet = any> {
  static {
    internalsOf = (agent) => ({
      options: agent.#options,
      pipeline: agent.#pipeline,
      createRun: agent.#createRun.bind(agent),
      preparing: agent.#preparing.bind(agent),
      execute: agent.#execute.bind(agent),
    })
  }

  readonly name: string
  readonly #options: AgentOptions
  readonly #listeners: Listeners = new Set()
  readonly #background = new Map<Promise<unknown>, WorkSource>()
  readonly #pipeline: AgentPipeline
  #lastPrompt: LanguageModelV4Prompt = []

  /** @throws MillraceError `CONFIG_…` if an option cannot work; the message names it */
  constructor(options: AgentOptions<TOOLS>) {
    this.name = options.name ?? 'agent'
    this.#options = options
    checkOptions(options)
    this.#pipeline = new AgentPipeline(options)
  }

  /**
   * Runs the loop and resolves with its outcome. Expected outcomes are statuses of the result; faults reject.
   *
   * @throws MillraceError
   */
  async generate<const SCHEMA extends Schema | undefined = undefined>(
    input: AgentInput,
    options: RunOptions<SCHEMA> = {},
  ): Promise<RunResult<TOOLS, ObjectOf<SCHEMA>>> {
    const run = this.#createRun(options, { discards: true })
    return this.#execute(run, () => prepareRun(run, input, this.#preparing(options)), options)
  }

  /** Returns the run as a stream, at once. It begins when it is read, or when one of its promises is asked for. */
  stream<const SCHEMA extends Schema | undefined = undefined>(
    input: AgentInput,
    options: RunOptions<SCHEMA> = {},
  ): RunStream<RunResult<TOOLS, ObjectOf<SCHEMA>>> {
    const run = this.#createRun(options, { discards: false })
    run.continuesMessage = Array.isArray(input) && input.at(-1)?.role === 'assistant'
    return new RunStream({
      run,
      start: () => this.#execute(run, () => prepareRun(run, input, this.#preparing(options)), options),
    })
  }

  /**
   * Resumes a suspended run where it was suspended: what it has done is not repeated. The data reaches the hook or tool
   * that had suspended; for approvals it is `{ approved, reason? }`, for tools at the client their output. It is JSON, and
   * is copied at once. Await the run for its result, or read it as a stream.
   *
   * An interrupted run, whose process died or which failed, continues where it was stored last, with the data it had been
   * resumed with: pass none. Calls that have ended are not executed again; see `onInterrupted` of a tool for those that
   * may have been.
   *
   * Options are those of a new run: a schema, a request context and processors of the call must be passed again. A run
   * of a resource is found with its `resourceId` alone.
   *
   * @throws MillraceError `RUN_NOT_FOUND`, `RUN_ALREADY_RESUMED`, `RUN_RELEASED`, `RUN_EXPIRED`, `RUN_INCOMPATIBLE` or
   * `RUN_RESUME_INVALID`, when awaited or read
   */
  resume<const SCHEMA extends Schema | undefined = undefined>(
    runId: string,
    data?: unknown,
    options: RunOptions<SCHEMA> = {},
  ): ResumedRun<RunResult<TOOLS, ObjectOf<SCHEMA>>> {
    const run = this.#createRun(options, { discards: false })
    run.continuesMessage = true
    const copied = copyOnce(data)
    return new ResumedRun({
      run,
      start: () =>
        this.#execute(
          run,
          () => prepareResumed(run, { runId, data: copied }, this.#preparing(options)),
          options,
        ),
    })
  }

  /**
   * Suspended and interrupted runs that can be resumed, of one thread or resource, or all. A thread of a resource is found
   * with it alone: `{ threadId, resourceId }`. Those that were interrupted say so, with the calls they had started.
   */
  async suspendedRuns(filter: { threadId?: string; resourceId?: string } = {}): Promise<SuspendedRun[]> {
    return (await this.#openStore()).listRuns(filter)
  }

  /**
   * A run that waits as the message that a chat client has of it, for a client that has lost it: all that went out of its
   * answer, the calls that wait, and a `data-suspended` part. `undefined` if there is no such run. A run of a resource is found
   * with its `resourceId` alone.
   *
   * @throws MillraceError `RUN_INCOMPATIBLE` if it was stored by another version
   */
  async waitingMessage(runId: string, owner: { resourceId?: string } = {}): Promise<UIMessage | undefined> {
    // Loaded when needed: agents without chat clients do without it.
    const { findWaitingMessage } = await import('../ui/whole-waiting-message.ts')
    return findWaitingMessage(await this.#openStore(), runId, owner)
  }

  /**
   * Gives a suspended or interrupted run up. Returns whether it could still be resumed until now. A run of a resource is found with its
   * `resourceId` alone. What a run has done that has called tools stays in its thread, where the agent has a memory: each call with
   * its output, or with what else is known of it. While it is kept there the run has a lease, as one that is resumed: it is resumed or
   * released, never both. Options are those of `resume`.
   */
  async release(runId: string, options: RunOptions = {}): Promise<boolean> {
    const store = await this.#openStore()
    const run = this.#createRun(options, { discards: true })
    return releaseKept(run, { runId, store }, this.#preparing(options))
  }

  /**
   * What the model was asked last in the run that ended last, system messages included, as it was sent: for
   * tests and for finding out why a model said what it did. Empty where no model has been asked yet. The prompt of one
   * run is kept, without its files.
   */
  getLastMessages(): PromptMessage[] {
    return promptText(this.#lastPrompt)
  }

  /**
   * The agent as a tool of another. Its answer is the tool's output; a tripwire, or a run without an answer, is an error
   * the outer model sees. What it does until then goes out as preliminary results ({@link AgentProgress}). With
   * `handoff: true` its answer ends the turn of the outer run instead. Where it suspends, so does the outer run, and
   * resuming that resumes it; both need a storage that lasts until then. It gets the outer run's `abortSignal` and
   * `requestContext`, a thread of its own beside the outer one, and what it uses counts into the outer run's `usage`.
   *
   * @example
   * const editor = new Agent({ model, tools: { research: researcher.asTool({ description: 'Finds sources' }) } })
   */
  asTool<
    const INPUT extends Schema = StandardSchema<AgentPrompt>,
    const OUTPUT extends Schema | undefined = undefined,
  >(options: AgentToolOptions<INPUT, OUTPUT> = {}): AgentTool<INPUT, OUTPUT> {
    return agentTool(this, options)
  }

  /**
   * Loads and compiles what the first message would otherwise wait for: what a run needs of this package, and what the
   * processors load on first use. No model is called, and no run begins. Call it before a server listens.
   *
   * Processors that a function of the request lists are known with a request: pass options as those of a call, with its
   * `requestContext`, to warm up these too.
   *
   * @throws MillraceError `PROCESSOR_FAILED`, with the id of a processor that could not load, or `MODEL_UNRESOLVED`
   */
  async warmUp(options?: RunOptions): Promise<void> {
    const { warmUp } = await import('./warm-up.ts')
    await warmUp(internalsOf(this), (own) => internalsOf(new Agent(own)), options)
  }

  /**
   * Calls `listener` after each event of the given name, in runs that are begun from now on. Events are frozen copies,
   * delivered in order and off the run's path: a listener that throws, or takes its time, changes nothing, and nobody
   * hears of its error. Returns a function that ends it. Of changes, what was said is for listeners with `content: true`.
   *
   * @throws MillraceError `CONFIG_INVALID` if there is no such event
   *
   * @example
   * agent.on('run-finish', ({ result }) => console.log(result.status, result.usage.totalTokens))
   */
  on<NAME extends AgentEventName>(
    event: NAME,
    listener: AgentListener<NAME>,
    { content = false }: ListenerOptions = {},
  ): () => void {
    checkEventName(event)
    const entry = { name: event, listener: listener as (event: unknown) => unknown, content }
    this.#listeners.add(entry)
    return () => {
      this.#listeners.delete(entry)
    }
  }

  /**
   * Resolves when work in the background is done, with what was begun meanwhile: what hooks started with `waitUntil`, the
   * delivery of every event, and listeners that wait for something.
   *
   * @throws MillraceError `RUN_BACKGROUND_TIMEOUT` if that takes longer than `timeoutMs` (default: 10,000). It names what
   * still runs, which is not stopped; another `close()` waits for it again.
   */
  async close(options: CloseOptions = {}): Promise<void> {
    const { settle } = await import('../events/close.ts')
    await settle(this.#background, this.#listeners, options)
  }

  #openStore(): RunStore | Promise<RunStore> {
    return this.#options.storage ?? this.#pipeline.storage ?? openProcessStore()
  }

  #createRun(options: RunOptions, { discards, runId }: { discards: boolean; runId?: string }): Run {
    checkOptions(options)
    const { threadId, resourceId, requestContext = new RequestContext() } = options
    const run = new Run({
      ...(runId !== undefined && { id: runId }),
      settings: runSettings(this.name, this.#options, options),
      requestContext: requestContext.withIds({ threadId, resourceId, agentName: this.name }),
      listeners: this.#listeners,
      background: this.#background,
      onBackgroundError,
      counters: [this.#options.storage, this.#pipeline.storage].find(counts),
      outlet: new Outlet({
        discards,
        onLeave: () => run.abort(new DOMException('The reader of the stream left.', 'AbortError')),
      }),
    })
    return run
  }

  #preparing(call: RunOptions): PrepareOptions {
    const { runLease = HALF_MINUTE, suspensionTtl = DAY, checkpoint } = this.#options
    return {
      agent: this.#options,
      call,
      pipeline: this.#pipeline,
      openStore: () => this.#openStore(),
      journal: {
        leaseMs: Math.ceil(runLease),
        ttl: Math.ceil(suspensionTtl),
        everyStep: checkpoint === 'step',
      },
    }
  }

  async #execute<RESULT>(
    run: Run,
    prepare: () => Promise<Step | undefined>,
    options: RunOptions,
  ): Promise<RESULT> {
    const { abortSignal, timeout } = options
    const ttl = this.#options.suspensionTtl ?? DAY
    // Before anything of the run begins.
    if (abortSignal?.aborted) run.stop(abortSignal.reason)
    const outcome = execute(run, {
      prepare,
      openStore: () => this.#openStore(),
      ttl,
      controls: (stored) => ({
        resume: (data) => this.resume(stored.runId, data, { ...options, ...ownerOf(stored) }),
        release: () => this.release(stored.runId, { ...options, ...ownerOf(stored) }),
      }),
    })
    const deadline = watch(run, typeof timeout === 'object' ? timeout.totalMs : timeout, { what: 'The run' })
    const abort = (): void => run.abort(abortSignal?.reason)
    abortSignal?.addEventListener('abort', abort, { once: true })
    try {
      return (await outcome) as RESULT
    } finally {
      if (run.lastPrompt) this.#lastPrompt = withoutFiles(run.lastPrompt)
      run.lastPrompt = undefined
      deadline?.end()
      abortSignal?.removeEventListener('abort', abort)
    }
  }
}

/** A store that does not last counts no longer than a processor does by itself. */
function counts(store: RunStore | undefined): store is RunStore & CounterStore {
  return store !== undefined && (store as Partial<Store>).capabilities?.persistent === true
}

/** Loaded when needed: few hooks leave work behind, and less of it fails. */
async function onBackgroundError(error: unknown, run: Run, source: WorkSource): Promise<void> {
  const { emitBackgroundError } = await import('../events/background-error.ts')
  emitBackgroundError(error, run, source)
}

const HALF_MINUTE = 30_000
const DAY = 24 * 60 * 60 * 1000

let processStore: Promise<RunStore> | undefined

/** Suspended runs of agents that have no store. Loaded when needed: most runs are never suspended. */
function openProcessStore(): Promise<RunStore> {
  processStore ??= import('../storage/in-memory-run-store.ts').then(
    ({ InMemoryRunStore }) => new InMemoryRunStore(),
  )
  return processStore
}
