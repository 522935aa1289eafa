import { MillraceError } from '@millrace/core'

/** Whether a store refused a change because somebody else was faster. */
export function isConflict(error: unknown): boolean {
  return MillraceError.isInstance(error) && error.code === 'STORAGE_CONFLICT'
}
