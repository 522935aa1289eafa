import type { WorkSource } from '../processors/gate.ts'
import type { Run } from '../run/run.ts'
import type { BackgroundErrorEvent } from './agent-events.ts'
import { deliveryTo } from './delivery.ts'
import { describeError } from './describe-error.ts'
import { describeRun } from './run-events.ts'

/** Tells listeners that work in the background has failed. */
export function tellOf(error: unknown, run: Run, { processorId, hook }: WorkSource): void {
  deliveryTo(run.listeners).emit('background-error', (): BackgroundErrorEvent => {
    return { ...describeRun(run), processorId, hook, error: describeError(error) }
  })
}
