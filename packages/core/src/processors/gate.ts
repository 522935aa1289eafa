import { hasCode, MillraceError, readable } from '../errors.ts'
import { HOOKS, type HookName } from '../hook-name.ts'
import type { RequestContext } from '../request-context.ts'
import type { DataChunk } from '../results/chunk.ts'
import type { ProcessorAction, ProcessorRecord, RunWarning } from '../results/result.ts'
import { isThenable } from '../schema.ts'
import {
  Halt,
  type HaltOptions,
  readSignal,
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

/** The part of a run that a gate needs. */
export interface GateHost {
  readonly requestContext: RequestContext
  readonly tracingContext: TracingContext
  /** Aborted when the run is cut short. */
  readonly signal: AbortSignal
  readonly retryCount: number
  readonly counters: CounterStore | undefined
  /** The records of processors, in the order of their first action. */
  readonly records: HookRecord[]
  readonly warnings: RunWarning[]
  /** Records changes, while there are listeners for them. */
  readonly changes: ChangeLog | undefined
  /** Never throws. A hook need not await the promise or handle its rejection. */
  emit(chunk: DataChunk): Promise<void> | undefined
  /** Throws if the run has ended. */
  throwIfOver(): void
  /** Tracks background work of a hook. `source` names the hook, in case the work fails. */
  waitUntil(work: PromiseLike<unknown>, source: WorkSource): void
}

/** The hook that has started some work. */
export type WorkSource = Pick<ProcessorRecord, 'processorId' | 'hook'>

/** The key of the gate's host in a hook's arguments. Composed processors create gates for their members from it. */
export const HOST: unique symbol = Symbol('millrace.host')

/** Errors that fail the run unchanged, with their run. Outer gates do not wrap them. */
const finalErrors = new WeakMap<object, GateHost>()

/** Makes this error fail the run unchanged, also through the gates of composed processors. */
export function markFinal(error: MillraceError, host: GateHost | undefined): MillraceError {
  if (host) finalErrors.set(error, host)
  return error
}

/**
 * One processor in one run: its state, its signals and its records. All hook calls pass here, so that errors fail
 * closed in one place.
 */
export class Gate {
  readonly processor: Processor
  /** The processor's id, made unique if another instance has the same id. The key of its state in a suspended run. */
  readonly name: string
  state: Record<string, unknown> = {}
  /** The data that the run was resumed with, for the next call only. */
  resumeData: unknown
  readonly requestContext: RequestContext
  readonly tracingContext: TracingContext
  readonly abortSignal: AbortSignal
  readonly writer: { write(chunk: DataChunk): Promise<void> }
  // Initialized here: V8 allocates functions that are assigned to a property with the old objects, where they keep
  // their run in memory until a full garbage collection.
  readonly abort = (reason?: string, options?: TripWireOptions): never =>
    this.#raise(new TripWire(reason, options))
  readonly halt = (response?: string, options?: HaltOptions): never =>
    this.#raise(new Halt(response, options))
  readonly suspend = (payload?: unknown): never => this.#raise(new Suspend(payload))
  readonly #records: HookRecord[] = []
  readonly #host: GateHost
  /** The signal that `abort`, `halt` or `suspend` has thrown, so that a hook cannot ignore it by catching it. */
  #raised: Signal | undefined

  constructor(processor: Processor, name: string, host: GateHost) {
    this.processor = processor
    this.name = name
    this.#host = host
    this.requestContext = host.requestContext
    this.tracingContext = host.tracingContext
    this.abortSignal = host.signal
    this.writer = { write: (chunk) => host.emit(chunk) ?? Promise.resolve() }
  }

  get retryCount(): number {
    return this.#host.retryCount
  }

  /** The arguments that every hook gets. Uses up the resume data, if any. */
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

  /** A gate with the same state for a concurrent call, so that the call does not see the signals of others. */
  fork(): Gate {
    const gate = new Gate(this.processor, this.name, this.#host)
    gate.state = this.state
    return gate
  }

  /** Adds a record from before the run was suspended. */
  adopt(record: HookRecord): void {
    this.#records.push(record)
  }

  /** The record of a hook in a step, or outside of steps. All calls in the same step share one record. */
  record(hook: HookName, stepNumber: number | undefined): HookRecord {
    const last = this.#records.findLast((record) => record.hook === hook)
    if (last && last.stepNumber === stepNumber) return last
    const record = new HookRecord(this.processor.id, hook, stepNumber)
    this.#records.push(record)
    return record
  }

  /**
   * Calls a hook. A signal is rethrown with the processor's id. Any other error fails the run, unless the processor
   * has `onError: 'skip'`: then the result is `skipped`. Synchronous if the hook is.
   */
  call<T, SKIPPED = undefined>(
    record: HookRecord,
    hook: () => T | PromiseLike<T>,
    skipped?: SKIPPED,
  ): T | SKIPPED | Promise<T | SKIPPED> {
    if (record.calls === 0 && !record.earlier) this.#register(record.whole)
    const startedAt = record.start()
    let value: T | PromiseLike<T>
    try {
      value = hook()
      // Reading `then` of the value may throw, if it is a getter or a proxy.
      if (value !== (skipped as unknown) && isThenable(value)) {
        return this.#wait(value, { record, startedAt, skipped: skipped as SKIPPED })
      }
    } catch (error) {
      return this.#failed(error, record, startedAt, skipped as SKIPPED)
    }
    return this.#passed(value as T, record, startedAt)
  }

  /** Adds a record to the run's records when its hook is called for the first time. */
  #register(record: HookRecord): void {
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
    if (this.#raised !== undefined) throw this.#signal(readSignal(this.#raised) ?? this.#raised, record)
    return value
  }

  #failed<SKIPPED>(
    thrown: unknown,
    record: HookRecord,
    startedAt: number | undefined,
    skipped: SKIPPED,
  ): SKIPPED {
    record.stop(startedAt)
    const signal = readSignal(this.#raised ?? thrown)
    if (signal) throw this.#signal(signal, record)
    const error = readable(thrown)
    const { hook } = record
    // After the run has ended, the error of a hook is the abort reason that it was waiting on. `processDelivery` runs
    // after the end.
    if (HOOKS[hook].ends) this.#host.throwIfOver()
    record.recordAction('failed')
    if (typeof error === 'object' && error !== null && finalErrors.get(error) === this.#host) throw error
    const { id, onError } = this.processor
    if (onError === 'skip') {
      // A wrong use of the agent.
      if (hasCode(error, 'CONFIG_')) throw markFinal(error as MillraceError, this.#host)
      this.#host.warnings.push({ type: 'processor-skipped', processorId: id, hook, error })
      return skipped
    }
    // Not a failure of the processor: it reports that the run cannot continue.
    if (hasCode(error, 'RUN_PROMPT_TOO_LONG')) throw error
    const failure = new MillraceError(
      'PROCESSOR_FAILED',
      `The processor '${id}' threw in ${hook}, so the run was stopped and nothing unchecked was emitted. Fix the processor (see the cause), or set onError: 'skip' to continue without it.`,
      { cause: error },
    )
    throw markFinal(failure, this.#host)
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
        `The processor '${this.processor.id}' threw ${signal.name} in ${hook}, which does not support it. Use it in another hook.`,
        { cause: signal },
      )
      return markFinal(failure, this.#host)
    }
    record.recordAction(actionOf(signal))
    // A signal from a member of this processor already has the member's id.
    signal.processorId ??= this.processor.id
    signal.hook ??= hook
    signal.stage = this.name
    return signal
  }
}

function allows(hook: HookName, signal: Signal): boolean {
  const { ends, suspends } = HOOKS[hook]
  return Suspend.isInstance(signal) ? suspends : ends
}

/** The action of a processor that ended a run or step with this signal. */
export function actionOf(signal: Signal): ProcessorAction {
  if (Halt.isInstance(signal)) return 'halted'
  if (Suspend.isInstance(signal)) return 'suspended'
  return signal.retry ? 'retried' : 'aborted'
}
