import { markerOf } from './errors.ts'
import type { HookName } from './hook-name.ts'

const marker = Symbol.for('millrace.signal')

/** The origin of a signal. The loop sets it: code that throws a signal need not. */
interface SignalOrigin {
  /** The processor whose hook threw the signal; `undefined` if a tool threw it. */
  processorId: string | undefined
  hook: HookName | undefined
  /** The unique name of the processor in the run's pipeline that threw the signal, or contains the one that did. */
  stage: string | undefined
  /** The tool call that was being decided, executed or answered, if any. */
  toolCallId: string | undefined
}

/** Options of `abort`. */
export interface TripWireOptions {
  /** Repeats the step with the reason as feedback to the model, if the hook supports it. Default: false. */
  retry?: boolean
  /** Metadata for the caller, in `result.rejection.metadata`. */
  metadata?: unknown
}

/** Ends a run with `status: 'tripwire'`. Thrown by a hook's `abort`. Code within a hook or a tool may throw it too. */
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
    // Whatever the options are, the run ends.
    this.retry = options?.retry ?? false
    this.metadata = options?.metadata
  }

  /** Recognizes the signal also if it comes from another copy of the package. */
  static isInstance(error: unknown): error is TripWire {
    return kindOf(error) === 'tripwire'
  }
}

/** Options of `halt`. */
export interface HaltOptions {
  reason?: string
  metadata?: unknown
}

/**
 * Ends a run with `status: 'halted'` and this answer in place of the model's. Thrown by a hook's `halt`. Code within
 * a hook or a tool may throw it too.
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
    super(options?.reason ?? 'Halted by a processor.')
    Object.defineProperty(this, marker, { value: 'halt' })
    this.name = 'Halt'
    this.response = response
    this.reason = options?.reason
    this.metadata = options?.metadata
  }

  static isInstance(error: unknown): error is Halt {
    return kindOf(error) === 'halt'
  }
}

/**
 * Ends a run with `status: 'suspended'`, to be resumed at the same point. Thrown by a hook's `suspend`. A tool's
 * `execute` may throw it too. The payload, which must be JSON, says what the run waits for.
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

/** Signals end a run early. They are not errors. */
export type Signal = TripWire | Halt | Suspend

/**
 * A copy of a signal that foreign code has thrown, with its origin. What was thrown is not changed, so that it can be
 * thrown again. `undefined` if it is no signal, or cannot be read.
 */
export function readSignal(thrown: unknown): Signal | undefined {
  try {
    if (!isSignal(thrown)) return undefined
    const { processorId, hook, stage, toolCallId, stack } = thrown
    return Object.assign(copyOf(thrown), { processorId, hook, stage, toolCallId, ...(stack && { stack }) })
  } catch {
    return undefined
  }
}

function copyOf(signal: Signal): Signal {
  if (TripWire.isInstance(signal)) {
    const { reason, retry, metadata } = signal
    return new TripWire(String(reason), { retry: retry === true, metadata })
  }
  if (Suspend.isInstance(signal)) return new Suspend(signal.payload)
  const { response, reason, metadata } = signal
  return new Halt(String(response), { ...(reason !== undefined && { reason: String(reason) }), metadata })
}

export function isSignal(error: unknown): error is Signal {
  return kindOf(error) !== undefined
}

const KINDS: ReadonlySet<unknown> = new Set(['tripwire', 'halt', 'suspend'])

function kindOf(error: unknown): unknown {
  const kind = markerOf(error, marker)
  return KINDS.has(kind) ? kind : undefined
}
