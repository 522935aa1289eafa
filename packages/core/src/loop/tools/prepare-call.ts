import { isRecord } from '../../record.ts'
import { allowsTools } from '../../run/own-calls.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import { isThenable, type SchemaResult, validate } from '../../schema.ts'
import { ownTool, type Tool, type ToolCall } from '../../tools/tool.ts'
import { cross } from './crossing.ts'

/** A call's tool with its validated input, and the input in the form that may be stored; or the error of the model. */
export type PreparedCall = { tool: Tool; input: unknown; kept: unknown } | { error: string }

/** Finds the call's tool in the step and validates its input. */
export function prepareCall(run: Run, step: Step, call: ToolCall): PreparedCall | Promise<PreparedCall> {
  const { toolName, input, inputError } = call
  if (!allowsTools(step.state.finishReason)) {
    return { error: `The call was not executed: the response ended early (${step.state.finishReason}).` }
  }
  const tool = ownTool(step.tools, toolName)
  if (!tool) {
    const names = Object.keys(step.tools)
    const available = names.length > 0 ? `Available tools: ${names.join(', ')}.` : 'No tools are available.'
    return { error: `There is no tool '${toolName}' in this step. ${available}` }
  }
  if (inputError !== undefined)
    return { error: `The input of '${toolName}' is not valid JSON: ${inputError}${quoted(input)}` }
  const given = cross(run, step, { toolCall: call, tool, direction: 'in', value: input })
  return isThenable(given)
    ? Promise.resolve(given).then((crossed) => prepareInput(run, step, { call, tool, given: crossed }))
    : prepareInput(run, step, { call, tool, given })
}

interface GivenCall {
  call: ToolCall
  tool: Tool
  /** The input that the tool receives. */
  given: unknown
}

function prepareInput(run: Run, step: Step, found: GivenCall): PreparedCall | Promise<PreparedCall> {
  const checked = check(found.tool, found.given)
  return isThenable(checked)
    ? checked.then((result) => preparedCall(run, step, found, result))
    : preparedCall(run, step, found, checked)
}

function preparedCall(
  run: Run,
  step: Step,
  { call, tool, given }: GivenCall,
  result: SchemaResult<unknown>,
): PreparedCall | Promise<PreparedCall> {
  const { toolName, input } = call
  if (result.success) return { tool, input: result.value, kept: given === input ? result.value : input }
  const error = `The input of '${toolName}' is not valid: ${result.error.message}`
  if (given === input) return { error: error + quoted(input) }
  const kept = cross(run, step, { toolCall: call, tool, direction: 'out', value: error })
  return Promise.resolve(kept).then((value) => ({ error: String(value) }))
}

/** Maximum length of what the model wrote in an error. */
const MAX_QUOTE = 500

/** Prompts have no input that is not an object, so the error has what the model wrote. */
function quoted(input: unknown): string {
  if (isRecord(input)) return ''
  const text = typeof input === 'string' ? input : (JSON.stringify(input) ?? '')
  return `. The input was: ${text.length > MAX_QUOTE ? `${text.slice(0, MAX_QUOTE)}…` : text}`
}

function check(
  { inputSchema }: Tool,
  input: unknown,
): SchemaResult<unknown> | Promise<SchemaResult<unknown>> {
  try {
    const result = validate(inputSchema, input)
    return isThenable(result) ? Promise.resolve(result).catch(failed) : result
  } catch (error) {
    return failed(error)
  }
}

function failed(error: unknown): SchemaResult<unknown> {
  return { success: false, error: error instanceof Error ? error : new Error(String(error)) }
}
