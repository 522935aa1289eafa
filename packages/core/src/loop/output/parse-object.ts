import { MillraceError } from '../../errors.ts'
import { HOOKS } from '../../hook-name.ts'
import type { StructuredOutputOptions } from '../../model/model-request.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import { parseJson } from './parse-json.ts'

/**
 * Parses the structured answer of a run.
 *
 * @param options.rawText The model's answer, before the processors
 * @throws MillraceError `MODEL_OUTPUT_INVALID`, or `PROCESSOR_OUTPUT_INVALID` if it was valid before the processors
 */
export async function parseAnswer(
  run: Run,
  { schema }: StructuredOutputOptions,
  { step, rawText }: { step: Step; rawText: string },
): Promise<unknown> {
  const { text, finishReason } = step.state
  const result = await parseJson(text, schema)
  if (result.success) return result.value
  if (rawText !== text && (await parseJson(rawText, schema)).success) {
    throw changedAnswer(run, step, result.error)
  }
  throw new MillraceError(
    'MODEL_OUTPUT_INVALID',
    `The answer does not match the output schema: ${result.error.message}. The model finished with '${finishReason}'; describe the fields in the schema, or use a model that follows schemas.`,
    { cause: result.error },
  )
}

/** The error for a structured answer that was valid until a processor changed it. */
function changedAnswer({ records }: Run, step: Step, cause: Error): MillraceError {
  const names = records
    .map((record) => record.toResult())
    .filter(({ action, hook }) => action === 'changed' && HOOKS[hook].list === 'output')
    .filter(({ stepNumber }) => stepNumber === undefined || stepNumber === step.number)
    .map(({ processorId, hook }) => `'${processorId}' in ${hook}`)
  const changed = step.state.text === '' ? 'removed' : 'changed'
  return new MillraceError(
    'PROCESSOR_OUTPUT_INVALID',
    `The answer of the model matched the output schema, but processors have ${changed} it: ${names.join(', ') || 'none has recorded it'}. The error now: ${cause.message}. Redact within the values of the answer, or allow the changed answer in the schema.`,
    { cause },
  )
}
