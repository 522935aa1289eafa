import { MillraceError, type Processor, type ProcessorArgs } from '@millrace/core'
import { requireOneOf } from '../require-one-of.ts'
import { parsePattern } from '../scanner/pattern.ts'
import { InjectionRun, type InjectionSettings } from './injection-run.ts'
import type { InjectionScorer } from './injection-scorer.ts'
import {
  INJECTION_SURFACES,
  type InjectionSurface,
  type PromptInjectionDetectorOptions,
  THRESHOLDS,
} from './options.ts'

type Hook<NAME extends keyof Processor> = NonNullable<Processor[NAME]>

/**
 * Finds attempts to take the model over: orders hidden in what it reads. No model is needed; what looks for them is
 * loaded when it is first used. Blocks them, unless told otherwise.
 */
export class PromptInjectionDetector implements Processor {
  readonly id: string
  readonly onError: 'fail' | 'skip'
  readonly processInput?: Hook<'processInput'>
  readonly processInputStep?: Hook<'processInputStep'>
  readonly processToolResult?: Hook<'processToolResult'>
  readonly #settings: InjectionSettings
  readonly #runs = new WeakMap<object, InjectionRun>()
  readonly #load: () => Promise<InjectionScorer>
  #scorer: InjectionScorer | undefined

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor({
    id = 'prompt-injection-detector',
    strategy = 'block',
    surfaces = INJECTION_SURFACES,
    threshold = 'balanced',
    inputScope = 'all',
    patterns = [],
    mode = 'enforce',
    onDetection,
    onError = 'fail',
  }: PromptInjectionDetectorOptions = {}) {
    requireOneOf('strategy', strategy, ['block', 'warn', 'filter', 'rewrite'])
    requireOneOf('mode', mode, ['enforce', 'monitor'])
    requireOneOf('inputScope', inputScope, ['last', 'all'])
    for (const surface of surfaces) requireOneOf('surfaces', surface, INJECTION_SURFACES)
    this.id = id
    this.onError = onError
    const thresholds = thresholdsOf(threshold, surfaces)
    this.#settings = { id, strategy, enforced: mode === 'enforce', thresholds, inputScope, onDetection }
    // What cannot be run is refused at once; all else waits for the first use.
    for (const each of patterns) parsePattern(each instanceof RegExp ? each : each.pattern)
    this.#load = async () => {
      const { loadScorer } = await import('./load-scorer.ts')
      return loadScorer(patterns)
    }
    if (surfaces.length === 0) return
    if (surfaces.includes('input') || surfaces.includes('file')) {
      this.processInput = (args) => this.#with(args, (run) => run.input(args))
    }
    this.processInputStep = (args) => this.#with(args, (run) => run.inputStep(args))
    if (surfaces.includes('tool-result')) {
      this.processToolResult = (args) => this.#with(args, (run) => run.toolResult(args))
    }
  }

  /** Goes on with what the guard knows of this run. At once, unless the scorer has yet to be loaded. */
  #with<T>({ state }: ProcessorArgs, use: (run: InjectionRun) => T): T | Promise<T> {
    const begin = (scorer: InjectionScorer): T => {
      this.#scorer = scorer
      let run = this.#runs.get(state)
      if (!run) {
        run = new InjectionRun(this.#settings, scorer)
        this.#runs.set(state, run)
      }
      return use(run)
    }
    return this.#scorer ? begin(this.#scorer) : this.#load().then(begin)
  }
}

function thresholdsOf(
  threshold: NonNullable<PromptInjectionDetectorOptions['threshold']>,
  surfaces: readonly InjectionSurface[],
): Partial<Record<InjectionSurface, number>> {
  if (typeof threshold === 'string') requireOneOf('threshold', threshold, Object.keys(THRESHOLDS))
  const chosen = surfaces.map((surface): [InjectionSurface, number] => {
    if (typeof threshold === 'number') return [surface, threshold]
    if (typeof threshold === 'string') return [surface, THRESHOLDS[threshold][surface]]
    return [surface, threshold[surface] ?? THRESHOLDS.balanced[surface]]
  })
  for (const [surface, value] of chosen) {
    if (value >= 0 && value <= 1) continue
    throw new MillraceError(
      'CONFIG_INVALID',
      `threshold for ${surface} is ${value}. Use a number from 0 to 1.`,
    )
  }
  return Object.fromEntries(chosen)
}
