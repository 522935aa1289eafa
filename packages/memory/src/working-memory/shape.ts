import { isRecord, MillraceError, type Schema, type StandardSchema, toJsonSchema } from '@millrace/core'
import { renderTemplate, slotsOf } from './template.ts'

export type WorkingMemory = Record<string, unknown>

type JSONSchema = Record<string, unknown>

/** The shape of a working memory: the slots of a template, or the properties of a schema. */
export interface WorkingMemoryShape {
  /** The schema of the facts, with each property nullable. With `complete`, every property is required. */
  jsonSchema(options: { complete: boolean }): Promise<JSONSchema>
  /** The part of a value that fits the shape, and the paths of what does not. Missing values are valid. */
  fit(value: WorkingMemory): Promise<{ value: WorkingMemory; misfits: string[][] }>
  /** Formats the facts for the model. */
  render(value: WorkingMemory): string
}

/** @throws MillraceError `CONFIG_INVALID` */
export function createShape({
  template,
  schema,
}: {
  template?: string | undefined
  schema?: Schema | undefined
}): WorkingMemoryShape {
  if ((template === undefined) === (schema === undefined)) {
    throw new MillraceError(
      'CONFIG_INVALID',
      'workingMemory needs a template or a schema, but not both. It defines the facts to remember.',
    )
  }
  return schema === undefined ? templateShape(template as string) : schemaShape(schema)
}

function templateShape(template: string): WorkingMemoryShape {
  const slots = slotsOf(template)
  const properties = Object.fromEntries(slots.map((slot) => [slot, { type: 'string' }]))
  return {
    async jsonSchema({ complete }) {
      return nullable({ type: 'object', properties }, complete)
    },
    async fit(value) {
      const fitting: WorkingMemory = {}
      const misfits: string[][] = []
      for (const [key, slot] of Object.entries(value)) {
        const isScalar = ['string', 'number', 'boolean'].includes(typeof slot)
        if (isScalar && slots.includes(key)) fitting[key] = String(slot)
        else misfits.push([key])
      }
      return { value: fitting, misfits }
    },
    render: (value) => renderTemplate(template, value),
  }
}

function schemaShape(schema: Schema): WorkingMemoryShape {
  let made: Promise<JSONSchema> | undefined
  const jsonSchema = (): Promise<JSONSchema> => (made ??= objectSchema(schema))
  return {
    async jsonSchema({ complete }) {
      return nullable(await jsonSchema(), complete)
    },
    async fit(given) {
      const misfits = unknownPaths(await jsonSchema(), given)
      let value = withoutPaths(given, misfits)
      // Each iteration removes at least one property.
      for (;;) {
        const wrong = await invalidProperties(schema, value)
        if (wrong.length === 0) return { value, misfits }
        const paths = wrong.map((key) => [key])
        misfits.push(...paths)
        value = withoutPaths(value, paths)
      }
    },
    render: (value) => JSON.stringify(value, null, 2),
  }
}

async function objectSchema(schema: Schema): Promise<JSONSchema> {
  const made = (await toJsonSchema(schema)) as JSONSchema
  if (made.type === 'object' && isRecord(made.properties)) return made
  throw new MillraceError(
    'CONFIG_SCHEMA_INVALID',
    'workingMemory.schema is not the schema of an object with properties. Use one, such as z.object({ name: z.string() }).',
  )
}

/** The paths of properties that the schema does not know, at every depth. */
function unknownPaths(schema: JSONSchema, value: WorkingMemory): string[][] {
  const { properties, additionalProperties } = schema
  if (!isRecord(properties)) return []
  const isOpen = additionalProperties === true || isRecord(additionalProperties)
  return Object.entries(value).flatMap(([key, inner]) => {
    const known = Object.hasOwn(properties, key) ? properties[key] : undefined
    if (known === undefined) return isOpen ? [] : [[key]]
    return isRecord(known) && isRecord(inner) ? unknownPaths(known, inner).map((path) => [key, ...path]) : []
  })
}

/** Removes the values at these paths. */
export function withoutPaths(value: WorkingMemory, paths: readonly (readonly string[])[]): WorkingMemory {
  if (paths.length === 0) return value
  const left = new Map(Object.entries(value))
  for (const [key = '', deeper] of paths) {
    const inner = left.get(key)
    if (deeper === undefined) left.delete(key)
    else if (isRecord(inner)) {
      const below = paths.flatMap(([first, ...rest]) => (first === key && rest.length > 0 ? [rest] : []))
      left.set(key, withoutPaths(inner, below))
    }
  }
  return Object.fromEntries(left)
}

/**
 * The names of the properties that violate the schema. An issue without a path is attributed to those
 * properties that have it on their own, or to all properties if none has.
 */
async function invalidProperties(schema: Schema, value: WorkingMemory): Promise<string[]> {
  const keys = Object.keys(value)
  if (keys.length === 0) return []
  const wrong = new Set<string>()
  let isWhole = false
  for (const path of await issuePaths(schema, value)) {
    const [first] = path
    if (isMissing(value, path)) continue
    if (first !== undefined && Object.hasOwn(value, first)) wrong.add(first)
    else isWhole = true
  }
  if (!isWhole || wrong.size > 0) return [...wrong]
  for (const key of keys) {
    const found = await issuePaths(schema, { [key]: value[key] })
    if (found.some((path) => path.length === 0)) wrong.add(key)
  }
  return wrong.size > 0 ? [...wrong] : keys
}

/** The paths at which a value violates a schema. */
async function issuePaths(schema: Schema, value: unknown): Promise<string[][]> {
  if ('~standard' in schema) {
    const { issues = [] } = await (schema as StandardSchema)['~standard'].validate(value)
    return issues.map(({ path = [] }) => path.map((key) => String(typeof key === 'object' ? key.key : key)))
  }
  const { validate } = typeof schema === 'function' ? schema() : schema
  const result = await validate?.(value)
  // Such a schema does not report paths, so a missing value cannot be told from a wrong one.
  return result === undefined || result.success ? [] : [[]]
}

function isMissing(value: unknown, path: readonly string[]): boolean {
  let current = value
  for (const key of path) {
    if (typeof current !== 'object' || current === null) return false
    current = (current as Record<string, unknown>)[key]
    if (current === undefined) return true
  }
  return false
}

/** Makes every property of an object schema nullable, at every depth. */
function nullable(schema: JSONSchema, complete: boolean): JSONSchema {
  const properties = schema.properties as Record<string, JSONSchema>
  return {
    ...schema,
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, property]) => {
        const inner = isRecord(property.properties) ? nullable(property, complete) : property
        return [name, { anyOf: [inner, { type: 'null' }] }]
      }),
    ),
    required: complete ? Object.keys(properties) : [],
    additionalProperties: false,
  }
}
