import type { OpenScan, TextScanner } from '@millrace/guards/guard'
import type { Scanner, ScanSink } from '@millrace/guards/scanner'

/**
 * The zeros of other scripts, each followed by its other digits: the common decimal numbers (Nd) of the Basic
 * Multilingual Plane.
 */
const ZEROS = [
  0x0660, 0x06f0, 0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0be6, 0x0c66, 0x0ce6, 0x0d66, 0x0e50, 0x0ed0, 0x1040,
]
const SPACES = '\u00a0\u2002\u2003\u2004\u2005\u2007\u2008\u2009\u200a\u202f\u3000'
const HYPHENS = '\u2010\u2011\u2012\u2013\u2212\ufe63'

/** Replacements in ASCII, one unit for one unit: positions in the folded text are positions in the text. */
const FOLDED: ReadonlyMap<string, string> = new Map([
  ...ZEROS.flatMap((zero) =>
    [...'0123456789'].map((digit): [string, string] => [String.fromCharCode(zero + Number(digit)), digit]),
  ),
  ...[...SPACES].map((space): [string, string] => [space, ' ']),
  ...[...HYPHENS].map((hyphen): [string, string] => [hyphen, '-']),
  ['\u00b7', '.'],
  // Full-width forms, from ! to ~.
  ...Array.from({ length: 0x5e }, (_, at): [string, string] => [
    String.fromCharCode(0xff01 + at),
    String.fromCharCode(0x21 + at),
  ]),
])

/** By UTF-16 unit: its replacement. */
const UNITS = new Uint16Array(0x10000).map((_, unit) => unit)
for (const [from, to] of FOLDED) UNITS[from.charCodeAt(0)] = to.charCodeAt(0)

/** Avoids a regular expression, which is slower for short chunks. */
function isFoldable(text: string): boolean {
  for (let place = 0; place < text.length; place++) {
    const unit = text.charCodeAt(place)
    if (unit >= 0x80 && UNITS[unit] !== unit) return true
  }
  return false
}

/** How many arguments a function can safely be called with. */
const AT_ONCE = 4_096

function fold(text: string): string {
  let folded = ''
  const units = new Uint16Array(Math.min(text.length, AT_ONCE))
  for (let start = 0; start < text.length; start += AT_ONCE) {
    const length = Math.min(AT_ONCE, text.length - start)
    for (let index = 0; index < length; index++)
      units[index] = UNITS[text.charCodeAt(start + index)] as number
    folded += String.fromCharCode(...units.subarray(0, length))
  }
  return folded
}

/**
 * Scans texts as if digits of other scripts, full-width letters, and typographic spaces and hyphens were ASCII. The
 * output has the original characters.
 */
export class FoldedScanner implements TextScanner {
  readonly maxLength: number
  readonly #scanner: TextScanner

  constructor(scanner: Scanner) {
    this.maxLength = scanner.maxLength
    this.#scanner = scanner
  }

  open(sink: ScanSink, name?: string): OpenScan {
    return new FoldedScan(this.#scanner, sink, name)
  }
}

class FoldedScan implements OpenScan {
  readonly #scan: OpenScan
  /** Units taken, and how many of them are emitted. */
  #taken = 0
  #out = 0
  /** The original text from `#from` on, kept since the first chunk that was folded. */
  #original = ''
  #from = Number.POSITIVE_INFINITY

  constructor(scanner: TextScanner, sink: ScanSink, name: string | undefined) {
    const folded: ScanSink = {
      pass: (units) => {
        this.#emit(units)
        sink.pass(units)
      },
      cover: (units) => {
        this.#emit(units)
        sink.cover(units)
      },
      match: (detection, value, kind) => {
        // If the match begins within the previous match, its beginning was already emitted.
        const isWhole = detection.start >= Math.min(this.#from, this.#out)
        sink.match(detection, isWhole ? this.#originalOf(value, detection.start) : value, kind)
      },
    }
    this.#scan = scanner.open(folded, name)
  }

  push(piece: string): void {
    const isFolded = isFoldable(piece)
    if (isFolded && this.#from === Number.POSITIVE_INFINITY) this.#from = this.#taken
    if (this.#from !== Number.POSITIVE_INFINITY) this.#original += piece
    this.#taken += piece.length
    this.#scan.push(isFolded ? fold(piece) : piece)
  }

  end(): void {
    this.#scan.end()
  }

  #emit(units: number): void {
    this.#out += units
    if (this.#out <= this.#from) return
    this.#original = this.#original.slice(this.#out - this.#from)
    this.#from = this.#out
  }

  #originalOf(value: string, start: number): string {
    if (start + value.length <= this.#from) return value
    const own = Math.max(0, this.#from - start)
    const place = Math.max(start, this.#from) - this.#from
    return value.slice(0, own) + this.#original.slice(place, place + value.length - own)
  }
}
