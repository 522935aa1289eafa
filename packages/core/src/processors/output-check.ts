import type { JSONValue } from '@ai-sdk/provider'
import { messageOf } from '../errors.ts'
import type { HookName } from '../hook-name.ts'
import { outputJson } from '../messages/json-output.ts'
import { invalidResult } from './invalid-result.ts'

/**
 * The output of a tool as a hook gave or left it, as JSON.
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
