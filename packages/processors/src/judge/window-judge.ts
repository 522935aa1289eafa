import { MillraceError, type ProcessorArgs } from '@millrace/core'
import { rewriteJson } from '../guard/json-value.ts'
import type { Place } from '../guard/treatment.ts'
import { REDACTED, type WindowSettings, WindowTreatment } from './treatment.ts'
import { textOf, type Unit } from './units.ts'
import type { Judgement } from './verdict.ts'
import { type Window, windowsOf } from './windows.ts'

/** What a check is given of the hook that asks for it. */
export type Asking = Pick<ProcessorArgs, 'abortSignal' | 'reportUsage' | 'requestContext'>

const HARMLESS: Judgement = {
  flagged: false,
  categories: [],
  score: 0,
  reason: '',
  calls: 0,
  inputTokens: 0,
  outputTokens: 0,
}

/** Has what is said in one run judged window by window, and treats it. */
export class WindowJudge {
  readonly #settings: WindowSettings
  readonly #treatment: WindowTreatment

  constructor(settings: WindowSettings) {
    this.#settings = settings
    this.#treatment = new WindowTreatment(settings)
  }

  /** Units, judged at the same time, as they are left. JSON that is flagged loses all its strings. */
  async units(units: readonly Unit[], place: Place, asking: Asking): Promise<Unit[]> {
    const texts = units.map(textOf)
    const left = await this.#whole(texts, place, asking)
    return units.map((unit, index) => {
      if (left[index] === texts[index]) return unit
      return typeof unit === 'string' ? left[index] : rewriteJson(unit, () => REDACTED)
    })
  }

  /** A JSON value, judged as one text. What is flagged loses all its strings. */
  async value(value: unknown, place: Place, asking: Asking): Promise<unknown> {
    const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
    await this.#whole([text], place, asking)
    const { treatment } = this.#settings
    if (!place.found || treatment === 'warn' || (treatment === 'block' && !place.isPast)) return value
    return rewriteJson(value, () => REDACTED)
  }

  async judge(window: Window, place: Place, asking: Asking): Promise<Judgement> {
    return (await this.#judge([window], place, asking))[0] as Judgement
  }

  treat(window: Window, judgement: Judgement, place: Place): string {
    return this.#treatment.treat(window, judgement, place)
  }

  /** Whole texts, judged at the same time, as they are left. */
  async #whole(texts: readonly string[], place: Place, asking: Asking): Promise<string[]> {
    const windows = texts.map((text) => windowsOf(text, this.#settings.windows))
    const judgements = await this.#judge(windows.flat(), place, asking)
    let next = 0
    return windows.map((ofText) =>
      ofText.map((window) => this.#treatment.treat(window, judgements[next++] as Judgement, place)).join(''),
    )
  }

  async #judge(
    windows: readonly Window[],
    { surface }: Place,
    { abortSignal, reportUsage, requestContext }: Asking,
  ): Promise<Judgement[]> {
    const asked = windows.filter(({ text }) => text.trim() !== '')
    if (asked.length === 0) return windows.map(() => HARMLESS)
    const judged = await this.#settings.check(
      asked.map(({ before, text }) => before + text),
      { abortSignal, reportUsage, requestContext },
    )
    if (judged.length !== asked.length) {
      throw new MillraceError(
        'PROCESSOR_RESULT_INVALID',
        `The check of '${this.#settings.id}' gave ${judged.length} judgements of ${asked.length} texts. Return one for each.`,
      )
    }
    for (const judgement of judged) this.#treatment.count(judgement, surface)
    let next = 0
    return windows.map((window) => (window === asked[next] ? (judged[next++] as Judgement) : HARMLESS))
  }
}
