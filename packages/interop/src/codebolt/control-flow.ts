import { isRecord } from '@millrace/core'

/** What a modifier may add to what it returns. */
export interface ControlFlow {
  /** Ends the run: nothing pending runs. */
  halt?: boolean
  /** Tool modifiers only: the call is answered with a denial that the model sees. */
  deny?: boolean
  reason?: string
}

/** What a modifier added to what it returned, if anything. */
export function controlOf(returned: unknown): ControlFlow {
  if (!isRecord(returned)) return {}
  const { halt, deny, reason } = returned
  return {
    ...(halt === true && { halt }),
    ...(deny === true && { deny }),
    ...(typeof reason === 'string' && { reason }),
  }
}

/** Ends the run if the modifier said so. The caller gets no answer, and the reason in `result.halt`. */
export function haltIfTold(
  returned: unknown,
  halt: (response?: string, options?: { reason?: string }) => never,
): void {
  const control = controlOf(returned)
  if (control.halt) halt('', control.reason === undefined ? {} : { reason: control.reason })
}
