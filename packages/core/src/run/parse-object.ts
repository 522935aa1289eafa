import { MillraceError } from '../errors.ts'
import type { StructuredOutputOptions } from '../processors/input-hooks.ts'
import { type SchemaResult, validate } from '../schema.ts'
import type { Run } from './run.ts'
import type { Step } from './step.ts'

/**
 * The structured answer of a run, or `undefined` where none was asked for.
 *
 * @throws MillraceError `MODEL_OUTPUT_INVALID`
 */
export function readObject({ structuredOutput }: Run, step: Step): Promise<unknown> | undefined {
  return structuredOutput && parseAnswer(structuredOutput, step)
}

async function parseAnswer(
  structuredOutput: StructuredOutputOptions,
  { text, finishReason }: Step,
): Promise<unknown> {
  const result = await parseObject(structuredOutput, text)
  if (result.success) return result.value
  throw new MillraceError(
    'MODEL_OUTPUT_INVALID',
    `The answer does not match the output schema: ${result.error.message}. The model finished with '${finishReason}'; describe the fields in the schema, or use a model that follows schemas.`,
    { cause: result.error },
  )
}

/** The structured answer in a text, validated. */
export async function parseObject(
  { schema }: StructuredOutputOptions,
  text: string,
): Promise<SchemaResult<unknown>> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    // The engine's message quotes the text, which must not get into an error.
    const place = error instanceof SyntaxError ? /position \d+/.exec(error.message)?.[0] : undefined
    return { success: false, error: new Error(`it is not JSON${place ? ` (at ${place})` : ''}`) }
  }
  return validate(schema, value)
}
