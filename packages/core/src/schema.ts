import type { JSONSchema7 } from '@ai-sdk/provider'
import { MillraceError } from './errors.ts'
import { isRecord } from './record.ts'

/**
 * A schema of a library that implements Standard Schema with its JSON Schema extension, such as zod 4:
 * https://standardschema.dev
 */
export interface StandardSchema<OUTPUT = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<OUTPUT> | Promise<StandardResult<OUTPUT>>
    readonly types?: { readonly input: unknown; readonly output: OUTPUT } | undefined
    readonly jsonSchema?:
      | { readonly input: (options: { target: 'draft-07' }) => Record<string, unknown> }
      | undefined
  }
}

type StandardResult<OUTPUT> =
  | { readonly value: OUTPUT; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] }

interface SchemaIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** A schema of the AI SDK's `jsonSchema()`: JSON Schema with an optional validator. */
interface AISDKSchema<OUTPUT = unknown> {
  readonly _type: OUTPUT
  readonly jsonSchema: JSONSchema7 | PromiseLike<JSONSchema7>
  readonly validate?:
    | ((value: unknown) => SchemaResult<OUTPUT> | PromiseLike<SchemaResult<OUTPUT>>)
    | undefined
}

/** Any supported schema: for tool input, tool output and structured answers. */
export type Schema<OUTPUT = unknown> =
  | StandardSchema<OUTPUT>
  | AISDKSchema<OUTPUT>
  | (() => AISDKSchema<OUTPUT>)

/** The type of a schema's validated values. */
export type InferSchema<SCHEMA> = SCHEMA extends { readonly '~standard': { readonly types?: infer TYPES } }
  ? NonNullable<TYPES> extends { readonly output: infer OUTPUT }
    ? OUTPUT
    : unknown
  : SCHEMA extends { readonly _type: infer OUTPUT }
    ? OUTPUT
    : SCHEMA extends () => infer INNER
      ? InferSchema<INNER>
      : unknown

export type SchemaResult<OUTPUT> = { success: true; value: OUTPUT } | { success: false; error: Error }

/**
 * Validates a value. Does not throw if it does not match.
 *
 * The error's message names the path and the rule, not the value.
 */
export function validate<OUTPUT>(
  schema: Schema<OUTPUT>,
  value: unknown,
): SchemaResult<OUTPUT> | PromiseLike<SchemaResult<OUTPUT>> {
  if ('~standard' in schema) {
    const result = schema['~standard'].validate(value)
    return isThenable(result) ? result.then(fromStandardResult) : fromStandardResult(result)
  }
  const { validate } = typeof schema === 'function' ? schema() : schema
  return validate ? validate(value) : { success: true, value: value as OUTPUT }
}

function fromStandardResult<OUTPUT>(result: StandardResult<OUTPUT>): SchemaResult<OUTPUT> {
  if (result.issues === undefined) return { success: true, value: result.value }
  return { success: false, error: new Error(result.issues.map(describeIssue).join('; ')) }
}

function describeIssue({ path = [], message }: SchemaIssue): string {
  const place = path.map((key) => String(typeof key === 'object' ? key.key : key)).join('.')
  return place === '' ? message : `${place}: ${message}`
}

const jsonSchemas = new WeakMap<object, JSONSchema7 | PromiseLike<JSONSchema7>>()

/**
 * The JSON Schema (draft 07) of a schema, cached per schema. Object schemas refuse additional properties unless they
 * say otherwise, as strict structured output requires.
 *
 * @throws MillraceError `CONFIG_SCHEMA_INVALID` if the library does not support JSON Schema, or the value is not a
 *   schema
 */
export function toJsonSchema(schema: Schema): JSONSchema7 | PromiseLike<JSONSchema7> {
  const known = jsonSchemas.get(schema)
  if (known) return known
  const made = makeJsonSchema(schema)
  jsonSchemas.set(schema, made)
  // A failed load may succeed next time, so it is not cached.
  if (isThenable(made)) made.then(undefined, () => jsonSchemas.delete(schema))
  return made
}

function makeJsonSchema(schema: Schema): JSONSchema7 | PromiseLike<JSONSchema7> {
  if (!('~standard' in schema)) {
    const { jsonSchema } = typeof schema === 'function' ? schema() : schema
    if (jsonSchema !== undefined) return jsonSchema
    throw new MillraceError(
      'CONFIG_SCHEMA_INVALID',
      "An object was passed that is not a schema. Wrap plain JSON Schema with the AI SDK's jsonSchema(); instead of Output.object({ schema }), pass the schema itself.",
    )
  }
  const { jsonSchema, vendor } = schema['~standard']
  if (!jsonSchema) {
    throw new MillraceError(
      'CONFIG_SCHEMA_INVALID',
      `The ${vendor} schema does not support JSON Schema (~standard.jsonSchema). Update ${vendor}, or wrap the schema with the AI SDK's jsonSchema().`,
    )
  }
  try {
    const { $schema: _, ...made } = jsonSchema.input({ target: 'draft-07' })
    return closeObjects(made) as JSONSchema7
  } catch (cause) {
    throw new MillraceError(
      'CONFIG_SCHEMA_INVALID',
      `The ${vendor} schema uses a type that JSON Schema cannot express. Use another type, or wrap the schema with the AI SDK's jsonSchema().`,
      { cause },
    )
  }
}

/** Adds `additionalProperties: false` to every object schema that does not define it. */
function closeObjects(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closeObjects)
  if (!isRecord(schema)) return schema
  const closed: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(schema)) {
    // The values of `properties` and similar keys are schemas by name; `default`, `const` and `enum` contain data.
    if (key === 'default' || key === 'const' || key === 'enum' || key === 'examples') closed[key] = value
    else closed[key] = closeObjects(value)
  }
  if (schema.type === 'object' && isRecord(schema.properties) && schema.additionalProperties === undefined) {
    closed.additionalProperties = false
  }
  return closed
}

/** Whether a value must be awaited. Hooks and schemas may be synchronous, and then no promise is created. */
export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return (
    typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
  )
}
