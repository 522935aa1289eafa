import { hasMarker } from './errors.ts'
import type { HookName } from './processors/processor.ts'

const marker = Symbol.for('millrace.tripwire')

/** What `abort` takes besides its reason. */
export interface TripWireOptions {
  /** Runs the step again with the reason as feedback, where the hook allows it. Default: false. */
  retry?: boolean
  /** Anything the caller should find in `result.rejection.metadata`. */
  metadata?: unknown
}

/**
 * Ends a run with `status: 'tripwire'`. A hook's `abort` throws it; code below a hook or inside a tool may throw it
 * too. The loop adds the processor and hook it passed through.
 */
export class TripWire extends Error {
  readonly reason: string
  readonly retry: boolean
  readonly metadata: unknown
  processorId: string | undefined
  hook: HookName | undefined

  constructor(reason = 'Aborted by a processor.', options: TripWireOptions = {}) {
    super(reason)
    Object.defineProperty(this, marker, { value: true })
    this.name = 'TripWire'
    this.reason = reason
    this.retry = options.retry ?? false
    this.metadata = options.metadata
  }

  /** Recognises the signal also when it comes from another copy of the package. */
  static isInstance(error: unknown): error is TripWire {
    return hasMarker(error, marker)
  }
}
