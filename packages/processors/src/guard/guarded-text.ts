import type { Detection } from '../scanner/recognizer.ts'
import type { MatchKind, ScanSink } from '../scanner/text-scan.ts'
import { JsonText } from './json-text.ts'
import type { TextScanner } from './text-scanner.ts'

export type Replacement = (detection: Detection, value: string) => string

export interface GuardedTextOptions {
  readonly scanner: TextScanner
  /** Whether the text is JSON, to be scanned string by string. `undefined` where only its beginning can tell. */
  readonly json: boolean | undefined
  /** Of the property whose value the text is. */
  readonly name?: string | undefined
  /** What stands in place of a finding. Without it the text passes as it is. */
  readonly replacement?: Replacement | undefined
  /** Nothing comes out from the first finding on. Default: false. */
  readonly stopAtMatch?: boolean
  /** Called when a finding is made, before any of its text would go out; what it throws ends the scan. */
  readonly onMatch: (detection: Detection, kind: MatchKind) => void
}

interface Pass {
  push(piece: string): string
  end(): string
}

/** One text that passes a guard, whole or in pieces. What comes out is the same. */
export class GuardedText {
  readonly #options: GuardedTextOptions
  #pass: Pass | undefined
  /** White space before it is known whether this is JSON. */
  #blank = ''

  constructor(options: GuardedTextOptions) {
    this.#options = options
    if (options.json !== undefined) this.#pass = this.#begin(options.json)
  }

  /** Takes the next piece and returns what can go out. */
  push(piece: string): string {
    if (this.#pass) return this.#pass.push(piece)
    const text = this.#blank + piece
    const first = /\S/.exec(text)?.[0]
    this.#blank = first === undefined ? text : ''
    if (first === undefined) return ''
    this.#pass = this.#begin(first === '{' || first === '[')
    return this.#pass.push(text)
  }

  /** The text ends here. Returns what was held back. */
  end(): string {
    return this.#pass ? this.#pass.end() : this.#blank
  }

  #begin(json: boolean): Pass {
    const { scanner, replacement, stopAtMatch = false, name, onMatch } = this.#options
    if (!replacement) return observe(this.#options, json)
    if (json) {
      return new JsonText({
        open: (sink, name) => scanner.open(sink, name),
        match: (found, _, kind) => onMatch(found, kind),
        replacement,
        stopAtMatch,
      })
    }
    let out = ''
    let stopped = false
    const take = (): string => {
      const taken = out
      out = ''
      return taken
    }
    const sink: ScanSink = {
      text(piece) {
        if (!stopped) out += piece
      },
      match(detection, value, kind) {
        onMatch(detection, kind)
        stopped = stopAtMatch
        if (!stopped && !kind.continues) out += replacement(detection, value)
      },
      covered() {},
    }
    const scan = scanner.open(sink, name)
    return {
      push(piece) {
        scan.push(piece)
        return take()
      },
      end() {
        scan.end()
        return take()
      },
    }
  }
}

/** Scans on the side: every piece passes at once, as it is. */
function observe({ scanner, onMatch, name }: GuardedTextOptions, json: boolean): Pass {
  const ignore = (): void => {}
  const inner: Pass | undefined = json
    ? new JsonText({
        open: (sink, name) => scanner.open(sink, name),
        match: (found, _, kind) => onMatch(found, kind),
        replacement: () => '',
      })
    : undefined
  const sink: ScanSink = { text: ignore, covered: ignore, match: (found, _, kind) => onMatch(found, kind) }
  const target = inner ?? scanner.open(sink, name)
  return {
    push(piece) {
      target.push(piece)
      return piece
    },
    end() {
      target.end()
      return ''
    },
  }
}
