import { MAX_TEXT } from '../record/bounded-copy.ts'
import type { Text } from '../wire.ts'
import type { Veil } from './hidden-values.ts'

/** Shows texts and values of a run, with what is hidden in them hidden. */
export class Shown {
  readonly #veil: Veil | undefined

  /** @param veil None where everything is revealed */
  constructor(veil: Veil | undefined) {
    this.#veil = veil
  }

  text(text: string, most: number = MAX_TEXT): Text {
    const cut = text.length >= MAX_TEXT || text.length > most
    const shown = this.words(text.slice(0, most).toWellFormed())
    return cut ? { text: shown, cut: true } : { text: shown }
  }

  /** Text as it is, all else as JSON. */
  json(value: unknown): Text {
    return this.text(typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? ''))
  }

  words(text: string): string {
    return this.#veil ? this.#veil.hide(text) : text
  }
}
