import type { Pipeline } from '../processors/pipeline.ts'
import { isThenable } from '../schema.ts'
import type { RunResult } from './result.ts'
import type { Run } from './run.ts'

/** Takes a result to the caller by way of `processDelivery`, after storage and tracing. */
export async function deliverResult(
  run: Run,
  result: RunResult,
  processors: Pipeline['processDelivery'] = run.pipeline.processDelivery,
): Promise<RunResult> {
  let current = result
  for (const processor of processors ?? []) {
    const gate = run.gate(processor)
    const record = gate.record('processDelivery', undefined)
    const args = { ...gate.argsFor(record), part: undefined, result: current } as const
    const returned = gate.call(record, () => processor.processDelivery(args))
    const changed = isThenable(returned) ? await returned : returned
    if (changed && 'status' in changed && 'runId' in changed) current = changed
  }
  return current
}
