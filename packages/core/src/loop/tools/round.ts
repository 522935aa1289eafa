import type { Run } from '../../run/run.ts'
import type { CallQueue } from './call-queue.ts'
import type { processToolResult } from './process-tool-result.ts'

/** What the calls of a step share. */
export interface Round {
  /** What has ended the run: from then on no call starts, and no outcome counts. */
  ended: unknown
  /** Shows an answer to the processors, and returns what they make of it. */
  review: typeof processToolResult | undefined
  /** Where there are more calls than may execute side by side. */
  queue: CallQueue | undefined
}

/** Throws what has ended the run, once something has. */
export function throwIfEnded(run: Run, { ended }: Round): void {
  run.throwIfOver()
  if (ended !== undefined) throw ended
}
