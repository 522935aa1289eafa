import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { copyOnce } from '../copy-data.ts'
import type { CloseOptions } from '../events/close.ts'
import { execute } from '../loop/end/execute.ts'
import { heldWrites } from '../loop/suspension/held-writes.ts'
import type { AgentInput } from '../messages/agent-input.ts'
import type { UIMessage } from '../messages/message.ts'
import { requireOptions } from '../option-names.ts'
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
import { RUN_FILTER } from '../storage/run-arguments.ts'
import type { RunFilter, RunStore, SuspendedRun } from '../storage/run-store.ts'
import type { Store } from '../storage/store.ts'
import type { ToolSet } from '../tools/tool.ts'
import { type PromptMessage, promptText, withoutFiles } from '../transcript/prompt-text.ts'
import { type AgentOptions, type RunOptions, readAgentOptions, readRunOptions } from './agent-options.ts'
import { AgentPipeline } from './agent-pipeline.ts'
import { type AgentPrompt, type AgentTool, type AgentToolOptions, agentTool } from './agent-tool.ts'
import { type PrepareOptions, prepareResumed, prepareRun, releaseStored } from './prepare-run.ts'
import { runSettings } from './run-settings-of.ts'
import { ResumedRun, RunStream } from './run-stream.ts'

export interface AgentInternals {
  options: AgentOptions
  pipeline: AgentPipeline
  createRun(options: RunOptions, how: { discards: boolean; runId?: string }): Run
  preparing(call: RunOptions): PrepareOptions
  execute<RESULT>(run: Run, prepare: () => Promise<Step | undefined>, options: RunOptions): Promise<RESULT>
}

/** The internals of an agent, for the modules of this folder. */
export let internalsOf: (agent: Agent) => AgentInternals

type ObjectOf<SCHEMA> = SCHEMA extends Schema ? InferSchema<SCHEMA> : undefined

/**
 * A model with instructions, tools and processors. An agent holds no state of a run: one instance serves any number
 * of runs at the same time.
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

  /** @throws MillraceError `CONFIG_…` if an option is invalid; the message names it */
  constructor(options: AgentOptions<TOOLS>) {
    this.#options = readAgentOptions(options)
    this.name = this.#options.name ?? 'agent'
    this.#pipeline = new AgentPipeline(this.#options)
  }

  /**
   * Runs the loop and resolves to the result. Expected outcomes are statuses of the result; errors reject.
   *
   * @throws MillraceError
   */
  async generate<const SCHEMA extends Schema | undefined = undefined>(
    input: AgentInput,
    options: RunOptions<SCHEMA> = {},
  ): Promise<RunResult<TOOLS, ObjectOf<SCHEMA>>> {
    const call = readRunOptions('agent.generate()', options)
    const run = this.#createRun(call, { discards: true })
    return this.#execute(run, () => prepareRun(run, input, this.#preparing(call)), call)
  }

  /**
   * Returns the run as a stream, synchronously. The run starts when the stream is read, or one of its promises is
   * accessed.
   */
  stream<const SCHEMA extends Schema | undefined = undefined>(
    input: AgentInput,
    options: RunOptions<SCHEMA> = {},
  ): RunStream<RunResult<TOOLS, ObjectOf<SCHEMA>>> {
    const call = readRunOptions('agent.stream()', options)
    const run = this.#createRun(call, { discards: false })
    run.continuesMessage = Array.isArray(input) && input.at(-1)?.role === 'assistant'
    return new RunStream({
      run,
      start: () => this.#execute(run, () => prepareRun(run, input, this.#preparing(call)), call),
    })
  }

  /**
   * Resumes a suspended run where it was suspended, without repeating what it has done. The data must be JSON, and is
   * copied at once. Await the run for its result, or read it as a stream.
   *
   * A run that waits for calls is resumed with an object of answers by call id: `{ approved, reason?, input? }` for an
   * approval, the output of a tool of the client, the data that a tool asks for, or an {@link InterruptedCallAnswer}.
   * Where one call waits, its answer may be given without the id; `{ approved, all: true }` answers all approvals.
   * Answers to some of the calls are kept, and the run goes on waiting for the rest, under the same id. The data for a
   * hook that suspended is passed to that hook.
   *
   * An interrupted run, whose process died or which failed, continues from where it was last stored, with the data of
   * the earlier resume: pass no data. Finished calls are not executed again. For calls that may have been executed,
   * see `onInterrupted` of a tool.
   *
   * The options are those of a new run: pass a schema, a request context and processors of the call again. A run with
   * a `resourceId` is found only if the same one is passed.
   *
   * @throws MillraceError `RUN_NOT_FOUND`, `RUN_ALREADY_RESUMED`, `RUN_RELEASED`, `RUN_EXPIRED`, `RUN_INCOMPATIBLE`
   *   or `RUN_RESUME_INVALID`, when awaited or read
   */
  resume<const SCHEMA extends Schema | undefined = undefined>(
    runId: string,
    data?: unknown,
    options: RunOptions<SCHEMA> = {},
  ): ResumedRun<RunResult<TOOLS, ObjectOf<SCHEMA>>> {
    const call = readRunOptions('agent.resume()', options)
    const run = this.#createRun(call, { discards: false })
    run.continuesMessage = true
    const copied = copyOnce(data)
    return new ResumedRun({
      run,
      start: () =>
        this.#execute(run, () => prepareResumed(run, { runId, data: copied }, this.#preparing(call)), call),
    })
  }

  /**
   * Lists the suspended and interrupted runs that can be resumed: those of a resource, or, if `resourceId` is absent
   * or `undefined`, those that belong to none; `{ allResources: true }` lists those of every resource, for operators.
   * `threadId` restricts the list to one thread. Interrupted runs are marked, and list the calls that they had started.
   */
  async suspendedRuns(filter: RunFilter = {}): Promise<SuspendedRun[]> {
    return (await this.#openStore()).listRuns(requireOptions('agent.suspendedRuns()', filter, RUN_FILTER))
  }

  /**
   * A suspended run as the message that a chat client shows, for a client that has lost it: the emitted part of the
   * answer, the waiting calls, and a `data-suspended` part. `undefined` if there is no such run. A run with a
   * `resourceId` is found only if the same one is passed.
   *
   * @throws MillraceError `RUN_INCOMPATIBLE` if it was stored by another version
   */
  async waitingMessage(runId: string, owner: { resourceId?: string } = {}): Promise<UIMessage | undefined> {
    // Loaded on demand: only agents with chat clients need it.
    const { findWaitingMessage } = await import('../ui/whole-waiting-message.ts')
    return findWaitingMessage(
      await this.#openStore(),
      runId,
      requireOptions('agent.waitingMessage()', owner, { resourceId: 'optional' }),
    )
  }

  /**
   * Releases a suspended or interrupted run. Returns whether it could have been resumed. A run with a `resourceId` is
   * found only if the same one is passed. If the agent has a memory and the run has called tools, its calls are
   * stored in the thread, each with its output or what is known of it. Meanwhile the run has a lease, as when it is
   * resumed, so it is either resumed or released. The options are those of `resume`.
   */
  async release(runId: string, options: RunOptions = {}): Promise<boolean> {
    const call = readRunOptions('agent.release()', options)
    const store = await this.#openStore()
    const run = this.#createRun(call, { discards: true })
    return releaseStored(run, { runId, store }, this.#preparing(call))
  }

  /**
   * The last prompt of the run that ended last, as it was sent, including system messages. For tests, and to find out
   * why a model answered as it did. Empty before the first model call. The prompt of one run is kept, without its
   * files.
   */
  getLastMessages(): PromptMessage[] {
    return promptText(this.#lastPrompt)
  }

  /**
   * Returns the agent as a tool for another agent. The answer is the tool's output. A tripwire, or a run without an
   * answer, is an error that the outer model sees. Progress is emitted as preliminary results
   * ({@link AgentProgress}). With `handoff: true` the answer ends the turn of the outer run instead. If the agent
   * suspends, so does the outer run; resuming the outer run resumes the agent. Both need a storage for that. The
   * agent receives the outer run's `abortSignal` and `requestContext`, and a thread of its own; its usage is added to
   * the outer run's `usage`.
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
   * processors and the agents in its `tools` load on first use. No model is called, and no run begins. Call it before a
   * server listens.
   *
   * Processors that a function of the request lists are known with a request: pass options as those of a call, with its
   * `requestContext`, to warm up these too.
   *
   * @throws MillraceError `PROCESSOR_FAILED`, with the id of a processor that could not load, or `MODEL_UNRESOLVED`
   */
  async warmUp(options?: RunOptions): Promise<void> {
    const call = options && readRunOptions('agent.warmUp()', options)
    const { warmUp } = await import('./warm-up.ts')
    await warmUp(internalsOf(this), (own) => internalsOf(new Agent(own)), call)
  }

  /**
   * Calls `listener` after each event of this name, in runs that start from now on. Events are frozen copies,
   * delivered in order and asynchronously. A slow or throwing listener does not affect the run, and its errors are
   * ignored. Returns a function that removes the listener. User content of changes is only passed to listeners with
   * `content: true`.
   *
   * @throws MillraceError `CONFIG_INVALID` if there is no such event
   *
   * @example
   * agent.on('run-finish', ({ result }) => console.log(result.status, result.usage.totalTokens))
   */
  on<NAME extends AgentEventName>(
    event: NAME,
    listener: AgentListener<NAME>,
    options: ListenerOptions = {},
  ): () => void {
    const { content = false } = requireOptions('agent.on()', options, { content: 'optional' })
    checkEventName(event)
    const entry = { name: event, listener: listener as (event: unknown) => unknown, content }
    this.#listeners.add(entry)
    return () => {
      this.#listeners.delete(entry)
    }
  }

  /**
   * Resolves when background work is done, including work that starts meanwhile: `waitUntil` of hooks, the delivery
   * of all events, and asynchronous listeners.
   *
   * @throws MillraceError `RUN_BACKGROUND_TIMEOUT` after `timeoutMs` (default: 10,000). It names the work that is
   *   still running, which is not stopped; call `close()` again to keep waiting.
   */
  async close(options: CloseOptions = {}): Promise<void> {
    const { settle } = await import('../events/close.ts')
    await settle(this.#background, this.#listeners, options)
  }

  #openStore(): RunStore | Promise<RunStore> {
    const store = this.#options.storage ?? this.#pipeline.storage
    if (!store) return openProcessStore()
    if (!heldWrites.has(store)) return store
    // Loaded on demand: stores rarely fail.
    return import('../loop/suspension/hold-write.ts').then(({ repeatHeldWrites }) => repeatHeldWrites(store))
  }

  #createRun(options: RunOptions, { discards, runId }: { discards: boolean; runId?: string }): Run {
    const { threadId, resourceId, by, requestContext = new RequestContext() } = options
    const run = new Run({
      ...(runId !== undefined && { id: runId }),
      by,
      settings: runSettings(this.name, this.#options, options),
      requestContext: requestContext.withIds({ threadId, resourceId, agentName: this.name }),
      listeners: this.#listeners,
      background: this.#background,
      onBackgroundError,
      counters: [this.#options.storage, this.#pipeline.storage].find(hasPersistentCounters),
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
    // Before the run starts.
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

/** Whether the store has persistent counters. Others would last no longer than the processors themselves. */
function hasPersistentCounters(store: RunStore | undefined): store is RunStore & CounterStore {
  return store !== undefined && (store as Partial<Store>).capabilities?.persistent === true
}

/** Loaded on demand: background work is rare, and failures of it are rarer. */
async function onBackgroundError(error: unknown, run: Run, source: WorkSource): Promise<void> {
  const { emitBackgroundError } = await import('../events/background-error.ts')
  emitBackgroundError(error, run, source)
}

const HALF_MINUTE = 30_000
const DAY = 24 * 60 * 60 * 1000

let processStore: Promise<RunStore> | undefined

/** The store of agents without one, in memory. Loaded on demand: most runs are never suspended. */
function openProcessStore(): Promise<RunStore> {
  processStore ??= import('../storage/in-memory-run-store.ts').then(
    ({ InMemoryRunStore }) => new InMemoryRunStore(),
  )
  return processStore
}
