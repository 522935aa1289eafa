import { MillraceError } from '../../errors.ts'
import { HOOKS } from '../../hook-name.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'

/** The error for a structured answer that was valid before the processors changed it. */
export function changedAnswer({ records }: Run, step: Step, cause: Error): MillraceError {
  const names = records
    .map((record) => record.toResult())
    .filter(({ action, hook }) => action === 'changed' && HOOKS[hook].list === 'output')
    .filter(({ stepNumber }) => stepNumber === undefined || stepNumber === step.number)
    .map(({ processorId, hook }) => `'${processorId}' in ${hook}`)
  const changed = step.state.text === '' ? 'removed' : 'changed'
  return new MillraceError(
    'PROCESSOR_OUTPUT_INVALID',
    `The answer of the model matched the output schema, and processors have ${changed} it: ${names.join(', ') || 'none has said so'}. Of what is left, ${cause.message}. Let them redact in place of removing, within the values of the answer, or let the schema allow what they leave.`,
    { cause },
  )
}
