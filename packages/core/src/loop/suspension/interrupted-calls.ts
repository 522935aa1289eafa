import { MillraceError, messageOf } from '../../errors.ts'
import { outputJson } from '../../messages/json-output.ts'
import { isRecord } from '../../record.ts'
import { ownCalls } from '../../run/own-calls.ts'
import type { Step } from '../../run/step.ts'
import type { InterruptedCallAnswer } from '../../tools/suspension-payload.ts'
import type { ToolCall } from '../../tools/tool.ts'

/**
 * Applies the outcomes of interrupted calls: one answer if a single call waits, or an object of answers by call id.
 *
 * @throws MillraceError `RUN_RESUME_INVALID`
 */
export function applyInterruptions(step: Step, data: unknown): void {
  const { interrupted, answers } = step.state
  const waiting = ownCalls(step.state).filter(({ toolCallId }) => interrupted[toolCallId]?.answer === 'open')
  for (const [call, answer] of answersIn(data, waiting)) {
    const { toolCallId } = call
    const state = interrupted[toolCallId]
    if ('retry' in answer) {
      if (state) state.answer = 'retry'
      continue
    }
    answers[toolCallId] =
      'error' in answer
        ? { status: 'error', error: answer.error }
        : { status: 'success', output: readOutput(answer.output, call) }
    delete interrupted[toolCallId]
  }
}

function answersIn(data: unknown, waiting: readonly ToolCall[]): [ToolCall, InterruptedCallAnswer][] {
  const [only] = waiting
  if (only && waiting.length === 1 && isAnswer(data)) return [[only, data]]
  const given = isRecord(data) ? waiting.filter(({ toolCallId }) => Object.hasOwn(data, toolCallId)) : []
  const answers = given.flatMap((call): [ToolCall, InterruptedCallAnswer][] => {
    const answer = (data as Record<string, unknown>)[call.toolCallId]
    return isAnswer(answer) ? [[call, answer]] : []
  })
  if (given.length > 0 && answers.length === given.length) return answers
  const ids = waiting.map(({ toolCallId }) => `'${toolCallId}'`).join(', ')
  throw new MillraceError(
    'RUN_RESUME_INVALID',
    `The run was interrupted while it executed ${ids}, and waits for their outcomes. Resume it with { output }, { error } or { retry: true }, or with such objects by call id.`,
  )
}

/** Whether it is an object with exactly one of `retry`, `output` and `error`. */
function isAnswer(data: unknown): data is InterruptedCallAnswer {
  if (!isRecord(data)) return false
  const [key, ...others] = Object.keys(data)
  if (others.length > 0) return false
  return (
    (key === 'retry' && data.retry === true) ||
    key === 'output' ||
    (key === 'error' && typeof data.error === 'string')
  )
}

function readOutput(output: unknown, { toolName }: ToolCall): unknown {
  try {
    return outputJson(output)
  } catch (cause) {
    throw new MillraceError(
      'RUN_RESUME_INVALID',
      `The output for the call of '${toolName}' is not JSON: ${messageOf(cause)}. Resume with plain objects, lists, strings, numbers, booleans and null.`,
      { cause },
    )
  }
}
