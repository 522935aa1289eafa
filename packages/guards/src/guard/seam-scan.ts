import type { Detection } from '../scanner/recognizer.ts'
import type { ScanSink } from '../scanner/scan-sink.ts'
import type { OpenScan, TextScanner } from './text-scanner.ts'

/** A match that begins in one text and ends in the next. */
export interface SeamMatch {
  /** Its start in the text before; the length of that text if only the context words of the match are there. */
  readonly from: number
  /** Its start and end in the next text. */
  readonly start: number
  end: number
  /** With positions in the next text. */
  readonly detections: Detection[]
  readonly first: { readonly detection: Detection; readonly value: string }
}

/** How far the next text is scanned, in UTF-16 units. */
const FURTHEST = 8_192

export interface SeamScanOptions {
  /**
   * Whether the scanner decides nothing before the end of the text. Then only matches that span both texts count.
   * Default: false.
   */
  readonly isWhole?: boolean
  /** How far the next text is scanned, in UTF-16 units. Default: 8,192. */
  readonly furthest?: number
  /** Finds the matches that the text before has by itself. Default: the scanner. */
  readonly alone?: TextScanner
}

/**
 * Finds a match that begins in one text and continues in the next. The next text is scanned unit by unit until no match
 * that begins in the text before can reach further.
 */
export class SeamScan {
  readonly #scan: OpenScan
  readonly #before: number
  /** The end of the last match in the text before alone. A match over the boundary must begin after it. */
  readonly #firstStart: () => number
  /** Units decided, counted over both texts. */
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
    let start: number | undefined
    const firstStart = (): number => {
      start ??= endOfFound(alone, before)
      return start
    }
    this.#firstStart = firstStart
    this.#isWhole = isWhole
    this.#furthest = furthest
    const sink: ScanSink = {
      pass: (units) => {
        this.#place += units
      },
      cover: (units) => {
        const start = this.#place
        this.#place += units
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

  /** Whether a match that begins in the text before may continue. */
  get isOpen(): boolean {
    if (this.#isWhole) return !this.#isEnded
    if (this.#taken >= this.#furthest) return false
    if (this.#place < this.#before) return true
    // The match may reach further.
    return (
      this.#match !== undefined &&
      this.#place - this.#before === this.#match.end &&
      this.#match.end === this.#taken
    )
  }

  get match(): SeamMatch | undefined {
    return this.#match
  }

  /** Takes as much of the chunk as is needed. */
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

  /** Ends the next text. Returns how many units of both texts could still be the beginning of a match. */
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

/** The end of the last match in a text. */
function endOfFound(scanner: TextScanner, text: string): number {
  let end = 0
  let place = 0
  const scan = scanner.open({
    pass: (units) => {
      place += units
    },
    match() {},
    cover: (units) => {
      place += units
      end = place
    },
  })
  scan.push(text)
  scan.end()
  return end
}
