import { MillraceError } from '@millrace/core'
import type { HookContext } from '../guard/treatment.ts'
import type { JudgementEvent } from './judgement-event.ts'
import type { Check, Judgement } from './verdict.ts'
import type { Window } from './windows.ts'

const HARMLESS: Judgement = {
  flagged: false,
  categories: [],
  score: 0,
  reason: '',
  calls: 0,
  inputTokens: 0,
  outputTokens: 0,
}

/** The cost of all judgements of one run. */
export interface Cost {
  calls: number
  inputTokens: number
  outputTokens: number
}

export interface WindowJudgeOptions {
  readonly id: string
  readonly check: Check
  readonly onJudgement: ((event: JudgementEvent) => void) | undefined
}

/** Judges windows in one run, and adds up the cost. */
export class WindowJudge {
  readonly #options: WindowJudgeOptions
  readonly cost: Cost = { calls: 0, inputTokens: 0, outputTokens: 0 }
  /** Judgements that were made in advance by `ahead`, by text. */
  readonly #judgedAhead = new Map<string, Judgement>()

  constructor(options: WindowJudgeOptions) {
    this.#options = options
  }

  /** Judges windows. The judgements are in the order of the windows. */
  async judge(windows: readonly Window[], surface: string, context: HookContext): Promise<Judgement[]> {
    const judged = new Map<Window, Judgement>()
    const unknown: Window[] = []
    for (const window of windows) {
      const known = isBlank(window) ? HARMLESS : this.#take(window)
      if (known) judged.set(window, known)
      else unknown.push(window)
    }
    const judgements = await this.#check(unknown, surface, context)
    for (const [index, window] of unknown.entries()) judged.set(window, judgements[index] as Judgement)
    return windows.map((window) => judged.get(window) as Judgement)
  }

  /** Judges windows in advance, for a later call of `of`. */
  async judgeAhead(windows: readonly Window[], surface: string, context: HookContext): Promise<void> {
    const unknown = windows.filter((window) => !isBlank(window) && !this.#judgedAhead.has(textOf(window)))
    const judgements = await this.#check(unknown, surface, context)
    for (const [index, window] of unknown.entries()) {
      this.#judgedAhead.set(textOf(window), judgements[index] as Judgement)
    }
  }

  #take(window: Window): Judgement | undefined {
    const text = textOf(window)
    const known = this.#judgedAhead.get(text)
    this.#judgedAhead.delete(text)
    return known
  }

  async #check(
    windows: readonly Window[],
    surface: string,
    { abortSignal, reportUsage, requestContext }: HookContext,
  ): Promise<readonly Judgement[]> {
    if (windows.length === 0) return []
    const { id, check, onJudgement } = this.#options
    const judgements = await check(windows.map(textOf), { abortSignal, reportUsage, requestContext })
    if (judgements.length !== windows.length) {
      throw new MillraceError(
        'PROCESSOR_RESULT_INVALID',
        `The check of '${id}' returned ${judgements.length} judgements for ${windows.length} texts. Return one for each text.`,
      )
    }
    for (const judgement of judgements) {
      this.cost.calls += judgement.calls
      this.cost.inputTokens += judgement.inputTokens
      this.cost.outputTokens += judgement.outputTokens
      onJudgement?.({ ...judgement, processorId: id, surface: surface as JudgementEvent['surface'] })
    }
    return judgements
  }
}

/** The text that is judged for a window. */
function textOf({ before, text }: Window): string {
  return before + text
}

function isBlank({ text }: Window): boolean {
  return text.trim() === ''
}
