import type { ScanSink } from '../scanner/scan-sink.ts'

/** One text on its way through a scanner: it arrives in chunks and is decided as early as possible. */
export interface OpenScan {
  /** Takes the next chunk. What it decides is emitted before this returns. */
  push(piece: string): void
  /** Ends the text: everything held is emitted. */
  end(): void
}

/** Scans texts that arrive in chunks: a `Scanner`, or any other implementation that writes into the sink. */
export interface TextScanner {
  /**
   * The maximum number of UTF-16 units that must be seen to find a match. The end of a text of this length is kept to
   * be scanned with the next text. Default: 1,000.
   */
  readonly maxLength?: number
  /**
   * Opens a text. The output must not depend on how the text is cut. `name`: the name of the property whose value the
   * text is, after the name of the property around it.
   */
  open(sink: ScanSink, name?: string): OpenScan
}
