import { copyData } from '../../copy-data.ts'
import { ChangeDetector } from '../../processors/change-detector.ts'
import type { Pipeline } from '../../processors/pipeline.ts'
import type { RunResult } from '../../results/result.ts'
import type { Run } from '../../run/run.ts'
import { isThenable } from '../../schema.ts'
import { readResult } from '../ask.ts'
import { aborted } from './run-result.ts'

/**
 * Passes the result of an agent's run through `processDelivery` to its caller. An abort ends this too: hooks that do
 * not settle in the same turn of the event loop are not awaited, and what they have not passed is left out.
 */
export function deliver(run: Run, result: RunResult): Promise<RunResult> {
  return new Promise((resolve, reject) => {
    run.handleAbort((reason) => {
      run.stop(reason)
      setTimeout(() => resolve(abortedWithoutOutput(run, reason)))
    })
    if (result.status === 'aborted') run.abort(result.abortReason)
    deliverResult(run, result).then(resolve, reject)
  })
}

/** Passes a result through `processDelivery`, after it was stored and traced. */
export async function deliverResult(
  run: Run,
  result: RunResult,
  processors: Pipeline['processDelivery'] = run.pipeline.processDelivery,
): Promise<RunResult> {
  if (processors === null) return result
  let current = copyData(result)
  const detector = new ChangeDetector(() => ({ data: current }))
  for (const processor of processors) {
    const gate = run.gate(processor)
    const record = gate.record('processDelivery', undefined)
    const args = { ...gate.argsFor(record), part: undefined, result: current } as const
    detector.capture()
    const returned = gate.call(record, () => processor.processDelivery(args))
    const changed = isThenable(returned) ? await returned : returned
    const left = changed ?? current
    if (left === current && !detector.changed) continue
    current = readResult(record, left, { messages: current.messages }) as RunResult
    if (detector.changed) record.recordAction('changed')
  }
  return current
}

/** The result of an aborted run without its output. */
function abortedWithoutOutput(run: Run, reason: unknown): RunResult {
  return { ...aborted(run, reason), text: '', reasoningText: '', messages: [], steps: [] }
}
