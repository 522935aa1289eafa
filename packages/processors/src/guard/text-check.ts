import type { Detection } from '../scanner/recognizer.ts'
import { GuardedText } from './guarded-text.ts'
import { rewriteJson } from './json-value.ts'
import type { TextScanner } from './text-scanner.ts'
import { type GuardSettings, type Place, Treatment } from './treatment.ts'

/** Looks at texts and treats what is found, as one guard does in one run. */
export class TextCheck {
  readonly treatment: Treatment
  readonly #settings: GuardSettings
  readonly #scanner: TextScanner

  constructor(settings: GuardSettings, scanner: TextScanner) {
    this.#settings = settings
    this.#scanner = scanner
    this.treatment = new Treatment(settings)
  }

  /** A whole text as it is left. `name`: that of the property whose value it is. */
  text(text: string, place: Place, name?: string): string {
    const { enforced, strategy } = this.#settings
    const { replacement } = this.treatment
    const found: Detection[] = []
    const guarded = new GuardedText({
      scanner: this.#scanner,
      json: place.surface === 'object',
      name,
      replacement,
      onMatch: (detection) => {
        found.push(detection)
      },
    })
    const out = guarded.push(text) + guarded.end()
    if (found.length === 0) return text
    place.found = true
    if (this.treatment.blocks(place)) this.treatment.block(found, place)
    for (const detection of found) this.treatment.report(detection, place)
    return enforced && strategy === 'block' && !place.isPast ? text : out
  }

  /** A text, or JSON with texts in it, as it is left. */
  value(value: unknown, place: Place, options?: { numbers: boolean }): unknown {
    return rewriteJson(value, (text, name) => this.text(text, place, name), options)
  }

  /** A text that arrives in pieces. With `stopsAtMatch` nothing comes out from the first finding on. */
  open(place: Place, { json, stopsAtMatch }: { json: boolean | undefined; stopsAtMatch: boolean }): OpenText {
    const unreported: Detection[] = []
    const guarded = new GuardedText({
      scanner: this.#scanner,
      json,
      replacement: this.treatment.replacement,
      stopAtMatch: stopsAtMatch,
      onMatch: (detection, kind) => {
        place.found = true
        if (this.treatment.blocks(place)) this.treatment.block([detection], place)
        if (kind.open) unreported.push(detection)
        else this.treatment.report(detection, place)
      },
    })
    return {
      push: (piece) => guarded.push(piece),
      end: () => {
        const tail = guarded.end()
        for (const detection of unreported) this.treatment.report(detection, place)
        return tail
      },
    }
  }
}

/** A text on its way: what comes out of each piece, and of its end. */
export interface OpenText {
  push(piece: string): string
  end(): string
}
