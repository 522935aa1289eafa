import { MillraceError } from '@millrace/core'

/** Whether a store rejected a change because another writer was faster. */
export function isConflict(error: unknown): boolean {
  return MillraceError.isInstance(error) && error.code === 'STORAGE_CONFLICT'
}
