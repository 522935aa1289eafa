import { isSame } from '../../processors/snapshot-of.ts'
import { type Schema, type SchemaResult, validate } from '../../schema.ts'
import { PartialObject } from './partial-object.ts'

/** Texts with more values are not answers. */
const MAX_VALUES = 100

/**
 * Reads the JSON value of a text that matches the schema. The text is the value; or it has the value as an object or
 * list between sentences, or in a code fence. A text with two different values that match is ambiguous, and refused. A
 * value within another, or within something that is not JSON, is not read. Takes linear time.
 */
export async function parseJson<OUTPUT>(text: string, schema: Schema<OUTPUT>): Promise<SchemaResult<OUTPUT>> {
  // Removes a byte order mark too.
  const whole = parsed(text.trim())
  if (whole) return validate(schema, whole.value)
  const values = jsonValuesIn(text)
  if (values.length > MAX_VALUES) return failure(`it contains more than ${MAX_VALUES} JSON values`)
  let found: { given: unknown; result: SchemaResult<OUTPUT> } | undefined
  for (const given of values) {
    const result = await validate(schema, given)
    if (result.success && found?.result.success && !isSame(given, found.given))
      return failure('it contains different JSON values that match')
    if (result.success || !found) found = { given, result }
  }
  return found?.result ?? failure('it is not JSON')
}

/** The objects and lists in a text, in order, up to one more than are read. Otherwise the value in its fence. */
function jsonValuesIn(text: string): unknown[] {
  const values: unknown[] = []
  let rest = text
  while (values.length <= MAX_VALUES) {
    const object = new PartialObject(['object', 'array'])
    object.append(rest)
    if (!object.span) break
    const { start, end } = object.span
    const result = parsed(rest.slice(start, end))
    if (result) values.push(result.value)
    rest = rest.slice(end)
  }
  if (values.length > 0) return values
  const result = parsed(textInFence(text).trim())
  return result ? [result.value] : []
}

/** The text between the first fence and the next. */
function textInFence(text: string): string {
  const fence = text.indexOf('```')
  const start = fence === -1 ? -1 : text.indexOf('\n', fence)
  return start === -1 ? '' : text.slice(start, Math.max(text.indexOf('```', start), start))
}

function parsed(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    // The engine's message quotes the text, and an error must not contain user data.
    return undefined
  }
}

function failure(message: string): { success: false; error: Error } {
  return { success: false, error: new Error(message) }
}
