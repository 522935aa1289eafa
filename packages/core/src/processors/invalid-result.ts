import { MillraceError } from '../errors.ts'
import type { HookName } from '../hook-name.ts'

/** The error for a result that the hook's contract does not allow. The run fails closed. */
export function invalidResult(
  processorId: string,
  hook: HookName,
  what: string,
  remedy = "See the hook's return type for what it may return.",
): MillraceError {
  return new MillraceError(
    'PROCESSOR_RESULT_INVALID',
    `The processor '${processorId}' returned ${what} from ${hook}. ${remedy}`,
  )
}
