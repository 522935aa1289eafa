import { isRecord, MillraceError } from '@millrace/core'

/**
 * Checks the data of a resumption against what the run waits for, so that the caller gets the error. The run
 * checks it again.
 *
 * @throws MillraceError `RUN_RESUME_INVALID`
 */
export function checkAnswer(payload: unknown, data: unknown): void {
  if (!isRecord(payload)) return
  if (payload.type === 'agent') {
    checkAnswer(payload.payload, data)
    return
  }
  const expected = EXPECTED[payload.type as keyof typeof EXPECTED]
  if (!expected || !Array.isArray(payload.toolCalls)) return
  const ids: string[] = payload.toolCalls.map(({ toolCallId }) => toolCallId)
  if (expected.isAnswer(data) && (ids.length === 1 || expected.forAll)) return
  const given = isRecord(data) ? ids.filter((id) => Object.hasOwn(data, id)) : []
  if (given.length > 0 && given.every((id) => expected.isAnswer((data as Record<string, unknown>)[id])))
    return
  throw new MillraceError(
    'RUN_RESUME_INVALID',
    `The run waits for ${ids.map((id) => `'${id}'`).join(', ')}. Resume it with ${expected.form}, or with an object that has such a value for each call id.`,
  )
}

const EXPECTED = {
  'tool-approval': {
    form: '{ approved: true } or { approved: false, reason }',
    isAnswer: (value: unknown) => isRecord(value) && typeof value.approved === 'boolean',
    forAll: true,
  },
  'tool-interrupted': {
    form: '{ output }, { error } or { retry: true }',
    isAnswer: (value: unknown) =>
      isRecord(value) && ['output', 'error', 'retry'].filter((key) => key in value).length === 1,
    forAll: false,
  },
  'tool-output': { form: 'the output', isAnswer: (value: unknown) => value !== undefined, forAll: false },
} as const
