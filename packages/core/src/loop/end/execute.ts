import { hasCode, MillraceError, readable } from '../../errors.ts'
import { loop } from '../../loop.ts'
import type { Incomplete } from '../../results/outcome.ts'
import type { RunResult } from '../../results/result.ts'
import { hasCalledTools } from '../../run/has-called-tools.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import { Halt, Suspend, TripWire } from '../../signals.ts'
import { startTelemetry } from '../../tracing/start-telemetry.ts'
import { hookKit } from '../hooks-on-demand.ts'
import type { SuspendOptions } from '../suspension/suspend-run.ts'
import type { KeepOptions } from './keep-incomplete.ts'
import { aborted, finished, halted, rejected } from './run-result.ts'

export interface ExecuteOptions extends SuspendOptions {
  /** Fills the run before the loop starts. Resolves to the step that a resumed run continues. */
  prepare: () => Promise<Step | undefined>
}

/**
 * Runs the loop and settles once: with a result, passed through `processDelivery`, or with a rejection for an error.
 * The last chunk of the stream has the same status. An abort from outside ends the run at once, whatever it waits
 * for.
 */
export function execute(run: Run, options: ExecuteOptions): Promise<RunResult> {
  let settled = false
  let late: { reason: unknown } | undefined
  return new Promise((resolve, reject) => {
    run.handleAbort((reason) => {
      if (settled) return
      if (run.outlet.concluded) {
        // The last chunk was written, so the status is final, even if the reader has not read it yet.
        late = { reason }
        return run.outlet.end()
      }
      settled = true
      start(run)
      run.stop(reason)
      const result = aborted(run, reason)
      run.current?.output.tell()
      run.outlet.write({ type: 'abort', reason })
      run.conclude({ result })
      run.outlet.end()
      const end = (): void => {
        endJournal(run, hasCalledTools(run) ? 'interrupted' : 'done')
        resolve(delivered(run, result))
      }
      // Stored before another process can continue the run.
      const kept = keepIncomplete(run, 'stopped', options)
      if (kept) kept.then(end)
      else end()
    })
    // The caller has aborted, or the reader has left, before the run started. Listeners and traces still get the run.
    if (run.over) run.abort(run.signal.reason)

    withObservers(run, () => outcomeOf(run, options)).then(
      (result) => {
        if (settled) return
        settled = true
        run.conclude({ result })
        run.outlet.end()
        run.end()
        resolve(delivered(run, result))
        if (late) run.abort(late.reason)
      },
      (cause) => {
        if (settled) return
        settled = true
        const error = toMillraceError(cause)
        run.current?.output.tell()
        run.outlet.write({ type: 'error', error })
        run.conclude({ error })
        run.outlet.end()
        run.stop(error)
        // Of an answer that a broken processor has not reviewed, or that does not fit, only the calls are stored.
        const callsOnly = hasCode(error, 'PROCESSOR_') || hasCode(error, 'MODEL_OUTPUT_INVALID')
        Promise.resolve(keepIncomplete(run, 'failed', { ...options, callsOnly }))
          .then(() => endJournal(run, 'interrupted'))
          .then(() => reject(error))
      },
    )
  })
}

/**
 * Stores what is left of a run that did not end with an answer, with processors that keep incomplete answers. The next
 * run of the conversation then finds it. Never rejects, and takes a second at most; longer work continues in the
 * background.
 */
function keepIncomplete(run: Run, incomplete: Incomplete, options: KeepOptions): Promise<void> | undefined {
  const keeper = run.pipeline.processOutputResult?.find((processor) => processor.keepsIncomplete)
  if (!keeper || (options.callsOnly && !hasCalledTools(run))) return undefined
  // Loaded on demand: most runs finish.
  const loaded = import('./keep-incomplete.ts')
  const work = loaded.then(({ keep }) => keep(run, incomplete, options))
  run.waitUntil(work, { processorId: keeper.id, hook: 'processOutputResult' })
  return loaded.then(
    ({ waitUpToLimit }) => waitUpToLimit(work),
    () => {},
  )
}

/** Ends a stored run that cannot continue in this process. If the store fails too, the lease expires. */
async function endJournal(run: Run, as: 'done' | 'interrupted'): Promise<void> {
  await run.journal?.end(as).catch(() => undefined)
}

/** Wraps every error in a `MillraceError`, the one kind of error that callers get. */
function toMillraceError(cause: unknown): MillraceError {
  if (MillraceError.isInstance(cause) && typeof cause.code === 'string') return cause
  return new MillraceError(
    'RUN_FAILED',
    'The run failed because a function in its options, a schema or a store threw an error. See the cause for the error and its stack.',
    { cause: readable(cause) },
  )
}

/** Runs `work` with the run's observers. They are loaded only if there are any. */
function withObservers(run: Run, work: () => Promise<RunResult>): Promise<RunResult> {
  const events = run.listeners.size > 0 ? import('../../events/run-events.ts') : undefined
  const tracing = startTelemetry(run)
  if (!events && !tracing) return work()
  return Promise.all([events, tracing]).then(([events, trace]) => {
    run.observe({ events: events && new events.RunEvents(run), trace })
    run.throwIfOver()
    return trace ? trace.within(work) : work()
  })
}

async function outcomeOf(run: Run, { prepare, ...options }: ExecuteOptions): Promise<RunResult> {
  try {
    run.throwIfOver()
    let step: Step | undefined
    try {
      step = await prepare()
    } finally {
      start(run, step)
    }
    if (step && isRestarted(run) && !run.journal?.keepsChunks) {
      await run.emit({ type: 'step-discarded', stepNumber: step.number, retry: true })
    }
    if (run.state.incomplete && step) {
      const { resumeIncomplete } = await import('./keep-incomplete.ts')
      return await resumeIncomplete(run, step)
    }
    if (run.state.halt && step) return await resumeHalt(run, step)
    return finished(run, await loop(run, step))
  } catch (error) {
    if (run.over) throw error
    if (TripWire.isInstance(error)) return resultOfTripwire(run, error, options)
    if (Suspend.isInstance(error)) return suspend(run, error, options)
    if (Halt.isInstance(error)) return halt(run, error, options)
    throw error
  }
}

/** Whether the step was interrupted before it was stored. What a reader has of it is discarded. */
function isRestarted({ resumption }: Run): boolean {
  return resumption?.point.phase === 'processInputStep' && resumption.point.processor === undefined
}

/** Emits `start`, with the id of the message that the run begins or, if resumed, continues. */
function start(run: Run, step?: Step): void {
  if (!run.announce()) return
  run.onStart?.(step)
  const { last } = run.messageList
  const continued = last?.role === 'assistant' && run.messageList.originOf(last.id) === 'response'
  run.outlet.write({ type: 'start', runId: run.id, messageId: continued ? last.id : run.state.responseId })
  run.events?.start()
}

async function resultOfTripwire(run: Run, tripwire: TripWire, options: SuspendOptions): Promise<RunResult> {
  const result = rejected(run, tripwire)
  await run.emit({ type: 'tripwire', ...result.rejection })
  run.stop(tripwire)
  await keepIncomplete(run, 'blocked', options)
  await endJournal(run, 'done')
  return result
}

async function halt(run: Run, signal: Halt, options: SuspendOptions): Promise<RunResult> {
  try {
    const { haltRun } = await import('./halt-run.ts')
    await haltRun(run, signal)
    const result = halted(run)
    run.stop(signal)
    return result
  } catch (error) {
    if (TripWire.isInstance(error) && !run.over) return resultOfTripwire(run, error, options)
    if (Suspend.isInstance(error) && !run.over) return suspend(run, error, options)
    throw error
  }
}

async function resumeHalt(run: Run, step: Step): Promise<RunResult> {
  const { finishHalt } = await import('./halt-run.ts')
  await finishHalt(run, step)
  return halted(run)
}

async function suspend(run: Run, signal: Suspend, options: SuspendOptions): Promise<RunResult> {
  // Loaded on demand: most runs are never suspended.
  return (await import('../suspension/suspend-run.ts')).suspendRun(run, signal, options)
}

/** Passes the result through `processDelivery`, if any processor has the hook. */
function delivered(run: Run, result: RunResult): RunResult | Promise<RunResult> {
  return run.pipeline.processDelivery === null ? result : hookKit().deliver(run, result)
}
