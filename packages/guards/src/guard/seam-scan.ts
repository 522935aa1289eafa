import type { Detection } from '../scanner/recognizer.ts'
import type { ScanSink } from '../scanner/scan-sink.ts'
import type { OpenScan, TextScanner } from './text-scanner.ts'

/** What was found over the end of one text and the beginning of the next. */
export interface SeamMatch {
  /** In the text before; its length where only the words before a value are there. */
  readonly from: number
  /** In the next text: where it begins and ends. */
  readonly start: number
  end: number
  /** In units of the next text. */
  readonly detections: Detection[]
  readonly first: { readonly detection: Detection; readonly value: string }
}

/** How far it is looked for in the next text, in UTF-16 units. */
const FURTHEST = 8_192

export interface SeamScanOptions {
  /** The scanner decides nothing before the end: what it then finds counts where it lies in both texts. Default: false. */
  readonly isWhole?: boolean
  /** How far it is looked for in the next text, in UTF-16 units. Default: 8,192. */
  readonly furthest?: number
  /** Finds what the text before has by itself. Default: the scanner. */
  readonly alone?: TextScanner
}

/**
 * Looks for what begins in one text and continues in the next. The next text is taken unit by unit until nothing that begins in
 * the one before can reach further.
 */
export class SeamScan {
  readonly #scan: OpenScan
  readonly #before: number
  /** Where what the text before has by itself ends: that is no part of what continues. */
  readonly #firstStart: () => number
  /** Units decided, of both texts. */
  #place = 0
  #taken = 0
  #isEnded = false
  readonly #isWhole: boolean
  readonly #furthest: number
  #match: SeamMatch | undefined

  constructor(
    scanner: TextScanner,
    before: string,
    { isWhole = false, furthest = FURTHEST, alone = scanner }: SeamScanOptions = {},
  ) {
    let firstStart: number | undefined
    this.#firstStart = () => {
      firstStart ??= endOfFound(alone, before)
      return firstStart
    }
    this.#isWhole = isWhole
    this.#furthest = furthest
    const sink: ScanSink = {
      text: (piece) => {
        this.#place += piece.length
      },
      covered: (piece) => {
        const start = this.#place
        this.#place += piece.length
        const match = this.#match
        if (match && start - this.#before <= match.end)
          match.end = Math.max(match.end, this.#place - this.#before)
      },
      match: (detection, value) => this.#found(detection, value),
    }
    this.#before = before.length
    this.#scan = scanner.open(sink)
    this.#scan.push(before)
  }

  /** Whether something that begins in the text before may continue. */
  get isOpen(): boolean {
    if (this.#isWhole) return !this.#isEnded
    if (this.#taken >= this.#furthest) return false
    if (this.#place < this.#before) return true
    // What was found may reach further.
    return (
      this.#match !== undefined &&
      this.#place - this.#before === this.#match.end &&
      this.#match.end === this.#taken
    )
  }

  get match(): SeamMatch | undefined {
    return this.#match
  }

  /** Takes of a piece what it needs. */
  push(piece: string): void {
    if (this.#isWhole) {
      const taken = piece.slice(0, this.#furthest - this.#taken)
      this.#taken += taken.length
      this.#scan.push(taken)
      return
    }
    for (let place = 0; place < piece.length && this.isOpen; place++) {
      this.#taken++
      this.#scan.push(piece[place] as string)
    }
  }

  /** The next text ends here. Returns how many units of both could still be the beginning of something. */
  end(): number {
    if (!this.isOpen) return 0
    const open = this.#before + this.#taken - this.#place
    this.#isEnded = true
    this.#scan.end()
    return open
  }

  #found(detection: Detection, value: string): void {
    const before = this.#before
    const found = { ...detection, start: Math.max(0, detection.start - before), end: detection.end - before }
    if (this.#match) {
      if (found.start < this.#match.end) this.#match.detections.push(found)
    } else if (found.end > 0 && (!this.#isWhole || detection.start < before)) {
      if (detection.start < this.#firstStart()) return
      const from = Math.min(detection.start, before)
      this.#match = {
        from,
        start: found.start,
        end: found.start,
        detections: [found],
        first: { detection: found, value },
      }
    }
  }
}

/** Where the last of what is found in a text ends. */
function endOfFound(scanner: TextScanner, text: string): number {
  let end = 0
  let place = 0
  const scan = scanner.open({
    text: (piece) => {
      place += piece.length
    },
    match() {},
    covered: (piece) => {
      place += piece.length
      end = place
    },
  })
  scan.push(text)
  scan.end()
  return end
}
