import { MillraceError, type Processor, type ProcessorArgs } from '@millrace/core'
import {
  checkGuardOptions,
  type GuardOptions,
  type Strategy,
  SURFACES,
  type Surface,
} from '../guard/options.ts'
import type { WindowSettings } from './treatment.ts'
import type { Check, Judgement } from './verdict.ts'
import { WindowRun } from './window-run.ts'

/** A judgement, and where in the run it was made. */
export interface JudgementEvent extends Judgement {
  readonly processorId: string
  readonly surface: Surface
}

export interface WindowOptions extends GuardOptions {
  /** The longest piece of text judged at once, in UTF-16 units. Default: 2,000. */
  readonly window?: number
  /** How much of the window before is judged again with the next. Default: 200. */
  readonly overlap?: number
  /** Called for every judgement, flagged or not: what was asked, and what it cost. What it throws fails the run. */
  readonly onJudgement?: (event: JudgementEvent) => void
}

export interface WindowGuardOptions extends WindowOptions {
  readonly id: string
  readonly check: Check
  /** What it finds, for the reason of an abort: `Something unwanted was`. */
  readonly label: string
}

type Hook<NAME extends keyof Processor> = NonNullable<Processor[NAME]>

const LONGEST_OVERLAP = 0.5

/** A guard that has texts checked window by window, by a model or a service that takes its time. */
export class WindowGuard implements Processor {
  readonly id: string
  readonly onError: 'fail' | 'skip'
  readonly processInput?: Hook<'processInput'>
  readonly processInputStep?: Hook<'processInputStep'>
  readonly processOutputStream?: Hook<'processOutputStream'>
  readonly processToolCall?: Hook<'processToolCall'>
  readonly processExecution?: Hook<'processExecution'>
  readonly processToolResult?: Hook<'processToolResult'>
  readonly processOutputResult?: Hook<'processOutputResult'>
  readonly #settings: WindowSettings
  readonly #runs = new WeakMap<object, WindowRun>()

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor({
    id,
    check,
    label,
    strategy = 'block',
    surfaces = SURFACES,
    mode = 'enforce',
    window = 2_000,
    overlap = Math.min(200, Math.floor(window / 10)),
    onError = 'fail',
    onDetection,
    onJudgement,
  }: WindowGuardOptions) {
    checkGuardOptions({ strategy, mode, surfaces })
    if (!Number.isInteger(window) || window < 1) {
      throw new MillraceError('CONFIG_INVALID', `window is ${window}. Use a whole number above 0.`)
    }
    if (!Number.isInteger(overlap) || overlap < 0 || overlap > window * LONGEST_OVERLAP) {
      throw new MillraceError(
        'CONFIG_INVALID',
        `overlap is ${overlap}. Use a whole number up to half of window.`,
      )
    }
    this.id = id
    this.onError = onError
    const chosen = new Set(surfaces)
    const treatment: Strategy = mode === 'enforce' ? strategy : 'warn'
    const isEnforced = mode === 'enforce'
    const windows = { size: window, overlap }
    const treated = { strategy, treatment, isEnforced, onDetection, onJudgement }
    this.#settings = { ...treated, id, check, label, surfaces: chosen, windows }

    const isOutput = SURFACES.slice(2).some((surface) => chosen.has(surface))
    if (chosen.has('input')) this.processInput = (args) => this.#run(args).input(args)
    if (chosen.has('input') || chosen.has('history') || isOutput) {
      this.processInputStep = (args) => this.#run(args).inputStep(args)
    }
    if (isOutput) {
      this.processOutputStream = (args) => this.#run(args).chunk(args.part, args)
      this.processOutputResult = (args) => this.#run(args).outputResult(args)
    }
    if (chosen.has('tool-input')) this.processToolCall = (args) => this.#run(args).toolCall(args)
    if (chosen.has('tool-result')) {
      this.processExecution = (args) => this.#run(args).execution(args)
      this.processToolResult = (args) => this.#run(args).toolResult(args)
    }
  }

  #run({ state }: ProcessorArgs): WindowRun {
    let run = this.#runs.get(state)
    if (!run) {
      run = new WindowRun(this.#settings)
      this.#runs.set(state, run)
    }
    return run
  }
}
