import { MillraceError } from '../errors.ts'
import type { RequestContext } from '../request-context.ts'
import type { DataChunk } from '../run/chunk.ts'
import type { ProcessorAction, ProcessorRecord } from '../run/result.ts'
import type { Run } from '../run/run.ts'
import { isThenable } from '../schema.ts'
import { TripWire, type TripWireOptions } from '../signals.ts'
import type { TracingContext } from '../tracing-context.ts'
import type { HookName, Processor, ProcessorArgs } from './processor.ts'

const STRENGTH: readonly ProcessorAction[] = ['passed', 'changed', 'retried', 'aborted', 'failed']

/** Every how many calls a synchronous stream hook is timed: the clock costs more than most such hooks. */
const SAMPLE_INTERVAL = 16

/**
 * One processor in one run: its state, its signals, and the record of what it did. Everything that calls a hook goes
 * through here, so failing closed is decided in one place.
 */
export class Gate implements ProcessorArgs {
  readonly processor: Processor
  readonly state: Record<string, unknown> = {}
  readonly requestContext: RequestContext
  readonly tracingContext: TracingContext
  readonly abortSignal: AbortSignal
  readonly writer: { write(chunk: DataChunk): Promise<void> }
  readonly abort: (reason?: string, options?: TripWireOptions) => never
  readonly #records: HookRecord[] = []
  readonly #run: Run
  /** Set by `abort`, so that a hook that catches what `abort` throws does not get past it. */
  #raised: TripWire | undefined

  constructor(processor: Processor, run: Run) {
    this.processor = processor
    this.#run = run
    this.requestContext = run.requestContext
    this.tracingContext = run.tracingContext
    this.abortSignal = run.signal
    this.writer = { write: async (chunk) => run.outlet.write(chunk) }
    this.abort = (reason, options) => {
      this.#raised = new TripWire(reason, options)
      throw this.#raised
    }
  }

  get retryCount(): number {
    return this.#run.retryCount
  }

  /** What every hook gets, to be spread into its arguments. */
  get args(): ProcessorArgs & { abort: Gate['abort'] } {
    const { state, requestContext, tracingContext, abortSignal, writer, retryCount, abort } = this
    return { state, requestContext, tracingContext, abortSignal, writer, retryCount, abort }
  }

  /** The record of a hook in a step, or outside of steps. Calls in the same step share one. */
  record(hook: HookName, stepNumber: number | undefined): HookRecord {
    const last = this.#records.findLast((record) => record.hook === hook)
    if (last && last.stepNumber === stepNumber) return last
    const record = new HookRecord(this.processor.id, hook, stepNumber)
    this.#records.push(record)
    this.#run.records.push(record)
    return record
  }

  /**
   * Calls a hook. A signal is passed on with the processor's name on it; any other error fails the run, unless the
   * processor is to be skipped: then the answer is `skipped`. Answers at once where the hook does.
   */
  call<T, SKIPPED = undefined>(
    record: HookRecord,
    hook: () => T | PromiseLike<T>,
    skipped?: SKIPPED,
  ): T | SKIPPED | Promise<T | SKIPPED> {
    const startedAt = record.start()
    let value: T | PromiseLike<T>
    try {
      value = hook()
    } catch (error) {
      return this.#failed(error, record, startedAt, skipped as SKIPPED)
    }
    if (value !== (skipped as unknown) && isThenable(value)) {
      return Promise.resolve(value).then(
        (settled) => this.#passed(settled, record, startedAt),
        (error) => this.#failed(error, record, startedAt, skipped as SKIPPED),
      )
    }
    return this.#passed(value as T, record, startedAt)
  }

  #passed<T>(value: T, record: HookRecord, startedAt: number | undefined): T {
    if (startedAt !== undefined) record.stop(startedAt)
    if (this.#raised !== undefined) throw this.#signal(this.#raised, record)
    return value
  }

  #failed<SKIPPED>(
    error: unknown,
    record: HookRecord,
    startedAt: number | undefined,
    skipped: SKIPPED,
  ): SKIPPED {
    record.stop(startedAt)
    const signal = this.#raised ?? error
    if (TripWire.isInstance(signal)) throw this.#signal(signal, record)
    this.#run.throwIfOver()
    record.note('failed')
    const { id, onError } = this.processor
    const { hook } = record
    if (onError === 'skip') {
      this.#run.warnings.push({ type: 'processor-skipped', processorId: id, hook, error })
      return skipped
    }
    throw new MillraceError(
      'PROCESSOR_FAILED',
      `The processor '${id}' threw in ${hook}, so the run was stopped and nothing unchecked went out. Fix the processor (the cause has its stack), or give it onError: 'skip' if the run may go on without it.`,
      { cause: error },
    )
  }

  #signal(signal: TripWire, record: HookRecord): TripWire {
    const { hook } = record
    this.#raised = undefined
    record.note(signal.retry ? 'retried' : 'aborted')
    signal.processorId ??= this.processor.id
    signal.hook ??= hook
    return signal
  }
}

/** What a processor did in one hook and step, as it happens. */
export class HookRecord {
  readonly processorId: string
  readonly hook: HookName
  readonly stepNumber: number | undefined
  calls = 0
  #action: ProcessorAction = 'passed'
  #timed = 0
  #milliseconds = 0

  readonly #interval: number

  constructor(processorId: string, hook: HookName, stepNumber: number | undefined) {
    this.#interval = hook === 'processOutputStream' ? SAMPLE_INTERVAL : 1
    this.processorId = processorId
    this.hook = hook
    this.stepNumber = stepNumber
  }

  /** Counts a call. Returns the time it began if this call is timed. */
  start(): number | undefined {
    return this.calls++ % this.#interval === 0 ? performance.now() : undefined
  }

  stop(startedAt: number | undefined): void {
    if (startedAt === undefined) return
    this.#timed++
    this.#milliseconds += performance.now() - startedAt
  }

  /** Notes what the processor did; the strongest action stands. */
  note(action: ProcessorAction): void {
    if (STRENGTH.indexOf(action) > STRENGTH.indexOf(this.#action)) this.#action = action
  }

  toResult(): ProcessorRecord {
    const { processorId, hook, stepNumber, calls } = this
    const durationMs = this.#timed === 0 ? 0 : (this.#milliseconds / this.#timed) * calls
    return { processorId, hook, stepNumber, action: this.#action, calls, durationMs }
  }
}
