import type { Detection } from '../scanner/recognizer.ts'
import type { MatchKind, ScanSink } from '../scanner/scan-sink.ts'
import { JsonText } from './json-text.ts'
import type { TextEdits } from './text-edits.ts'
import type { OpenScan, TextScanner } from './text-scanner.ts'

export type Replacement = (detection: Detection, value: string) => string

export interface EditedTextOptions {
  readonly scanner: TextScanner
  /**
   * Whether the text is JSON, to be scanned string by string. `undefined`: decided by the first character that is not
   * white space.
   */
  readonly json: boolean | undefined
  /** The name of the property whose value the text is. */
  readonly name?: string | undefined
  /** Returns the text that replaces a match. */
  readonly replacement: Replacement
  /**
   * Whether a replacement outside the strings of JSON is inserted as it is, for matches that no JSON has there.
   * Default: it becomes a string.
   */
  readonly bare?: boolean
  /** Called for every match, before any of its text is decided. An error it throws ends the scan. */
  readonly onMatch: (detection: Detection, kind: MatchKind) => void
}

/**
 * One text on its way through a scanner, whole or in chunks: decides for every unit whether it passes, is replaced or
 * is skipped. JSON stays valid.
 */
export class EditedText implements OpenScan {
  readonly #options: EditedTextOptions
  readonly #edits: TextEdits
  #scan: OpenScan | undefined
  /** White space at the beginning, held until it is known whether the text is JSON. */
  #blank = ''

  constructor(options: EditedTextOptions, edits: TextEdits) {
    this.#options = options
    this.#edits = edits
    if (options.json !== undefined) this.#scan = this.#begin(options.json)
  }

  push(piece: string): void {
    if (this.#scan) {
      this.#scan.push(piece)
      return
    }
    const text = this.#blank + piece
    // What came before this chunk is white space, so only the chunk is tested.
    const first = /\S/.exec(piece)?.[0]
    this.#blank = first === undefined ? text : ''
    if (first === undefined) return
    this.#scan = this.#begin(first === '{' || first === '[')
    this.#scan.push(text)
  }

  end(): void {
    if (this.#scan) this.#scan.end()
    else if (this.#blank !== '') this.#edits.pass(this.#blank.length)
  }

  #begin(json: boolean): OpenScan {
    const { scanner, replacement, bare, name, onMatch } = this.#options
    const edits = this.#edits
    if (json) {
      const open = (sink: ScanSink, name?: string): OpenScan => scanner.open(sink, name)
      const match: ScanSink['match'] = (found, _, kind) => onMatch(found, kind)
      return new JsonText({ open, match, replacement, edits, bare })
    }
    const sink: ScanSink = {
      pass: (units) => edits.pass(units),
      match(detection, value, kind) {
        onMatch(detection, kind)
        if (!kind.continues) edits.insert(replacement(detection, value))
      },
      cover: (units) => edits.skip(units),
    }
    return scanner.open(sink, name)
  }
}
