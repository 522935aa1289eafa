import type { JSONValue } from '@ai-sdk/provider'
import { messageOf } from '../errors.ts'
import type { HookName } from '../hook-name.ts'
import { outputJson } from '../messages/json-output.ts'
import { invalidResult } from './invalid-result.ts'

/**
 * Converts the output of a tool to JSON, after a hook has returned or edited it.
 *
 * @throws MillraceError `PROCESSOR_RESULT_INVALID`
 */
export function checkedOutput(output: unknown, hook: HookName, processorId: string): JSONValue {
  try {
    return outputJson(output)
  } catch (error) {
    throw invalidResult(processorId, hook, `an output that is not JSON (${messageOf(error)})`)
  }
}
