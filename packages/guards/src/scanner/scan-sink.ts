import type { Detection } from './recognizer.ts'

/** Receives what a scan has decided. Every UTF-16 unit of the text passes or is covered exactly once, in order. */
export interface ScanSink {
  /** The next units are outside of matches. */
  pass(units: number): void
  /** A match, before its own units. `value` is its text; for an open-ended match, the text of its header. */
  match(detection: Detection, value: string, kind: MatchKind): void
  /** The next units belong to matches. */
  cover(units: number): void
}

export interface MatchKind {
  /** It begins within the previous match. */
  readonly continues: boolean
  /** It is open-ended: `detection.end` grows until the end of the match is reached. */
  readonly open: boolean
}
