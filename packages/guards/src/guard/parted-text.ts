import type { Detection } from '../scanner/recognizer.ts'
import type { MatchKind } from '../scanner/scan-sink.ts'
import type { EditedTextOptions } from './edited-text.ts'
import type { TextEdits } from './text-edits.ts'
import type { OpenScan } from './text-scanner.ts'

type OnMatch = EditedTextOptions['onMatch']

export interface PartedTextOptions {
  /** Opens the scan of all parts as one text. */
  readonly joined: (edits: TextEdits, onMatch: OnMatch) => OpenScan
  /** Opens the scan of one part as a text of its own. */
  readonly alone: (edits: TextEdits, onMatch: OnMatch) => OpenScan
  readonly edits: TextEdits
  readonly onMatch: OnMatch
}

/**
 * How much text before the undecided end is kept, in UTF-16 units: the context that a recognizer reads before a match.
 */
const CONTEXT = 1_024

/**
 * Scans a text in parts twice: as one text, and each part by itself. A reader may show it either way, and a value at
 * the end of a part ends there, whatever letter the next part begins with. If matches of the two scans overlap, the
 * joined text decides. Before a second part begins there is only one scan.
 */
export class PartedText implements OpenScan {
  readonly #options: PartedTextOptions
  readonly #joined: OpenScan
  /** Units taken, and how many of them the joined scan has decided. */
  #taken = 0
  #decided = 0
  /** The end of the first part, in two strings: the older one is replaced when the other is long enough. */
  #earlier = ''
  #recent = ''
  /** The scan of the current part, and the decisions of both scans. Set when a second part begins. */
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

  /** The next chunk begins another part. */
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
    if (this.#recent.length < CONTEXT + this.#taken - this.#decided) return
    this.#earlier = this.#recent
    this.#recent = ''
  }

  /** The first part has ended. What the joined scan decided so far, it decided without the next part. */
  #begin(): void {
    const kept = this.#earlier + this.#recent
    const undecided = Math.min(this.#taken - this.#decided, kept.length)
    const end = kept.slice(-(CONTEXT + undecided))
    this.#earlier = ''
    this.#recent = ''
    const merge = new Merge(this.#options)
    // Undecided text beyond what is kept is the beginning of a long match: the joined text decides it.
    merge.alone.pass(this.#taken - this.#decided - undecided)
    const first = this.#open(merge, this.#taken - end.length, end.length - undecided)
    first.push(end)
    first.end()
    this.#parts = { merge, alone: this.#open(merge, this.#taken) }
  }

  /** @param known Units at its beginning that are decided: matches in them are already reported */
  #open({ alone: side }: Merge, offset: number, known = 0): OpenScan {
    let place = 0
    const take = (units: number): number => {
      const undecided = Math.max(0, place + units - Math.max(place, known))
      place += units
      return undecided
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
  /** The replacement; `undefined` if this run continues the skipped run before it. */
  insert: string | undefined
  matches: Match[]
}

/** The decisions of one scan, in order. */
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

/** Emits what both scans have decided. A unit passes only if both scans pass it. */
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
    // Of two overlapping matches, only the replacement of the first is inserted.
    alone.insert = undefined
    alone.matches = []
    if (insert !== undefined) edits.insert(insert)
    edits.skip(units)
  }
}

function shifted(detection: Detection, by: number): Detection {
  return { ...detection, start: detection.start + by, end: detection.end + by }
}
