import { copyData } from '../../copy-data.ts'
import type { Pipeline } from '../../processors/pipeline.ts'
import { Look } from '../../processors/snapshot-of.ts'
import type { RunResult } from '../../results/result.ts'
import type { Run } from '../../run/run.ts'
import { isThenable } from '../../schema.ts'
import { readResult } from '../ask.ts'
import { aborted } from './run-result.ts'

/**
 * Takes the result of an agent's run to its caller by way of `processDelivery`. An abort ends that too: what hooks do not
 * answer in the turn in which it comes is not waited for, and what they have not let through stays out.
 */
export function deliver(run: Run, result: RunResult): Promise<RunResult> {
  return new Promise((resolve, reject) => {
    run.handleAbort((reason) => {
      run.stop(reason)
      setTimeout(() => resolve(withheld(run, reason)))
    })
    if (result.status === 'aborted') run.abort(result.abortReason)
    deliverResult(run, result).then(resolve, reject)
  })
}

/** Takes a result through `processDelivery`, after storage and tracing. */
export async function deliverResult(
  run: Run,
  result: RunResult,
  processors: Pipeline['processDelivery'] = run.pipeline.processDelivery,
): Promise<RunResult> {
  if (processors === null) return result
  let current = copyData(result)
  const look = new Look(() => ({ data: current }))
  for (const processor of processors) {
    const gate = run.gate(processor)
    const record = gate.record('processDelivery', undefined)
    const args = { ...gate.argsFor(record), part: undefined, result: current } as const
    look.see()
    const returned = gate.call(record, () => processor.processDelivery(args))
    const changed = isThenable(returned) ? await returned : returned
    const left = changed ?? current
    if (left === current && !look.changed) continue
    current = readResult(record, left, { messages: current.messages }) as RunResult
    if (look.changed) record.recordAction('changed')
  }
  return current
}

/** An aborted run without any of its output. */
function withheld(run: Run, reason: unknown): RunResult {
  return { ...aborted(run, reason), text: '', reasoningText: '', messages: [], steps: [] }
}
