import type { Detection } from '../scanner/recognizer.ts'
import type { MatchKind } from '../scanner/scan-sink.ts'
import type { EditedTextOptions } from './edited-text.ts'
import type { TextEdits } from './text-edits.ts'
import type { OpenScan } from './text-scanner.ts'

type OnMatch = EditedTextOptions['onMatch']

export interface PartedTextOptions {
  /** Begins the scan of all parts as one text. */
  readonly joined: (edits: TextEdits, onMatch: OnMatch) => OpenScan
  /** Begins the scan of one part, as a text by itself. */
  readonly alone: (edits: TextEdits, onMatch: OnMatch) => OpenScan
  readonly edits: TextEdits
  readonly onMatch: OnMatch
}

/** How much of a text before an undecided end is kept: what a recogniser looks at before a match. */
const CONTEXT = 1_024

/**
 * A text in parts, which counts as one text and part by part: a reader may be shown it either way, and a value that fills a part
 * ends there, whatever letter the next part begins with. Where the two find different things that overlap, the joined text
 * decides. Until a second part begins there is one scan.
 */
export class PartedText implements OpenScan {
  readonly #options: PartedTextOptions
  readonly #joined: OpenScan
  /** Units taken, and those of them that the joined text has decided. */
  #taken = 0
  #decided = 0
  /** The end of the first part. */
  #recent = ''
  /** The scan of the part under way, and what both scans have decided; there since a second part has begun. */
  #parts: { readonly merge: Merge; alone: OpenScan } | undefined

  constructor(options: PartedTextOptions) {
    this.#options = options
    const { edits, onMatch } = options
    const target: TextEdits = {
      pass: (units) => {
        this.#decided += units
        if (this.#parts) this.#parts.merge.joined.pass(units)
        else edits.pass(units)
      },
      insert: (text) => (this.#parts ? this.#parts.merge.joined.insert(text) : edits.insert(text)),
      skip: (units) => {
        this.#decided += units
        if (this.#parts) this.#parts.merge.joined.skip(units)
        else edits.skip(units)
      },
    }
    this.#joined = options.joined(target, onMatch)
  }

  push(piece: string): void {
    this.#taken += piece.length
    if (this.#parts) this.#parts.alone.push(piece)
    else this.#keep(piece)
    this.#joined.push(piece)
    this.#parts?.merge.flush()
  }

  /** The next piece begins another part. */
  nextPart(): void {
    if (this.#taken === 0) return
    if (this.#parts) {
      const { merge, alone } = this.#parts
      alone.end()
      merge.flush()
      this.#parts.alone = this.#open(merge, this.#taken)
    } else this.#begin()
  }

  end(): void {
    this.#parts?.alone.end()
    this.#joined.end()
    this.#parts?.merge.flush()
  }

  #keep(piece: string): void {
    this.#recent += piece
    const undecided = this.#taken - this.#decided
    if (this.#recent.length > 8 * CONTEXT + 2 * undecided)
      this.#recent = this.#recent.slice(-(CONTEXT + undecided))
  }

  /** The first part has ended. What the joined text has decided of it, it has decided without what follows. */
  #begin(): void {
    const undecided = Math.min(this.#taken - this.#decided, this.#recent.length)
    const end = this.#recent.slice(-(CONTEXT + undecided))
    this.#recent = ''
    const merge = new Merge(this.#options)
    // Not in what is kept: then it is the beginning of something longer, which the joined text decides.
    merge.alone.pass(this.#taken - this.#decided - undecided)
    const first = this.#open(merge, this.#taken - end.length, end.length - undecided)
    first.push(end)
    first.end()
    this.#parts = { merge, alone: this.#open(merge, this.#taken) }
  }

  /** @param known Units at its beginning that are decided: what is found in them is known */
  #open({ alone: side }: Merge, offset: number, known = 0): OpenScan {
    let place = 0
    const take = (units: number): number => {
      const left = Math.max(0, place + units - Math.max(place, known))
      place += units
      return left
    }
    return this.#options.alone(
      {
        pass: (units) => side.pass(take(units)),
        insert: (text) => {
          if (place >= known) side.insert(text)
        },
        skip: (units) => side.skip(take(units)),
      },
      (detection, kind) => {
        if (detection.start >= known) side.match([shifted(detection, offset), kind])
      },
    )
  }
}

type Match = [Detection, MatchKind]

interface Run {
  units: number
  readonly isSkipped: boolean
  /** What stands in its place; `undefined` where it continues what was skipped before. */
  insert: string | undefined
  matches: Match[]
}

/** What one scan has decided, in order. */
class Side implements TextEdits {
  readonly runs: Run[] = []
  #insert: string | undefined
  #matches: Match[] = []

  match(match: Match): void {
    this.#matches.push(match)
  }

  insert(text: string): void {
    this.#insert = (this.#insert ?? '') + text
  }

  pass(units: number): void {
    if (units > 0) this.#add(units, false)
  }

  skip(units: number): void {
    if (units > 0) this.#add(units, true)
  }

  #add(units: number, isSkipped: boolean): void {
    const insert = isSkipped ? this.#insert : undefined
    this.runs.push({ units, isSkipped, insert, matches: this.#matches.splice(0) })
    if (isSkipped) this.#insert = undefined
  }
}

/** Passes on what both sides have decided. A unit passes where both let it pass. */
class Merge {
  readonly joined: Side = new Side()
  readonly alone: Side = new Side()
  readonly #options: PartedTextOptions

  constructor(options: PartedTextOptions) {
    this.#options = options
  }

  flush(): void {
    const [ours, others] = [this.joined.runs, this.alone.runs]
    let [first, other] = [0, 0]
    try {
      for (;;) {
        const [joined, alone] = [ours[first], others[other]]
        if (!joined || !alone) return
        const units = Math.min(joined.units, alone.units)
        this.#take(joined, alone, units)
        joined.units -= units
        alone.units -= units
        if (joined.units === 0) first++
        if (alone.units === 0) other++
      }
    } finally {
      ours.splice(0, first)
      others.splice(0, other)
    }
  }

  #take(joined: Run, alone: Run, units: number): void {
    const { edits, onMatch } = this.#options
    const run = joined.isSkipped || !alone.isSkipped ? joined : alone
    for (const match of run.matches.splice(0)) onMatch(...match)
    if (!run.isSkipped) {
      edits.pass(units)
      return
    }
    const { insert } = run
    run.insert = undefined
    // Of two that overlap, what stands for the first stands for both.
    alone.insert = undefined
    alone.matches = []
    if (insert !== undefined) edits.insert(insert)
    edits.skip(units)
  }
}

function shifted(detection: Detection, by: number): Detection {
  return { ...detection, start: detection.start + by, end: detection.end + by }
}
