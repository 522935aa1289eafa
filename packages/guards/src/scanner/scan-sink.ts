import type { Detection } from './recognizer.ts'

/** Where a scan puts what it has decided. Every character of the text comes once, in order, as text or as covered. */
export interface ScanSink {
  /** Text outside of matches. */
  text(piece: string): void
  /** A match, before its own text. `value` is its text; of an open-ended match its header. */
  match(detection: Detection, value: string, kind: MatchKind): void
  /** Text of matches. */
  covered(piece: string): void
}

export interface MatchKind {
  /** It begins within the match before. */
  readonly continues: boolean
  /** It is open-ended: `detection.end` grows until its rest has passed. */
  readonly open: boolean
}
