import type { Detection } from '../scanner/recognizer.ts'
import type { ScanSink } from '../scanner/scan-sink.ts'
import type { OpenScan, TextScanner } from './text-scanner.ts'

interface Found {
  readonly detection: Detection
  readonly value: string
}

function ignore(): void {}

/**
 * Holds a text until its end, then reports what the scanner found together with the known entities of the whole text.
 */
export class EntityScanner implements TextScanner {
  readonly #scanner: TextScanner
  readonly #entitiesIn: (text: string) => readonly Detection[]

  constructor(scanner: TextScanner, entitiesIn: (text: string) => readonly Detection[]) {
    this.#scanner = scanner
    this.#entitiesIn = entitiesIn
  }

  open(sink: ScanSink, name?: string): OpenScan {
    let text = ''
    const found: Found[] = []
    const scan = this.#scanner.open(
      {
        pass: ignore,
        cover: ignore,
        match: (detection, value) => found.push({ detection, value }),
      },
      name,
    )
    return {
      push(piece) {
        text += piece
        scan.push(piece)
      },
      end: () => {
        scan.end()
        this.#pass(text, sink, found)
      },
    }
  }

  #pass(text: string, sink: ScanSink, found: Found[]): void {
    for (const detection of this.#entitiesIn(text)) {
      found.push({ detection, value: text.slice(detection.start, detection.end) })
    }
    // The longest first: a finding within another one is dropped.
    found.sort(({ detection: a }, { detection: b }) => a.start - b.start || b.end - a.end)
    let out = 0
    for (const { detection, value } of found) {
      const { start, end } = detection
      if (end <= out) continue
      const continues = start < out
      if (start > out) sink.pass(start - out)
      sink.match(detection, value, { continues, open: false })
      sink.cover(end - Math.max(start, out))
      out = end
    }
    if (out < text.length) sink.pass(text.length - out)
  }
}

/** Collects whole texts and finds nothing. */
export class TextCollector implements TextScanner {
  readonly texts: string[] = []

  open(sink: ScanSink): OpenScan {
    let text = ''
    return {
      push(piece) {
        text += piece
      },
      end: () => {
        if (text !== '') this.texts.push(text)
        sink.pass(text.length)
      },
    }
  }
}
