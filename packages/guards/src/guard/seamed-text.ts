import type { EditedText, EditedTextOptions } from './edited-text.ts'
import type { SeamMatch, SeamScan } from './seam-scan.ts'
import type { TextEdits } from './text-edits.ts'
import type { OpenScan } from './text-scanner.ts'

type OnMatch = EditedTextOptions['onMatch']

export interface SeamedTextOptions {
  /** An open scan over the text before and this one. */
  readonly seam: SeamScan
  readonly edits: TextEdits
  /** Opens the scan of this text by itself. */
  readonly own: (edits: TextEdits, onMatch: OnMatch) => EditedText
  readonly onMatch: OnMatch
  /** Treats a match over the boundary. Returns its replacement. */
  readonly onSeam: (match: SeamMatch) => string
}

type Step = { pass: number } | { skip: number } | { insert: string } | { match: Parameters<OnMatch> }

/**
 * A text in chunks whose beginning may complete a match of the text before. Until that is known, the decisions of its
 * own scan are buffered.
 */
export class SeamedText implements OpenScan {
  readonly #options: SeamedTextOptions
  readonly #own: EditedText
  /** Decisions that were made while the boundary was open. */
  #waiting: Step[] | undefined = []
  /** Units that the text's own scan has decided, and the position up to which the boundary scan has decided them. */
  #place = 0
  #decided = 0

  constructor(options: SeamedTextOptions) {
    this.#options = options
    const target: TextEdits = {
      pass: (pass) => {
        if (this.#waiting || this.#place < this.#decided) this.#step({ pass })
        else options.edits.pass(pass)
      },
      insert: (insert) => this.#step({ insert }),
      skip: (skip) => this.#step({ skip }),
    }
    this.#own = options.own(target, (...match) => this.#step({ match }))
  }

  push(piece: string): void {
    if (this.#waiting) this.#options.seam.push(piece)
    this.#own.push(piece)
    if (!this.#options.seam.isOpen) this.#settle()
  }

  end(): void {
    if (this.#waiting) this.#options.seam.end()
    this.#own.end()
    this.#settle()
  }

  /** The boundary is decided: emits what was buffered. */
  #settle(): void {
    const steps = this.#waiting
    if (!steps) return
    const { seam, edits, onSeam } = this.#options
    const { match } = seam
    this.#waiting = undefined
    if (match && !meets(steps, match)) {
      const insert = onSeam(match)
      const before = steps.splice(0)
      // The match may begin after the boundary, if the text before ends with its context words. The units before it
      // pass.
      this.#decided = 0
      if (match.start > 0) edits.pass(match.start)
      edits.insert(insert)
      edits.skip(match.end - match.start)
      this.#decided = match.end
      steps.push(...before)
    }
    this.#place = 0
    for (const step of steps) this.#step(step)
  }

  #step(step: Step): void {
    if (this.#waiting) {
      this.#waiting.push(step)
      return
    }
    const { edits, onMatch } = this.#options
    if ('insert' in step) {
      if (this.#place >= this.#decided) edits.insert(step.insert)
    } else if ('match' in step) {
      if (this.#place >= this.#decided) onMatch(...step.match)
    } else if ('pass' in step) {
      const units = this.#undecidedOf(step.pass)
      if (units > 0) edits.pass(units)
    } else {
      const units = this.#undecidedOf(step.skip)
      if (units > 0) edits.skip(units)
    }
  }

  /** How many of the next units the boundary scan has not decided. */
  #undecidedOf(units: number): number {
    const end = this.#place + units
    const undecided = Math.max(0, end - Math.max(this.#place, this.#decided))
    this.#place = end
    return undecided
  }
}

/**
 * Whether the text's own scan found something that overlaps a match of the boundary scan that is entirely in this text.
 */
function meets(steps: readonly Step[], { start, end }: SeamMatch): boolean {
  if (start === 0) return false
  let place = 0
  for (const step of steps) {
    if ('pass' in step) place += step.pass
    else if ('skip' in step) {
      if (place < end && start < place + step.skip) return true
      place += step.skip
    }
  }
  return false
}
