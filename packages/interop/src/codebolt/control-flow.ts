import { isRecord } from '@millrace/core'

/** Control fields of a modifier's return value. */
export interface ControlFlow {
  /** Ends the run: pending calls are not executed. */
  halt?: boolean
  /** Only for tool modifiers: denies the call. The model sees the denial. */
  deny?: boolean
  reason?: string
}

/** The control fields of a return value. */
export function controlOf(returned: unknown): ControlFlow {
  if (!isRecord(returned)) return {}
  const { halt, deny, reason } = returned
  return {
    ...(halt === true && { halt }),
    ...(deny === true && { deny }),
    ...(typeof reason === 'string' && { reason }),
  }
}

/** Halts the run if the modifier requested it. The run has no answer; the reason is in `result.halt`. */
export function haltIfRequested(
  returned: unknown,
  halt: (response?: string, options?: { reason?: string }) => never,
): void {
  const control = controlOf(returned)
  if (control.halt) halt('', control.reason === undefined ? {} : { reason: control.reason })
}
