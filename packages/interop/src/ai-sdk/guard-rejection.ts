import { AISDKError } from '@ai-sdk/provider'
import { type HookName, MillraceError, refuseSuspend, TripWire } from '@millrace/core'

/** What a rejection is made from: a `TripWire`, or what says the same. */
interface RejectionDetails {
  reason: string
  processorId?: string | undefined
  hook?: HookName | undefined
  metadata?: unknown
  isRetraction?: boolean
  cause?: unknown
}

/**
 * A processor rejected what was to go into a model, or came out of it. It is an `AISDKError`, and is not tried again. In a
 * stream it is an error part: what was streamed before is not to be shown or kept.
 */
export class GuardRejection extends AISDKError {
  /** Why, in the processor's words: safe to show. */
  readonly reason: string
  readonly processorId: string | undefined
  readonly hook: HookName | undefined
  readonly metadata: unknown
  /** Parts of the answer had been streamed, and are taken back by this. */
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

/** What the AI SDK gets of an error: a rejection, or the provider's own error, by which it knows what to try again. */
export function rejectionOf(
  error: unknown,
  { isRetraction = false }: { isRetraction?: boolean } = {},
): unknown {
  if (TripWire.isInstance(error)) {
    const { reason, processorId, hook, metadata } = error
    return new GuardRejection({ reason, processorId, hook, metadata, isRetraction, cause: error })
  }
  if (MillraceError.isInstance(error) && OF_PROVIDER.has(error.code) && error.cause !== undefined)
    return error.cause
  return refuseSuspend(error, 'a guarded model')
}

const OF_PROVIDER: ReadonlySet<string> = new Set(['MODEL_CALL_FAILED', 'MODEL_STREAM_FAILED'])
