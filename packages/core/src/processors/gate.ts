import { MillraceError } from '../errors.ts'
import { HOOKS, type HookName } from '../hook-name.ts'
import type { RequestContext } from '../request-context.ts'
import type { DataChunk } from '../results/chunk.ts'
import type { ProcessorAction, ProcessorRecord, RunWarning } from '../results/result.ts'
import { isThenable } from '../schema.ts'
import {
  copyOf,
  Halt,
  type HaltOptions,
  isSignal,
  type Signal,
  Suspend,
  TripWire,
  type TripWireOptions,
} from '../signals.ts'
import type { CounterStore } from '../storage/counter-store.ts'
import type { TracingContext } from '../tracing-context.ts'
import type { ChangeLog } from './change-log.ts'
import type { ProcessorArgs, SuspendArgs } from './hook-arguments.ts'
import { HookRecord } from './hook-record.ts'
import type { Processor } from './processor.ts'

/** What a gate needs of the run it belongs to. */
export interface GateHost {
  readonly requestContext: RequestContext
  readonly tracingContext: TracingContext
  /** Fires when the run is cut short. */
  readonly signal: AbortSignal
  readonly retryCount: number
  readonly counters: CounterStore | undefined
  /** What processors did, in the order in which they first did it. */
  readonly records: HookRecord[]
  readonly warnings: RunWarning[]
  /** Where changes are recorded, while there are listeners for them. */
  readonly changes: ChangeLog | undefined
  /** Never throws. A hook need not wait for the promise, nor mind its rejection. */
  emit(chunk: DataChunk): Promise<void> | undefined
  /** Throws once the run is over. */
  throwIfOver(): void
  /** Tracks work that a hook has begun. `source` names the hook, in case it fails. */
  waitUntil(work: PromiseLike<unknown>, source: WorkSource): void
}

/** The hook that has begun some work. */
export type WorkSource = Pick<ProcessorRecord, 'processorId' | 'hook'>

/** Where a hook's arguments carry their gate's host: processors made of processors put gates of their own behind it. */
export const HOST: unique symbol = Symbol('millrace.host')

/** Errors that are to fail the run as they are, with the run: a gate further out has nothing to add to them. */
const decided = new WeakMap<object, GateHost>()

/** Fails the run with this error, also through the gates of processors that are made of others. */
export function decide(error: MillraceError, host: GateHost | undefined): MillraceError {
  if (host) decided.set(error, host)
  return error
}

/**
 * One processor in one run: its state, its signals, and the record of what it did. Everything that calls a hook goes
 * through here, so failing closed is decided in one place.
 */
export class Gate {
  readonly processor: Processor
  /** The processor's id; where another instance has the same, made unique. Names its state in a suspended run. */
  readonly name: string
  state: Record<string, unknown> = {}
  /** For the next call only: what the run was resumed with. */
  resumeData: unknown
  readonly requestContext: RequestContext
  readonly tracingContext: TracingContext
  readonly abortSignal: AbortSignal
  readonly writer: { write(chunk: DataChunk): Promise<void> }
  readonly abort: (reason?: string, options?: TripWireOptions) => never
  readonly halt: (response?: string, options?: HaltOptions) => never
  readonly suspend: (payload?: unknown) => never
  readonly #records: HookRecord[] = []
  readonly #host: GateHost
  /** Set by `abort` and its like, so that a hook that catches what they throw does not get past it. */
  #raised: Signal | undefined

  constructor(processor: Processor, name: string, host: GateHost) {
    this.processor = processor
    this.name = name
    this.#host = host
    this.requestContext = host.requestContext
    this.tracingContext = host.tracingContext
    this.abortSignal = host.signal
    this.writer = { write: (chunk) => host.emit(chunk) ?? Promise.resolve() }
    this.abort = (reason, options) => this.#raise(new TripWire(reason, options))
    this.halt = (response, options) => this.#raise(new Halt(response, options))
    this.suspend = (payload) => this.#raise(new Suspend(payload))
  }

  get retryCount(): number {
    return this.#host.retryCount
  }

  /** What a hook gets, to be spread into its arguments. Takes the data the run was resumed with, if any. */
  argsFor(
    record: HookRecord,
  ): ProcessorArgs & Omit<SuspendArgs, 'abort'> & { abort: Gate['abort']; [HOST]: GateHost } {
    const { state, requestContext, tracingContext, abortSignal, writer, retryCount, abort, halt, suspend } =
      this
    const { resumeData } = this
    this.resumeData = undefined
    return {
      state,
      requestContext,
      tracingContext,
      abortSignal,
      writer,
      retryCount,
      abort,
      halt,
      suspend,
      resumeData,
      counters: this.#host.counters,
      waitUntil: (work) => this.#host.waitUntil(work, record),
      reportUsage: (report) => record.report(report),
      [HOST]: this.#host,
    }
  }

  /** A gate of the same state for a call that overlaps with others, so that none takes the signal of another for its own. */
  fork(): Gate {
    const gate = new Gate(this.processor, this.name, this.#host)
    gate.state = this.state
    return gate
  }

  /** Takes up a record of the run before it was suspended. */
  adopt(record: HookRecord): void {
    this.#records.push(record)
  }

  /** The record of a hook in a step, or outside of steps. Calls in the same step share one. */
  record(hook: HookName, stepNumber: number | undefined): HookRecord {
    const last = this.#records.findLast((record) => record.hook === hook)
    if (last && last.stepNumber === stepNumber) return last
    const record = new HookRecord(this.processor.id, hook, stepNumber)
    this.#records.push(record)
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
    if (record.calls === 0 && !record.earlier) this.#list(record.whole)
    const startedAt = record.start()
    let value: T | PromiseLike<T>
    try {
      value = hook()
      // What a hook returns may throw when it is asked whether it is a promise.
      if (value !== (skipped as unknown) && isThenable(value)) {
        return this.#wait(value, { record, startedAt, skipped: skipped as SKIPPED })
      }
    } catch (error) {
      return this.#failed(error, record, startedAt, skipped as SKIPPED)
    }
    return this.#passed(value as T, record, startedAt)
  }

  /** Adds a record to those of the run when its hook is called first. */
  #list(record: HookRecord): void {
    if (record.calls === 0 && !record.earlier) this.#host.records.push(record)
  }

  #wait<T, SKIPPED>(
    value: PromiseLike<T>,
    { record, startedAt, skipped }: { record: HookRecord; startedAt: number | undefined; skipped: SKIPPED },
  ): Promise<T | SKIPPED> {
    return Promise.resolve(value).then(
      (settled) => this.#passed(settled, record, startedAt),
      (error) => this.#failed(error, record, startedAt, skipped),
    )
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
    if (isSignal(signal)) throw this.#signal(signal, record)
    const { hook } = record
    // What a hook throws once the run is over is the end of the run it waited for; delivery comes after that end.
    if (HOOKS[hook].ends) this.#host.throwIfOver()
    record.recordAction('failed')
    if (typeof error === 'object' && error !== null && decided.get(error) === this.#host) throw error
    const { id, onError } = this.processor
    if (onError === 'skip') {
      if (isMisuse(error)) throw decide(error, this.#host)
      this.#host.warnings.push({ type: 'processor-skipped', processorId: id, hook, error })
      return skipped
    }
    // Not a failure of the processor: it reports that the run cannot continue.
    if (MillraceError.isInstance(error) && error.code === 'RUN_PROMPT_TOO_LONG') throw error
    const failure = new MillraceError(
      'PROCESSOR_FAILED',
      `The processor '${id}' threw in ${hook}, so the run was stopped and nothing unchecked went out. Fix the processor (the cause has its stack), or give it onError: 'skip' if the run may continue without it.`,
      { cause: error },
    )
    throw decide(failure, this.#host)
  }

  #raise(signal: Signal): never {
    this.#raised = signal
    throw signal
  }

  #signal(signal: Signal, record: HookRecord): Error {
    const { hook } = record
    this.#raised = undefined
    if (!allows(hook, signal)) {
      record.recordAction('failed')
      const failure = new MillraceError(
        'PROCESSOR_FAILED',
        `The processor '${this.processor.id}' used ${signal.name} in ${hook}, which cannot be ended so. The run was stopped.`,
        { cause: signal },
      )
      return decide(failure, this.#host)
    }
    record.recordAction(actionOf(signal))
    // One that comes through the gate of a member of this processor bears the member's name.
    const own = signal.processorId === undefined ? copyOf(signal) : signal
    own.processorId ??= this.processor.id
    own.hook ??= hook
    own.stage = this.name
    return own
  }
}

/** The agent was called wrongly: nothing a processor could be skipped for. */
function isMisuse(error: unknown): error is MillraceError {
  return MillraceError.isInstance(error) && error.code.startsWith('CONFIG_')
}

function allows(hook: HookName, signal: Signal): boolean {
  const { ends, suspends } = HOOKS[hook]
  return Suspend.isInstance(signal) ? suspends : ends
}

/** What a processor did that ended a run, or a step, with a signal. */
export function actionOf(signal: Signal): ProcessorAction {
  if (Halt.isInstance(signal)) return 'halted'
  if (Suspend.isInstance(signal)) return 'suspended'
  return signal.retry ? 'retried' : 'aborted'
}
