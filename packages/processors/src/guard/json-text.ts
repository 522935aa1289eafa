import type { ScanSink } from '../scanner/text-scan.ts'
import { JsonNames } from './json-names.ts'
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
  /** Begins the scan of one string, or of what stands between strings. */
  readonly open: (sink: ScanSink, name?: string) => OpenScan
  readonly match: ScanSink['match']
  /** Nothing comes out from the first finding on. */
  readonly stopAtMatch?: boolean
  readonly replacement: (...found: Parameters<ScanSink['match']>) => string
}

/**
 * JSON that arrives in pieces, scanned as its reader will see it: every string by itself, with escapes resolved, and a
 * replacement written so that the JSON stays valid. What was not found keeps its spelling. Text that is no JSON after
 * all is scanned as well.
 */
export class JsonText {
  readonly #options: JsonTextOptions
  #out = ''
  #inString = false
  #stopped = false
  /** The escape being read, from its backslash. */
  #escape = ''
  #scan: OpenScan | undefined
  /** Of the value in the scan. */
  #scanName: string | undefined
  readonly #names = new JsonNames()
  /** How the text within the scan is spelled: literally, or one unit by an escape. */
  #spellings: { units: number; spelling: string }[] = []

  constructor(options: JsonTextOptions) {
    this.#options = options
  }

  /** Takes the next piece, and returns what can go out. */
  push(piece: string): string {
    let start = 0
    for (let place = 0; place < piece.length; place++) {
      const character = piece[place] as string
      if (this.#escape !== '') {
        this.#readEscape(character)
        start = place + 1
      } else if (character === '"') {
        this.#literal(piece.slice(start, place))
        this.#end()
        this.#emit('"')
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
    return this.#take()
  }

  /** The text ends here. Returns what is left. */
  end(): string {
    if (this.#escape !== '') this.#literalEscape()
    this.#end()
    return this.#take()
  }

  #emit(text: string): void {
    if (!this.#stopped) this.#out += text
  }

  #take(): string {
    const out = this.#out
    this.#out = ''
    return out
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

  /** Not an escape after all. */
  #literalEscape(): void {
    const text = this.#escape
    this.#escape = ''
    this.#literal(text)
  }

  #spelled(unit: string): void {
    const spelling = this.#escape
    this.#escape = ''
    this.#read(unit, spelling)
  }

  #literal(text: string): void {
    if (text !== '') this.#read(text, text)
  }

  #read(text: string, spelling: string): void {
    if (this.#inString) {
      this.#scanned(text, spelling)
      return
    }
    // Where a list or object ends, the next value may have another name.
    for (const part of text.split(/(?<=[\]}])/)) {
      this.#scanned(part, part)
      if (this.#scanName !== this.#names.current) this.#end()
    }
  }

  #scanned(text: string, spelling: string): void {
    const scan = this.#current
    this.#names.read(text)
    this.#spellings.push({ units: text.length, spelling })
    scan.push(text)
  }

  #end(): void {
    this.#scan?.end()
    this.#scan = undefined
    this.#spellings = []
  }

  get #current(): OpenScan {
    if (this.#scan) return this.#scan
    const { open, match, replacement, stopAtMatch } = this.#options
    const inString = this.#inString
    const sink: ScanSink = {
      text: (piece) => {
        this.#emit(this.#spellingOf(piece.length))
      },
      match: (detection, value, kind) => {
        match(detection, value, kind)
        if (stopAtMatch) this.#stopped = true
        if (kind.continues) return
        const text = JSON.stringify(replacement(detection, value, kind))
        this.#emit(inString ? text.slice(1, -1) : text)
      },
      covered: (piece) => {
        this.#spellingOf(piece.length)
      },
    }
    this.#scanName = this.#names.current
    this.#scan = open(sink, this.#scanName)
    return this.#scan
  }

  /** Takes the spelling of the next units. */
  #spellingOf(units: number): string {
    let out = ''
    let left = units
    while (left > 0) {
      const first = this.#spellings[0]
      if (!first) break
      if (first.units > left) {
        out += first.spelling.slice(0, left)
        first.spelling = first.spelling.slice(left)
        first.units -= left
        break
      }
      out += first.spelling
      left -= first.units
      this.#spellings.shift()
    }
    return out
  }
}
