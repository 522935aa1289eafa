import type { Detection } from './recognizer.ts'
import type { ScanSink } from './scan-sink.ts'

/** As much of a name as counts. */
const LONGEST = 48

/** What is read before a text that has a name, as a property has: the words of the name tell what the text is. */
export function introductionOf(name: string): string {
  // Of several, as `phone2`.
  return `${name.slice(-LONGEST).replace(/(?<=[A-Za-z])\d+/g, '')}: `
}

/** A sink for a text and its introduction, of which nothing comes out. */
export function behind(introduction: string, sink: ScanSink): ScanSink {
  const { length } = introduction
  let left = length
  const rest = (piece: string): string => {
    const cut = Math.min(left, piece.length)
    left -= cut
    return piece.slice(cut)
  }
  return {
    text(piece) {
      const own = rest(piece)
      if (own !== '') sink.text(own)
    },
    covered(piece) {
      const own = rest(piece)
      if (own !== '') sink.covered(own)
    },
    match(detection, value, kind) {
      // The name is looked at by itself.
      if (!kind.open && detection.end <= length) return
      const start = Math.max(0, detection.start - length)
      sink.match(
        kind.open
          ? moved(detection, { start, by: length })
          : { ...detection, start, end: detection.end - length },
        value.slice(Math.max(0, length - detection.start)),
        kind,
      )
    },
  }
}

/** The end of what is open-ended grows. */
function moved(detection: Detection, { start, by }: { start: number; by: number }): Detection {
  return {
    ...detection,
    start,
    get end() {
      return detection.end - by
    },
  }
}
