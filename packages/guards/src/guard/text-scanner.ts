import type { ScanSink } from '../scanner/scan-sink.ts'

/** One text on its way through a scanner: taken in pieces, decided as early as it can be. */
export interface OpenScan {
  /** Takes the next piece. What is decided by it goes out before this returns. */
  push(piece: string): void
  /** The text ends here: what was held goes out. */
  end(): void
}

/** What finds something in texts that arrive in pieces: a `Scanner`, or something else that fills its sink. */
export interface TextScanner {
  /**
   * The longest text that may have to be seen before something in it is found, in UTF-16 units: so much of a text is kept in
   * mind for the next one. Default: 1,000.
   */
  readonly maxLength?: number
  /**
   * Begins a text. What comes out must not depend on how it is cut. `name`: that of the property whose value it is, with
   * the one it is in.
   */
  open(sink: ScanSink, name?: string): OpenScan
}
