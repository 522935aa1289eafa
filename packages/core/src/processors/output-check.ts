import type { JSONValue } from '@ai-sdk/provider'
import { messageOf } from '../tools/decision.ts'
import { outputJson } from '../tools/json-output.ts'
import { invalidResult } from './invalid-result.ts'
import type { HookName } from './processor.ts'

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
