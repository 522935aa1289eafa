import type { Processor, ProcessorArgs } from '@millrace/core'
import type { SurfaceRun } from './surface-run.ts'

type Hook<NAME extends keyof Processor> = NonNullable<Processor[NAME]>
type MaybePromise<T> = T | Promise<T>

/** Which hooks a guard takes part in. */
export interface GuardHooks {
  readonly input: boolean
  readonly inputStep: boolean
  readonly stream: boolean
  /** Removes what a stream had begun to show. */
  readonly outputStep: boolean
  readonly toolCall: boolean
  readonly toolResult: boolean
  /** `view`: only what a tool shows the model, and not what it gives. */
  readonly execution: boolean | 'view'
  readonly outputResult: boolean
}

export interface SurfaceGuardOptions {
  readonly id: string
  readonly onError: 'fail' | 'skip'
  readonly hooks: GuardHooks
  /** Begins a run: at once, or when what it needs is loaded. */
  readonly begin: (args: ProcessorArgs) => MaybePromise<SurfaceRun>
  /** Loads what runs need. Default: nothing is to be loaded. */
  readonly load?: () => unknown
}

/** A guard with the hooks its surfaces need and no others. All of them lead to what it knows of the run. */
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
  readonly #runs = new WeakMap<object, SurfaceRun>()

  constructor({ id, onError, hooks, begin, load }: SurfaceGuardOptions) {
    this.id = id
    this.onError = onError
    this.#begin = begin
    this.#load = load
    if (hooks.input) this.processInput = (args) => this.#with(args, (run) => run.input(args))
    if (hooks.inputStep) this.processInputStep = (args) => this.#with(args, (run) => run.inputStep(args))
    if (hooks.stream) {
      this.processOutputStream = (args) => {
        const known = this.#runs.get(args.state)
        if (known) return known.chunk(args.part, args)
        // The arguments are one object for the whole stream: what is needed is taken out before waiting.
        const taken = { ...args }
        return this.#with(args, (run) => run.chunk(taken.part, taken))
      }
    }
    if (hooks.outputStep) this.processOutputStep = (args) => this.#with(args, (run) => run.outputStep(args))
    if (hooks.toolCall) this.processToolCall = (args) => this.#with(args, (run) => run.toolCall(args))
    if (hooks.execution) {
      this.processExecution = (args) => {
        const isSeen = args.direction === 'view' || (args.direction === 'out' && hooks.execution === true)
        return isSeen ? this.#with(args, (run) => run.execution(args)) : undefined
      }
    }
    if (hooks.toolResult) this.processToolResult = (args) => this.#with(args, (run) => run.toolResult(args))
    if (hooks.outputResult) {
      this.processOutputResult = (args) => this.#with(args, (run) => run.outputResult(args))
    }
  }

  /** Loads what the first message would otherwise wait for. */
  async warmUp(): Promise<void> {
    await this.#load?.()
  }

  /** Does something with what the guard knows of this run: at once, unless that has yet to be loaded. */
  #with<T>(args: ProcessorArgs, use: (run: SurfaceRun) => MaybePromise<T>): MaybePromise<T> {
    const known = this.#runs.get(args.state)
    if (known) return use(known)
    const begun = this.#begin(args)
    if (!(begun instanceof Promise)) return use(this.#keep(args, begun))
    return begun.then((run) => use(this.#keep(args, run)))
  }

  /** Of several that were begun at the same time, the first counts. */
  #keep({ state }: ProcessorArgs, begun: SurfaceRun): SurfaceRun {
    const run = this.#runs.get(state) ?? begun
    this.#runs.set(state, run)
    return run
  }
}

/** Loads something once, and tries again after a failure. */
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
