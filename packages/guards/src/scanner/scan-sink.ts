import type { Detection } from './recognizer.ts'

/**
 * Receives what a scan has decided. Every character of the text arrives exactly once, in order, as text or as covered.
 */
export interface ScanSink {
  /** Text outside of matches. */
  text(piece: string): void
  /** A match, before its own text. `value` is its text; for an open-ended match, the text of its header. */
  match(detection: Detection, value: string, kind: MatchKind): void
  /** Text of matches. */
  covered(piece: string): void
}

export interface MatchKind {
  /** It begins within the previous match. */
  readonly continues: boolean
  /** It is open-ended: `detection.end` grows until the end of the match is reached. */
  readonly open: boolean
}
