import type { Run } from '../../run/run.ts'
import type { CallQueue } from './call-queue.ts'
import type { processToolResult } from './process-tool-result.ts'

/** State that the calls of a step share. */
export interface Round {
  /** The error or signal that ended the run. Once set, no call starts and no outcome is used. */
  ended: unknown
  /** Passes an answer through `processToolResult`. `undefined` if no processor has the hook. */
  review: typeof processToolResult | undefined
  /** Set if the step has more calls than may execute at the same time. */
  queue: CallQueue | undefined
}

/** Throws the error or signal that ended the run, if it has ended. */
export function throwIfEnded(run: Run, { ended }: Round): void {
  run.throwIfOver()
  if (ended !== undefined) throw ended
}
