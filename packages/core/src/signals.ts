import type { HookName } from './hook-name.ts'

const marker = Symbol.for('millrace.signal')

/** Where a signal came from. The loop fills it in: code that throws a signal need not know. */
interface SignalOrigin {
  /** The processor whose hook the signal passed through; `undefined` if a tool threw it. */
  processorId: string | undefined
  hook: HookName | undefined
  /** The processor in the run's pipeline that this is, or is part of: its id, made unique. */
  stage: string | undefined
  /** The tool call that was being decided, executed or answered, if any. */
  toolCallId: string | undefined
}

/** What `abort` takes besides its reason. */
export interface TripWireOptions {
  /** Runs the step again with the reason as feedback, where the hook allows it. Default: false. */
  retry?: boolean
  /** Anything the caller should find in `result.rejection.metadata`. */
  metadata?: unknown
}

/**
 * Ends a run with `status: 'tripwire'`. A hook's `abort` throws it; code below a hook or inside a tool may throw it
 * too.
 */
export class TripWire extends Error implements SignalOrigin {
  readonly reason: string
  readonly retry: boolean
  readonly metadata: unknown
  processorId: string | undefined
  hook: HookName | undefined
  stage: string | undefined
  toolCallId: string | undefined

  constructor(reason = 'Aborted by a processor.', options: TripWireOptions = {}) {
    super(reason)
    Object.defineProperty(this, marker, { value: 'tripwire' })
    this.name = 'TripWire'
    this.reason = reason
    this.retry = options.retry ?? false
    this.metadata = options.metadata
  }

  /** Recognises the signal also when it comes from another copy of the package. */
  static isInstance(error: unknown): error is TripWire {
    return kindOf(error) === 'tripwire'
  }
}

/** What `halt` takes besides its answer. */
export interface HaltOptions {
  reason?: string
  metadata?: unknown
}

/**
 * Ends a run with `status: 'halted'` and the given answer in place of the model's. A hook's `halt` throws it; code
 * below a hook or inside a tool may throw it too.
 */
export class Halt extends Error implements SignalOrigin {
  readonly response: string
  readonly reason: string | undefined
  readonly metadata: unknown
  processorId: string | undefined
  hook: HookName | undefined
  stage: string | undefined
  toolCallId: string | undefined

  constructor(response = '', options: HaltOptions = {}) {
    super(options.reason ?? 'Halted by a processor.')
    Object.defineProperty(this, marker, { value: 'halt' })
    this.name = 'Halt'
    this.response = response
    this.reason = options.reason
    this.metadata = options.metadata
  }

  static isInstance(error: unknown): error is Halt {
    return kindOf(error) === 'halt'
  }
}

/**
 * Ends a run with `status: 'suspended'`, to be resumed at the same place. A hook's `suspend` throws it; a tool's
 * `execute` may throw it too. The payload says what is waited for; it must be JSON.
 */
export class Suspend extends Error implements SignalOrigin {
  readonly payload: unknown
  processorId: string | undefined
  hook: HookName | undefined
  stage: string | undefined
  toolCallId: string | undefined

  constructor(payload?: unknown) {
    super('The run is suspended.')
    Object.defineProperty(this, marker, { value: 'suspend' })
    this.name = 'Suspend'
    this.payload = payload
  }

  static isInstance(error: unknown): error is Suspend {
    return kindOf(error) === 'suspend'
  }
}

/** What ends a run early without being a fault. */
export type Signal = TripWire | Halt | Suspend

/** The same signal without an origin: what user code throws stays as it is, so that it can be thrown again. */
export function copyOf<SIGNAL extends Signal>(signal: SIGNAL): SIGNAL
export function copyOf(signal: Signal): Signal {
  const copy = TripWire.isInstance(signal)
    ? new TripWire(signal.reason, { retry: signal.retry, metadata: signal.metadata })
    : Halt.isInstance(signal)
      ? new Halt(signal.response, {
          ...(signal.reason !== undefined && { reason: signal.reason }),
          metadata: signal.metadata,
        })
      : new Suspend(signal.payload)
  if (signal.stack !== undefined) copy.stack = signal.stack
  return copy
}

export function isSignal(error: unknown): error is Signal {
  return kindOf(error) !== undefined
}

function kindOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null ? (error as Record<symbol, unknown>)[marker] : undefined
}
