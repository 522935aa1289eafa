import type { RewriteText } from './request-texts.ts'

/** Keywords whose value is for a reader: it may be changed. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  'title',
  'description',
  'markdownDescription',
  '$comment',
  'default',
  'example',
  'examples',
])
/** Keywords whose value is an object of schemas by name. */
const BY_NAME: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
])
/** Keywords whose value is data that an input is compared with. */
const COMPARED: ReadonlySet<string> = new Set(['enum', 'const'])

/**
 * Rewrites what a JSON Schema says to a reader: descriptions, titles, defaults and examples. All other text, such as the
 * names of properties and the values of an enum, is passed to `fixed`. Returns the same schema if nothing changed.
 *
 * @param name The name of the property whose schema it is
 */
export function rewriteJsonSchema(schema: unknown, rewrite: RewriteText, name?: string): unknown {
  if (Array.isArray(schema)) return mapValues(schema, (item) => rewriteJsonSchema(item, rewrite, name))
  if (typeof schema !== 'object' || schema === null) {
    if (typeof schema === 'string') rewrite.fixed(schema)
    return schema
  }
  return mapValues(schema, (value, keyword) => {
    if (ANNOTATIONS.has(keyword)) return rewrite.text(value, { name })
    if (COMPARED.has(keyword)) {
      for (const item of Array.isArray(value) ? value : [value]) rewrite.fixed(item, { name })
      return value
    }
    rewrite.fixed(keyword)
    if (!BY_NAME.has(keyword) || typeof value !== 'object' || value === null)
      return rewriteJsonSchema(value, rewrite, name)
    return mapValues(value, (own, property) => {
      rewrite.fixed(property)
      return rewriteJsonSchema(own, rewrite, property)
    })
  })
}

/** A copy with other values; the same object if none changed. */
function mapValues<T extends object>(given: T, map: (value: unknown, key: string) => unknown): T {
  const entries = Object.entries(given).map(([key, value]) => [key, map(value, key)] as const)
  if (entries.every(([key, value]) => (given as Record<string, unknown>)[key] === value)) return given
  return (Array.isArray(given) ? entries.map(([, value]) => value) : Object.fromEntries(entries)) as T
}
