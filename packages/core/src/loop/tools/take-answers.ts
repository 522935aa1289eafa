import { MillraceError, messageOf } from '../../errors.ts'
import { outputJson } from '../../messages/json-output.ts'
import { isRecord } from '../../record.ts'
import { clientCalls, ownCalls } from '../../run/own-calls.ts'
import type { Step } from '../../run/step.ts'
import type { ToolApprovalResponse } from '../../tools/approval.ts'
import { type Answer, denial, isRequested } from '../../tools/decision.ts'
import type { ToolCall } from '../../tools/tool.ts'

/**
 * Applies the approver's response: one response for all waiting calls, or an object of responses by call id.
 *
 * @throws MillraceError `RUN_RESUME_INVALID`
 */
export function applyApprovals(step: Step, data: unknown): void {
  const waiting = [...ownCalls(step.state).entries()].filter(([index]) =>
    isRequested(step.state.decisions[index]),
  )
  const responses = responsesIn(
    data,
    waiting.map(([, { toolCallId }]) => toolCallId),
  )
  for (const [index, { toolCallId }] of waiting) {
    const response = responses.get(toolCallId)
    const decision = step.state.decisions[index]
    if (!response || !isRequested(decision)) continue
    if (response.approved) decision.approval = 'granted'
    else step.state.decisions[index] = denial(response.reason)
  }
}

/** The response for each of these calls that has one. The others keep waiting. */
function responsesIn(data: unknown, callIds: readonly string[]): Map<string, ToolApprovalResponse> {
  if (isResponse(data)) return new Map(callIds.map((id) => [id, data]))
  const given = isRecord(data) ? callIds.filter((id) => Object.hasOwn(data, id)) : []
  const responses = new Map<string, ToolApprovalResponse>()
  for (const id of given) {
    const response = (data as Record<string, unknown>)[id]
    if (isResponse(response)) responses.set(id, response)
  }
  if (given.length === 0 || responses.size < given.length) {
    throw new MillraceError(
      'RUN_RESUME_INVALID',
      `The run waits for the approval of ${callIds.map((id) => `'${id}'`).join(', ')}. Resume it with { approved: true } or { approved: false, reason }, or with such objects by call id.`,
    )
  }
  return responses
}

function isResponse(data: unknown): data is ToolApprovalResponse {
  return isRecord(data) && typeof data.approved === 'boolean'
}

/**
 * Applies the outputs of client tools: the output itself if one call waits, otherwise an object of outputs by call
 * id. An `Error` in place of an output fails the call.
 *
 * @throws MillraceError `RUN_RESUME_INVALID`
 */
export function applyClientOutputs(step: Step, data: unknown): void {
  const waiting = clientCalls(step, ownCalls(step.state))
  // The client has executed them.
  step.state.toolsRan = true
  const byId =
    isRecord(data) && waiting.some(({ toolCallId }) => Object.hasOwn(data, toolCallId)) ? data : undefined
  for (const call of waiting) {
    const { toolCallId } = call
    if (byId) {
      if (Object.hasOwn(byId, toolCallId))
        step.state.answers[toolCallId] = clientAnswer(byId[toolCallId], call)
    } else if (waiting.length === 1) {
      step.state.answers[toolCallId] = clientAnswer(data, call)
    } else {
      throw new MillraceError(
        'RUN_RESUME_INVALID',
        `The run waits for the output of ${waiting.length} tool calls. Resume it with an object of outputs by call id: ${waiting.map((call) => call.toolCallId).join(', ')}.`,
      )
    }
  }
}

function clientAnswer(given: unknown, { toolName }: ToolCall): Answer {
  if (given instanceof Error) return { status: 'error', error: messageOf(given) }
  try {
    return { status: 'success', output: outputJson(given) }
  } catch (cause) {
    throw new MillraceError(
      'RUN_RESUME_INVALID',
      `The output for the call of '${toolName}' is not JSON: ${messageOf(cause)}. Resume with plain objects, lists, strings, numbers, booleans and null.`,
      { cause },
    )
  }
}
