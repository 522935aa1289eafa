import type { Processor, ProcessorArgs } from '@millrace/core'
import { MillraceError } from '@millrace/core'
import type { EntityFinder } from './entities.ts'
import type { EntityGuardRun } from './entity-guard-run.ts'
import { GuardRun } from './guard-run.ts'
import type { Replacement } from './guarded-text.ts'
import { checkGuardOptions, type GuardOptions, mask, type Strategy, SURFACES } from './options.ts'
import type { TextScanner } from './text-scanner.ts'
import type { GuardSettings } from './treatment.ts'

export interface TextGuardOptions extends GuardOptions {
  readonly id: string
  /** Default: `redact`. */
  readonly strategy?: Strategy
  /** What to look for; a function loads it when the guard is first used. */
  readonly scanner: TextScanner | (() => Promise<TextScanner>)
  /** Finds besides what has no form, such as names. Texts in the stream are held until their end then. */
  readonly entities?: EntityFinder | undefined
  /** The lowest score of an entity that counts. The scanner has its own. Default: 0.5. */
  readonly threshold?: number | undefined
  /** What stands in place of a finding. Default: {@link mask}. */
  readonly replacement?: Replacement
  /** The same for one run, where it depends on whose run it is. Called when the run begins. */
  readonly replacementFor?: (args: ProcessorArgs) => Replacement
  /** What it finds, for the reason of an abort: `Personal data`. Default: `Something unwanted`. */
  readonly label?: string
}

type Run = GuardRun | EntityGuardRun
/** Begins a run. */
type Begin = (settings: GuardSettings) => Run
type Hook<NAME extends keyof Processor> = NonNullable<Processor[NAME]>

/**
 * A guard that looks for something on every surface of a run and treats it by one strategy. It has the hooks its
 * surfaces need and no others. The guards of this package extend it: they differ in what they look for, and a class
 * that passes on seven hooks by hand would say nothing else.
 */
export class TextGuard implements Processor {
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
  readonly #settings: GuardSettings
  readonly #runs = new WeakMap<object, Run>()
  readonly #replacementFor: TextGuardOptions['replacementFor']
  readonly #load: () => Promise<Begin>
  /** Once it is loaded, or while it is. */
  #begin: Begin | Promise<Begin> | undefined

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor({
    id,
    scanner,
    entities,
    threshold = 0.5,
    strategy = 'redact',
    surfaces = SURFACES,
    mode = 'enforce',
    replacement = mask,
    replacementFor,
    label = 'Something unwanted',
    onDetection,
    onError = 'fail',
  }: TextGuardOptions) {
    checkGuardOptions({ strategy, mode, surfaces })
    if (entities !== undefined && typeof entities !== 'function') {
      throw new MillraceError(
        'CONFIG_INVALID',
        `entities is of type ${typeof entities}. Pass a function of a text.`,
      )
    }
    this.id = id
    this.onError = onError
    this.#replacementFor = replacementFor
    this.#load = async () => {
      const known = typeof scanner === 'function' ? await scanner() : scanner
      if (!entities) return (settings) => new GuardRun(settings, known)
      const { EntityGuardRun } = await import('./entity-guard-run.ts')
      const options = { scanner: known, find: entities, threshold, onError }
      return (settings) => new EntityGuardRun(settings, options)
    }
    if (typeof scanner !== 'function' && !entities) {
      this.#begin = (settings) => new GuardRun(settings, scanner)
    }
    const enforced = mode === 'enforce'
    const chosen = new Set(surfaces)
    this.#settings = { id, strategy, enforced, surfaces: chosen, replacement, label, onDetection }

    const isInput = chosen.has('input')
    const isOutput = SURFACES.slice(2).some((surface) => chosen.has(surface))
    if (isInput) this.processInput = (args) => this.#with(args, (run) => run.input(args))
    if (isInput || isOutput || chosen.has('history')) {
      this.processInputStep = (args) => this.#with(args, (run) => run.inputStep(args))
    }
    if (isOutput) {
      // The arguments are one object for the whole stream: what is needed is taken out before waiting.
      this.processOutputStream = (args) => {
        const { part, abort, abortSignal, messageList } = args
        return this.#with(args, (run) => run.chunk(part, { abort, abortSignal, messageList }))
      }
      if (enforced && strategy === 'filter') {
        this.processOutputStep = (args) => this.#with(args, (run) => run.outputStep(args))
      }
    }
    if (chosen.has('tool-input')) {
      this.processToolCall = (args) => this.#with(args, (run) => run.toolCall(args))
    }
    if (chosen.has('tool-result')) {
      this.processExecution = (args) => this.#with(args, (run) => run.execution(args))
      this.processToolResult = (args) => this.#with(args, (run) => run.toolResult(args))
    }
    if (isOutput || isInput)
      this.processOutputResult = (args) => this.#with(args, (run) => run.outputResult(args))
  }

  /** Goes on with what the guard knows of this run. At once, unless the scanner has yet to be loaded. */
  #with<T>(args: ProcessorArgs, use: (run: Run) => T | Promise<T>): T | Promise<T> {
    const { state } = args
    const known = this.#runs.get(state)
    if (known) return use(known)
    this.#begin ??= this.#load()
    if (typeof this.#begin === 'function') return use(this.#run(args, this.#begin))
    return this.#begin.then(
      (begin) => {
        this.#begin = begin
        return use(this.#run(args, begin))
      },
      (error) => {
        // The next run tries again.
        this.#begin = undefined
        throw error
      },
    )
  }

  #run(args: ProcessorArgs, begin: Begin): Run {
    let run = this.#runs.get(args.state)
    if (!run) {
      const replacement = this.#replacementFor?.(args) ?? this.#settings.replacement
      run = begin({ ...this.#settings, replacement })
      this.#runs.set(args.state, run)
    }
    return run
  }
}
