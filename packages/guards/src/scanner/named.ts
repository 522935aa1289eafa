import type { Detection } from './recognizer.ts'
import type { ScanSink } from './scan-sink.ts'

/** How much of a name is used, from its end, in UTF-16 units. */
const LONGEST = 48

/** The words that are scanned before the text of a named property: its name serves as context words. */
export function introductionOf(name: string): string {
  // Without a number at the end of a word, as in `phone2`.
  return `${name.slice(-LONGEST).replace(/(?<=[A-Za-z])\d+/g, '')}: `
}

/** Wraps a sink for a text that follows an introduction: nothing of the introduction is emitted. */
export function behind(introduction: string, sink: ScanSink): ScanSink {
  const { length } = introduction
  let remaining = length
  const ownOf = (units: number): number => {
    const cut = Math.min(remaining, units)
    remaining -= cut
    return units - cut
  }
  return {
    pass(units) {
      const own = ownOf(units)
      if (own > 0) sink.pass(own)
    },
    cover(units) {
      const own = ownOf(units)
      if (own > 0) sink.cover(own)
    },
    match(detection, value, kind) {
      // Property names are scanned separately.
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

/** `end` is a getter: the end of an open-ended match grows. */
function moved(detection: Detection, { start, by }: { start: number; by: number }): Detection {
  return {
    ...detection,
    start,
    get end() {
      return detection.end - by
    },
  }
}
