import { type GuardOptions, type Strategy, SURFACE_NAMES, type Surface } from '../guard/options.ts'
import type { Place } from '../guard/treatment.ts'
import type { Check, Judgement } from './verdict.ts'
import type { JudgementEvent } from './window-guard.ts'
import type { Window, WindowSize } from './windows.ts'

/** A guard's settings, complete. */
export interface WindowSettings {
  readonly id: string
  readonly check: Check
  readonly label: string
  readonly strategy: Strategy
  /** What is done: the strategy, or nothing but a report. */
  readonly treatment: Strategy
  readonly isEnforced: boolean
  readonly surfaces: ReadonlySet<Surface>
  readonly windows: WindowSize
  readonly onDetection: GuardOptions['onDetection']
  readonly onJudgement: ((event: JudgementEvent) => void) | undefined
}

export const REDACTED = '[REDACTED]'

/** What the judgements of one run have cost. */
export interface Cost {
  calls: number
  inputTokens: number
  outputTokens: number
}

/** Treats what was flagged, and counts. */
export class WindowTreatment {
  readonly #settings: WindowSettings
  readonly cost: Cost = { calls: 0, inputTokens: 0, outputTokens: 0 }

  constructor(settings: WindowSettings) {
    this.#settings = settings
  }

  count(judgement: Judgement, surface: Surface): void {
    this.cost.calls += judgement.calls
    this.cost.inputTokens += judgement.inputTokens
    this.cost.outputTokens += judgement.outputTokens
    this.#settings.onJudgement?.({ ...judgement, processorId: this.#settings.id, surface })
  }

  /** What stands in place of a window. Ends the run if the strategy is to block. */
  treat(window: Window, judgement: Judgement, place: Place): string {
    if (!judgement.flagged) return window.text
    const { treatment } = this.#settings
    place.found = true
    this.#report(window, judgement, place)
    if (treatment === 'warn') return window.text
    // What nobody has judged is not to be changed but stopped; and half of a JSON text is none.
    const isDecided = judgement.failure === undefined && place.surface !== 'object'
    if (treatment === 'block' || !isDecided) this.#block(judgement, place)
    return treatment === 'redact' || place.isPast ? REDACTED : treatment === 'filter' ? '' : window.text
  }

  #block({ categories, score, failure }: Judgement, { surface, abort }: Place): void {
    const { label } = this.#settings
    const what = SURFACE_NAMES[surface]
    const reason =
      failure === undefined
        ? `${label} found in ${what}${categories.length > 0 ? `: ${categories.join(', ')}` : ''}.`
        : `There is no verdict about ${what}: the check failed.`
    abort?.(reason, { metadata: { surface, categories: [...categories], score, judge: { ...this.cost } } })
  }

  #report(window: Window, { categories, score }: Judgement, place: Place): void {
    const { id, strategy, isEnforced, onDetection } = this.#settings
    const { surface, messageId, toolCallId } = place
    for (const type of categories.length > 0 ? categories : ['flagged']) {
      onDetection?.({
        type,
        start: window.start,
        end: window.start + window.text.length,
        score,
        recognizer: id,
        processorId: id,
        surface,
        strategy,
        enforced: isEnforced,
        ...(messageId !== undefined && { messageId }),
        ...(toolCallId !== undefined && { toolCallId }),
      })
    }
  }
}
