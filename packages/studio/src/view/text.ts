import { MAX_TEXT } from '../record/bounded-copy.ts'
import type { Text } from '../wire.ts'
import type { ValueMask } from './hidden-values.ts'

/** Prepares texts and values of a run for display, with found values hidden. */
export class Shown {
  readonly #mask: ValueMask | undefined

  /** @param veil `undefined` to reveal all values */
  constructor(mask: ValueMask | undefined) {
    this.#mask = mask
  }

  text(text: string, most: number = MAX_TEXT): Text {
    const cut = text.length >= MAX_TEXT || text.length > most
    const shown = this.words(text.slice(0, most).toWellFormed())
    return cut ? { text: shown, cut: true } : { text: shown }
  }

  /** A string unchanged; any other value as JSON. */
  json(value: unknown): Text {
    return this.text(typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? ''))
  }

  words(text: string): string {
    return this.#mask ? this.#mask.hide(text) : text
  }
}
