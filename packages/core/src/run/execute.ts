import { loop } from '../loop.ts'
import { TripWire } from '../signals.ts'
import type { RunResult } from './result.ts'
import type { Run } from './run.ts'
import { aborted, finished, rejected } from './run-result.ts'

/**
 * Runs the loop and turns whatever comes of it into one outcome: a result, or, for a fault, a rejection. The stream
 * ends with the chunk that says the same. An abort from outside ends the run at once, whatever it is waiting for.
 */
export function execute(run: Run, prepare: () => Promise<void>): Promise<RunResult> {
  let settled = false
  return new Promise((resolve, reject) => {
    run.abort = (reason) => {
      if (settled) return
      settled = true
      run.stop(reason)
      run.outlet.write({ type: 'abort', reason })
      run.outlet.end()
      resolve(aborted(run, reason))
    }

    start().then(
      (result) => {
        if (settled) return
        settled = true
        run.outlet.end()
        run.over = true
        resolve(result)
      },
      (error) => {
        if (settled) return
        settled = true
        run.outlet.write({ type: 'error', error })
        run.outlet.end()
        run.stop(error)
        reject(error)
      },
    )
  })

  async function start(): Promise<RunResult> {
    run.outlet.write({ type: 'start', runId: run.id, messageId: run.responseId })
    try {
      await prepare()
      return finished(run, await loop(run))
    } catch (error) {
      if (!TripWire.isInstance(error) || run.over) throw error
      const result = rejected(run, error)
      run.outlet.write({ type: 'tripwire', ...result.rejection })
      run.stop(error)
      return result
    }
  }
}
