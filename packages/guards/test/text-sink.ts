import type { ScanSink } from '@millrace/guards/scanner'

export interface TextSink {
  text?(piece: string): void
  match?: ScanSink['match']
  covered?(piece: string): void
}

/** A sink for the scan of `text` that receives the text itself in place of units. */
export function textSink(text: string, sink: TextSink): ScanSink {
  let place = 0
  const take = (units: number): string => {
    place += units
    return text.slice(place - units, place)
  }
  return {
    pass: (units) => {
      const piece = take(units)
      sink.text?.(piece)
    },
    match: (...found) => sink.match?.(...found),
    cover: (units) => {
      const piece = take(units)
      sink.covered?.(piece)
    },
  }
}
