import type { OpenScan, TextScanner } from '../guard/text-scanner.ts'
import type { ScanSink } from '../scanner/text-scan.ts'

/** Where the digits of scripts begin, from 0 on: the decimal numbers (Nd) of the Basic Multilingual Plane in common use. */
const ZEROS = [
  0x0660, 0x06f0, 0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0be6, 0x0c66, 0x0ce6, 0x0d66, 0x0e50, 0x0ed0, 0x1040,
]
const SPACES = '\u00a0\u2002\u2003\u2004\u2005\u2007\u2008\u2009\u200a\u202f\u3000'
const HYPHENS = '\u2010\u2011\u2012\u2013\u2212\ufe63'

/** What stands for what in ASCII, one unit for one: a place in the folded text is the same place in the text. */
const FOLDED: ReadonlyMap<string, string> = new Map([
  ...ZEROS.flatMap((zero) =>
    [...'0123456789'].map((digit): [string, string] => [String.fromCharCode(zero + Number(digit)), digit]),
  ),
  ...[...SPACES].map((space): [string, string] => [space, ' ']),
  ...[...HYPHENS].map((hyphen): [string, string] => [hyphen, '-']),
  // Full width, from ! to ~.
  ...Array.from({ length: 0x5e }, (_, at): [string, string] => [
    String.fromCharCode(0xff01 + at),
    String.fromCharCode(0x21 + at),
  ]),
])

const FOLDABLE = new RegExp(`[${[...FOLDED.keys()].join('')}]`, 'g')

/**
 * Scans texts with the digits of other scripts, full-width letters, and the spaces and hyphens of typesetters, as if they
 * were in ASCII. What comes out is the text as it was.
 */
export class FoldedScanner implements TextScanner {
  readonly #scanner: TextScanner

  constructor(scanner: TextScanner) {
    this.#scanner = scanner
  }

  open(sink: ScanSink, name?: string): OpenScan {
    let held = ''
    let start = 0
    const take = (length: number): string => {
      const taken = held.slice(0, length)
      held = held.slice(length)
      start += length
      return taken
    }
    const folded: ScanSink = {
      text: (piece) => sink.text(take(piece.length)),
      covered: (piece) => sink.covered(take(piece.length)),
      match: (detection, value, kind) => {
        const from = detection.start - start
        // Of one that begins within the match before, the beginning is out.
        sink.match(detection, from < 0 ? value : held.slice(from, from + value.length), kind)
      },
    }
    const scan = this.#scanner.open(folded, name)
    return {
      push(piece) {
        held += piece
        scan.push(piece.replace(FOLDABLE, (unit) => FOLDED.get(unit) as string))
      },
      end: () => scan.end(),
    }
  }
}
