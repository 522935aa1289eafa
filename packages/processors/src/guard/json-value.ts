/** Numbers with fewer digits identify nobody and are left alone. */
const SHORTEST_NUMBER = 7

/** Rewrites a text. `name`: that of the property whose value it is or is in, behind that of the property around it. */
export type RewriteText = (text: string, name?: string) => string

/**
 * A JSON value with every string in it, keys included, rewritten; the same value where nothing changed. Long whole numbers
 * are rewritten as text, unless `numbers` is false. What is not plain JSON is taken as `JSON.stringify` would write it.
 */
export function rewriteJson(
  value: unknown,
  rewrite: RewriteText,
  { numbers = true }: { numbers?: boolean } = {},
): unknown {
  return rewriteValue(value, { text: rewrite, number: numbers ? rewrite : (text) => text }, { ancestors: [] })
}

interface Rewriting {
  readonly text: RewriteText
  readonly number: RewriteText
}

interface Where {
  readonly ancestors: object[]
  readonly name?: string | undefined
}

function rewriteValue(value: unknown, rewrite: Rewriting, where: Where): unknown {
  if (typeof value === 'string') return rewrite.text(value, where.name)
  if (typeof value === 'bigint' || Number.isInteger(value))
    return rewriteNumber(value as number, rewrite, where)
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  if (where.ancestors.includes(value)) return value
  where.ancestors.push(value)
  const rewritten = rewriteObject(value, rewrite, where)
  where.ancestors.pop()
  return rewritten
}

function rewriteObject(value: object, rewrite: Rewriting, where: Where): unknown {
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    const json: unknown = value.toJSON()
    const rewritten = rewriteValue(json, rewrite, where)
    return rewritten === json ? value : rewritten
  }
  let changed = false
  if (Array.isArray(value)) {
    const items = value.map((item) => {
      const rewritten = rewriteValue(item, rewrite, where)
      changed ||= rewritten !== item
      return rewritten
    })
    return changed ? items : value
  }
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => {
    const entry: [string, unknown] = [rewrite.text(key), rewriteValue(item, rewrite, within(where, key))]
    changed ||= entry[0] !== key || entry[1] !== item
    return entry
  })
  return changed ? Object.fromEntries(entries) : value
}

function rewriteNumber(value: number | bigint, rewrite: Rewriting, { name }: Where): unknown {
  const text = String(value)
  if (text.length < SHORTEST_NUMBER) return value
  const rewritten = rewrite.number(text, name)
  return rewritten === text ? value : rewritten
}

/** The name of a property is read with the one around it, in a line of its own: `{"phone":{"number":…}}`. */
export function joined(outer: string | undefined, key: string): string {
  return outer === undefined ? key : `${outer.slice(outer.lastIndexOf('\n') + 1)}\n${key}`
}

function within({ ancestors, name }: Where, key: string): Where {
  return { ancestors, name: joined(name, key) }
}
