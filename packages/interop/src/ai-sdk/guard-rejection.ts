import { AISDKError } from '@ai-sdk/provider'
import { type HookName, MillraceError, refuseSuspend, TripWire } from '@millrace/core'

/** The details of a rejection: a `TripWire`, or an object with the same fields. */
interface RejectionDetails {
  reason: string
  processorId?: string | undefined
  hook?: HookName | undefined
  metadata?: unknown
  isRetraction?: boolean
  cause?: unknown
}

/**
 * A processor rejected the input or the output of a model. It is an `AISDKError` and is not retried. In a
 * stream it is an error part: what was streamed before must not be shown or stored.
 */
export class GuardRejection extends AISDKError {
  /** The reason given by the processor. Safe to show. */
  readonly reason: string
  readonly processorId: string | undefined
  readonly hook: HookName | undefined
  readonly metadata: unknown
  /** Whether parts of the answer were streamed, which this error retracts. */
  readonly isRetraction: boolean
  readonly isRetryable = false

  constructor({ reason, processorId, hook, metadata, isRetraction = false, cause }: RejectionDetails) {
    super({ name: 'GuardRejection', message: reason, cause })
    this.reason = reason
    this.processorId = processorId
    this.hook = hook
    this.metadata = metadata
    this.isRetraction = isRetraction
  }

  static override isInstance(error: unknown): error is GuardRejection {
    return AISDKError.isInstance(error) && error.name === 'GuardRejection'
  }
}

/**
 * The error for the AI SDK: a rejection, or the provider's own error, so that the AI SDK can decide about a
 * retry.
 */
export function rejectionOf(
  error: unknown,
  { isRetraction = false }: { isRetraction?: boolean } = {},
): unknown {
  if (TripWire.isInstance(error)) {
    const { reason, processorId, hook, metadata } = error
    return new GuardRejection({ reason, processorId, hook, metadata, isRetraction, cause: error })
  }
  if (MillraceError.isInstance(error) && PROVIDER_ERRORS.has(error.code) && error.cause !== undefined)
    return error.cause
  return refuseSuspend(error, 'a guarded model')
}

const PROVIDER_ERRORS: ReadonlySet<string> = new Set(['MODEL_CALL_FAILED', 'MODEL_STREAM_FAILED'])
