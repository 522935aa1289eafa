import {
  type Chunk,
  type Message,
  MillraceError,
  type OptionNames,
  PerRun,
  type ProcessInputStepArgs,
  type ProcessOutputStreamArgs,
  type Processor,
  requireCount,
  requireOptions,
  type StepResult,
  userMessage,
} from '@millrace/core'
import { RepeatedText } from './repeated-text.ts'
import { type Repetition, repetitionIn } from './repetition.ts'
import { fingerprintOf } from './step-fingerprint.ts'

export interface LoopDetectorOptions {
  /** Identifies the processor in results, events and errors. Default: `'loop-detector'`. */
  readonly id?: string
  /** How many equal steps or cycles in a row warn the model. Default: 3. */
  readonly warnAfter?: number
  /** How many equal steps or cycles in a row halt the run. Default: 5. */
  readonly haltAfter?: number
  /** The maximum length of a detected cycle, in steps: 2 finds A B A B, 3 also A B C A B C. Default: 6. */
  readonly maxCycle?: number
  /** Treat equal calls with different results as different, such as a status that is polled. Default: `false`. */
  readonly compareResults?: boolean
  /** Also detect repetition within a response. Default: `true`. */
  readonly repeatedText?: boolean
  /** A function that returns the warning: a user message that only the next prompt contains. Default: a sentence. */
  readonly warning?: (loop: LoopDetectorEvent) => string
  /** The answer of a halted run. Default: a sentence. */
  readonly response?: string
  /** Called for every warning and when the run is halted. An error it throws fails the run. */
  readonly onLoop?: (loop: LoopDetectorEvent) => void
}

const LOOP_DETECTOR_OPTIONS: OptionNames<LoopDetectorOptions> = {
  id: 'optional',
  warnAfter: 'optional',
  haltAfter: 'optional',
  maxCycle: 'optional',
  compareResults: 'optional',
  repeatedText: 'optional',
  warning: 'optional',
  response: 'optional',
  onLoop: 'optional',
}

/** The repetition that was found. Contains no input and no text, which may be confidential. */
export interface LoopDetectorEvent extends Repetition {
  readonly processorId: string
  /** The number of the step before which it was found. */
  readonly stepNumber: number
  readonly action: 'warn' | 'halt'
  /** The tools that are called repeatedly. Empty if the same text is repeated. */
  readonly toolNames: readonly string[]
}

/**
 * Detects steps that repeat: the same calls with the same input, the same text without calls, and cycles of them such
 * as A B A B. First the model is warned before each further step; then the run is halted. Calls with different inputs,
 * such as pages that are read one after the other, are not a loop. Repetition within a response is stopped while it is
 * streamed.
 */
export class LoopDetector implements Processor {
  readonly id: string
  readonly #warnAfter: number
  readonly #haltAfter: number
  readonly #maxCycle: number
  readonly #compareResults: boolean
  readonly #warning: (loop: LoopDetectorEvent) => string
  readonly #response: string
  readonly #onLoop: LoopDetectorOptions['onLoop']
  readonly processOutputStream?: NonNullable<Processor['processOutputStream']>
  /** By run: the text or reasoning that is being streamed. */
  readonly #texts = new PerRun<RepeatedText>()
  readonly #fingerprints = new WeakMap<StepResult, readonly string[]>()

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(options: LoopDetectorOptions = {}) {
    const {
      id = 'loop-detector',
      warnAfter = 3,
      haltAfter = 5,
      maxCycle = 6,
      compareResults = false,
      repeatedText = true,
      warning = defaultWarning,
      response = 'I stopped because I kept repeating myself without getting any further.',
      onLoop,
    } = requireOptions('LoopDetector', options, LOOP_DETECTOR_OPTIONS)
    this.id = id
    this.#warnAfter = requireCount('warnAfter', warnAfter, 2)
    this.#haltAfter = requireCount('haltAfter', haltAfter, 2)
    this.#maxCycle = requireCount('maxCycle', maxCycle, 1)
    if (haltAfter <= warnAfter) {
      throw new MillraceError(
        'CONFIG_INVALID',
        `haltAfter is ${haltAfter} and warnAfter ${warnAfter}: the model would not be warned before. Use a larger haltAfter.`,
      )
    }
    this.#compareResults = compareResults
    this.#warning = warning
    this.#response = response
    this.#onLoop = onLoop
    if (repeatedText) this.processOutputStream = (args) => this.#chunk(args)
  }

  processInputStep({ steps, messages, stepNumber, halt }: ProcessInputStepArgs): Message[] | undefined {
    const recent = steps.slice(-this.#maxCycle * this.#haltAfter)
    const repetition = repetitionIn(
      recent.flatMap((step) => this.#fingerprintOf(step)),
      { maxCycle: this.#maxCycle },
    )
    if (repetition.times < this.#warnAfter) return undefined
    const action = repetition.times < this.#haltAfter ? 'warn' : 'halt'
    const toolNames = toolsOf(recent.slice(-repetition.cycle))
    const loop: LoopDetectorEvent = { ...repetition, processorId: this.id, stepNumber, action, toolNames }
    this.#onLoop?.(loop)
    if (action === 'warn') return [...messages, userMessage(this.#warning(loop))]
    return halt(this.#response, { reason: 'The steps repeated themselves.', metadata: loop })
  }

  #chunk({ part, state, stepNumber, abort, halt }: ProcessOutputStreamArgs): Chunk {
    if (part.type === 'text-start' || part.type === 'reasoning-start') {
      this.#texts.set(state, new RepeatedText())
    }
    if (part.type !== 'text-delta' && part.type !== 'reasoning-delta') return part
    const times = this.#texts.get(state)?.push(part.textDelta)
    if (times === undefined) return part
    const action = state.warned ? 'halt' : 'warn'
    const loop: LoopDetectorEvent = {
      cycle: 1,
      times,
      processorId: this.id,
      stepNumber,
      action,
      toolNames: [],
    }
    this.#onLoop?.(loop)
    if (action === 'halt')
      return halt(this.#response, { reason: 'The text repeated itself.', metadata: loop })
    state.warned = true
    return abort(this.#warning(loop), { retry: true, metadata: loop })
  }

  #fingerprintOf(step: StepResult): readonly string[] {
    let fingerprint = this.#fingerprints.get(step)
    if (!fingerprint) {
      fingerprint = fingerprintOf(step, { compareResults: this.#compareResults })
      this.#fingerprints.set(step, fingerprint)
    }
    return fingerprint
  }
}

function toolsOf(steps: readonly StepResult[]): string[] {
  return [...new Set(steps.flatMap(({ toolCalls }) => toolCalls.map(({ toolName }) => toolName)))]
}

function defaultWarning({ cycle, times, toolNames }: LoopDetectorEvent): string {
  const what =
    toolNames.length === 0
      ? 'said the same'
      : cycle === 1
        ? `called ${toolNames.join(', ')} with the same input`
        : `gone through the same ${cycle} steps (${toolNames.join(', ')})`
  return `You have ${what} ${times} times in a row. Doing it again will bring nothing new: try something else, or answer with what you know.`
}
