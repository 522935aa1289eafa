import { PerRun, type Processor, type ProcessorArgs } from '@millrace/core'
import type { SurfaceRun } from './surface-run.ts'

type Hook<NAME extends keyof Processor> = NonNullable<Processor[NAME]>
type MaybePromise<T> = T | Promise<T>

/** The hooks that a guard implements. */
export interface GuardHooks {
  readonly input: boolean
  readonly inputStep: boolean
  readonly stream: boolean
  /** Removes parts whose beginning was already streamed. */
  readonly outputStep: boolean
  readonly toolCall: boolean
  readonly toolResult: boolean
  /** `view`: only what a tool shows the model, not its output. */
  readonly execution: boolean | 'view'
  readonly outputResult: boolean
}

export interface SurfaceGuardOptions {
  readonly id: string
  readonly onError: 'fail' | 'skip'
  readonly hooks: GuardHooks
  /** Creates the guard's state for a run: at once, or after its modules are loaded. */
  readonly begin: (args: ProcessorArgs) => MaybePromise<SurfaceRun>
  /** Loads what runs need. Default: nothing is to be loaded. */
  readonly load?: () => unknown
}

/** A guard with exactly the hooks that its surfaces need. All hooks of one run share its {@link SurfaceRun}. */
export class SurfaceGuard implements Processor {
  readonly id: string
  readonly onError: 'fail' | 'skip'
  readonly processInput?: Hook<'processInput'>
  readonly processInputStep?: Hook<'processInputStep'>
  readonly processOutputStream?: Hook<'processOutputStream'>
  readonly processOutputStep?: Hook<'processOutputStep'>
  readonly processToolCall?: Hook<'processToolCall'>
  readonly processExecution?: Hook<'processExecution'>
  readonly processToolResult?: Hook<'processToolResult'>
  readonly processOutputResult?: Hook<'processOutputResult'>
  readonly #begin: SurfaceGuardOptions['begin']
  readonly #load: SurfaceGuardOptions['load']
  readonly #runs = new PerRun<SurfaceRun>()

  constructor({ id, onError, hooks, begin, load }: SurfaceGuardOptions) {
    this.id = id
    this.onError = onError
    this.#begin = begin
    this.#load = load
    // Some guards are created for each run: see `Gate` for why no function is assigned directly.
    if (hooks.input) this.processInput = this.#hook((run, args) => run.input(args))
    if (hooks.inputStep) this.processInputStep = this.#hook((run, args) => run.inputStep(args))
    if (hooks.stream) {
      const processOutputStream: Hook<'processOutputStream'> = (args) => {
        const known = this.#runs.get(args.state)
        if (known) return known.chunk(args.part, args)
        // The stream reuses its arguments object for every chunk, so it is copied before waiting.
        const taken = { ...args }
        return this.#with(args, (run) => run.chunk(taken.part, taken))
      }
      this.processOutputStream = processOutputStream
    }
    if (hooks.outputStep) this.processOutputStep = this.#hook((run, args) => run.outputStep(args))
    if (hooks.toolCall) this.processToolCall = this.#hook((run, args) => run.toolCall(args))
    if (hooks.execution) {
      const processExecution: Hook<'processExecution'> = (args) => {
        const isSeen = args.direction === 'view' || (args.direction === 'out' && hooks.execution === true)
        return isSeen ? this.#with(args, (run) => run.execution(args)) : undefined
      }
      this.processExecution = processExecution
    }
    if (hooks.toolResult) this.processToolResult = this.#hook((run, args) => run.toolResult(args))
    if (hooks.outputResult) this.processOutputResult = this.#hook((run, args) => run.outputResult(args))
  }

  #hook<ARGS extends ProcessorArgs, RESULT>(
    use: (run: SurfaceRun, args: ARGS) => MaybePromise<RESULT>,
  ): (args: ARGS) => MaybePromise<RESULT> {
    return (args) => this.#with(args, (run) => use(run, args))
  }

  /** Loads what the first message would otherwise load. */
  async warmUp(): Promise<void> {
    await this.#load?.()
  }

  /** Calls `use` with the guard's state of this run: at once if it exists or needs no loading. */
  #with<T>(args: ProcessorArgs, use: (run: SurfaceRun) => MaybePromise<T>): MaybePromise<T> {
    const known = this.#runs.get(args.state)
    if (known) return use(known)
    const begun = this.#begin(args)
    if (!(begun instanceof Promise)) return use(this.#keep(args, begun))
    return begun.then((run) => use(this.#keep(args, run)))
  }

  /** If several hooks began the run at the same time, the first result is kept. */
  #keep({ state }: ProcessorArgs, begun: SurfaceRun): SurfaceRun {
    const run = this.#runs.get(state) ?? begun
    this.#runs.set(state, run)
    return run
  }
}

/** Loads something once. A failed load is tried again by the next call. */
export function once<T>(load: () => Promise<T>): () => T | Promise<T> {
  let loaded: { value: T } | undefined
  let loading: Promise<T> | undefined
  return () => {
    if (loaded) return loaded.value
    loading ??= load().then(
      (value) => {
        loaded = { value }
        return value
      },
      (error) => {
        loading = undefined
        throw error
      },
    )
    return loading
  }
}
