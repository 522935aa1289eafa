import { isRecord, MillraceError, type Schema, type StandardSchema, toJsonSchema } from '@millrace/core'
import { renderTemplate, slotsOf } from './template.ts'

export type WorkingMemory = Record<string, unknown>

type JSONSchema = Record<string, unknown>

/** What a working memory looks like: a template's slots, or a schema's properties. */
export interface WorkingMemoryShape {
  /** What may be known, each property nullable. `complete`: every property must be said. */
  jsonSchema(options: { complete: boolean }): Promise<JSONSchema>
  /**
   * The part of a value that has this shape, and the paths of what was left out. Nothing has to be known: what is
   * missing is no fault.
   */
  fit(value: WorkingMemory): Promise<{ value: WorkingMemory; misfits: string[][] }>
  /** For the model. */
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
      'workingMemory needs a template or a schema, and not both: it says what is to be remembered.',
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
      // Each round leaves out one property at least.
      for (;;) {
        const wrong = await wrongProperties(schema, value)
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
    'The schema of a working memory must be that of an object with properties.',
  )
}

/** Where a value has properties that its schema does not know, at every depth. */
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

/** Without what stands at these paths. */
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
 * The names of properties that break the schema. A fault of the whole is that of the properties that have it without the
 * others, and of every property if none has.
 */
async function wrongProperties(schema: Schema, value: WorkingMemory): Promise<string[]> {
  const keys = Object.keys(value)
  if (keys.length === 0) return []
  const wrong = new Set<string>()
  let isWhole = false
  for (const path of await faults(schema, value)) {
    const [first] = path
    if (isMissing(value, path)) continue
    if (first !== undefined && Object.hasOwn(value, first)) wrong.add(first)
    else isWhole = true
  }
  if (!isWhole || wrong.size > 0) return [...wrong]
  for (const key of keys) {
    const found = await faults(schema, { [key]: value[key] })
    if (found.some((path) => path.length === 0)) wrong.add(key)
  }
  return wrong.size > 0 ? [...wrong] : keys
}

/** Where a value breaks a schema. */
async function faults(schema: Schema, value: unknown): Promise<string[][]> {
  if ('~standard' in schema) {
    const { issues = [] } = await (schema as StandardSchema)['~standard'].validate(value)
    return issues.map(({ path = [] }) => path.map((key) => String(typeof key === 'object' ? key.key : key)))
  }
  const { validate } = typeof schema === 'function' ? schema() : schema
  const result = await validate?.(value)
  // Such a schema does not say where: what is missing cannot be told from what is wrong.
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

/** An object schema in which every property, at every depth, may be null. */
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
