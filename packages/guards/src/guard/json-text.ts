import type { ScanSink } from '../scanner/scan-sink.ts'
import { JsonNames } from './json-names.ts'
import type { TextEdits } from './text-edits.ts'
import type { OpenScan } from './text-scanner.ts'

const ESCAPES: Record<string, string> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  '"': '"',
  '\\': '\\',
  '/': '/',
}

export interface JsonTextOptions {
  /** Opens the scan of one string, or of the text between strings. */
  readonly open: (sink: ScanSink, name?: string) => OpenScan
  readonly match: ScanSink['match']
  readonly replacement: (...found: Parameters<ScanSink['match']>) => string
  /** In units of the JSON source, not of the resolved text. */
  readonly edits: TextEdits
  /** Whether a replacement outside of strings is inserted as it is. Default: it becomes a string. */
  readonly bare?: boolean | undefined
}

/**
 * Scans JSON that arrives in chunks: every string by itself, with escapes resolved. Replacements are escaped, so the
 * JSON stays valid. Text without matches keeps its spelling. Text that turns out not to be JSON is scanned as well.
 */
export class JsonText implements OpenScan {
  readonly #options: JsonTextOptions
  #inString = false
  /** The escape sequence being read, from its backslash. */
  #escape = ''
  #scan: OpenScan | undefined
  /** The name of the property that is being scanned. */
  #scanName: string | undefined
  readonly #names = new JsonNames()
  /** How long each run of scanned units is in the source: one unit may be an escape sequence of several characters. */
  #spellings: { units: number; length: number }[] = []

  constructor(options: JsonTextOptions) {
    this.#options = options
  }

  push(piece: string): void {
    let start = 0
    for (let place = 0; place < piece.length; place++) {
      const character = piece[place] as string
      if (this.#escape !== '') {
        this.#readEscape(character)
        start = place + 1
      } else if (character === '"') {
        this.#literal(piece.slice(start, place))
        this.#end()
        this.#options.edits.pass(1)
        this.#inString = !this.#inString
        this.#names.quote()
        start = place + 1
      } else if (character === '\\' && this.#inString) {
        this.#literal(piece.slice(start, place))
        this.#escape = character
        start = place + 1
      }
    }
    this.#literal(piece.slice(start))
  }

  end(): void {
    if (this.#escape !== '') this.#literalEscape()
    this.#end()
  }

  #readEscape(character: string): void {
    this.#escape += character
    const sequence = this.#escape
    if (sequence[1] !== 'u') {
      const unit = ESCAPES[character]
      if (unit === undefined) this.#literalEscape()
      else this.#spelled(unit)
    } else if (!/^\\u[\da-fA-F]*$/.test(sequence)) {
      this.#literalEscape()
    } else if (sequence.length === 6) {
      this.#spelled(String.fromCharCode(Number.parseInt(sequence.slice(2), 16)))
    }
  }

  /** The sequence is not a valid escape: it is read literally. */
  #literalEscape(): void {
    const text = this.#escape
    this.#escape = ''
    this.#literal(text)
  }

  #spelled(unit: string): void {
    const { length } = this.#escape
    this.#escape = ''
    this.#read(unit, length)
  }

  #literal(text: string): void {
    if (text !== '') this.#read(text, text.length)
  }

  /** @param length Its length in the source */
  #read(text: string, length: number): void {
    if (this.#inString) {
      this.#scanned(text, length)
      return
    }
    // After the end of a list or object, the next value may have another name.
    for (const part of text.split(/(?<=[\]}])/)) {
      this.#scanned(part, part.length)
      if (this.#scanName !== this.#names.current) this.#end()
    }
  }

  #scanned(text: string, length: number): void {
    const scan = this.#current
    this.#names.read(text)
    this.#spellings.push({ units: text.length, length })
    scan.push(text)
  }

  #end(): void {
    this.#scan?.end()
    this.#scan = undefined
    this.#spellings = []
  }

  get #current(): OpenScan {
    if (this.#scan) return this.#scan
    const { open, match, replacement, edits, bare } = this.#options
    const inString = this.#inString
    const sink: ScanSink = {
      pass: (units) => edits.pass(this.#lengthOf(units)),
      match: (detection, value, kind) => {
        match(detection, value, kind)
        if (kind.continues) return
        const plain = replacement(detection, value, kind)
        if (bare && !inString) return edits.insert(plain)
        const text = JSON.stringify(plain)
        edits.insert(inString ? text.slice(1, -1) : text)
      },
      cover: (units) => edits.skip(this.#lengthOf(units)),
    }
    this.#scanName = this.#names.current
    this.#scan = open(sink, this.#scanName)
    return this.#scan
  }

  /** Takes the next units. Returns their length in the source. */
  #lengthOf(units: number): number {
    let length = 0
    let remaining = units
    while (remaining > 0) {
      const first = this.#spellings[0]
      if (!first) break
      if (first.units > remaining) {
        length += remaining
        first.length -= remaining
        first.units -= remaining
        break
      }
      length += first.length
      remaining -= first.units
      this.#spellings.shift()
    }
    return length
  }
}
