import type { WorkSource } from '../processors/gate.ts'
import type { BackgroundErrorEvent } from '../results/agent-events.ts'
import type { Run } from '../run/run.ts'
import { deliveryTo } from './delivery.ts'
import { describeError } from './describe-error.ts'
import { describeRun } from './run-events.ts'

/** Emits `background-error`: work that a hook passed to `waitUntil` has failed. */
export function emitBackgroundError(error: unknown, run: Run, { processorId, hook }: WorkSource): void {
  deliveryTo(run.listeners).emit('background-error', (): BackgroundErrorEvent => {
    return { ...describeRun(run), processorId, hook, error: describeError(error) }
  })
}
