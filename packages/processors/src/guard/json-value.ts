/** Numbers with fewer digits identify nobody and are left alone. */
const SHORTEST_NUMBER = 7

/**
 * A JSON value with every string in it, keys included, rewritten; the same value where nothing changed. Long whole numbers
 * are rewritten as text, unless `numbers` is false. What is not plain JSON is taken as `JSON.stringify` would write it.
 */
export function rewriteJson(
  value: unknown,
  rewrite: (text: string) => string,
  { numbers = true }: { numbers?: boolean } = {},
): unknown {
  return rewriteValue(value, { text: rewrite, number: numbers ? rewrite : (text) => text }, [])
}

interface Rewriting {
  readonly text: (text: string) => string
  readonly number: (text: string) => string
}

function rewriteValue(value: unknown, rewrite: Rewriting, ancestors: object[]): unknown {
  if (typeof value === 'string') return rewrite.text(value)
  if (typeof value === 'bigint' || Number.isInteger(value)) return rewriteNumber(value as number, rewrite)
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  if (ancestors.includes(value)) return value
  ancestors.push(value)
  const rewritten = rewriteObject(value, rewrite, ancestors)
  ancestors.pop()
  return rewritten
}

function rewriteObject(value: object, rewrite: Rewriting, ancestors: object[]): unknown {
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    const json: unknown = value.toJSON()
    const rewritten = rewriteValue(json, rewrite, ancestors)
    return rewritten === json ? value : rewritten
  }
  let changed = false
  if (Array.isArray(value)) {
    const items = value.map((item) => {
      const rewritten = rewriteValue(item, rewrite, ancestors)
      changed ||= rewritten !== item
      return rewritten
    })
    return changed ? items : value
  }
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => {
    const entry: [string, unknown] = [rewrite.text(key), rewriteValue(item, rewrite, ancestors)]
    changed ||= entry[0] !== key || entry[1] !== item
    return entry
  })
  return changed ? Object.fromEntries(entries) : value
}

function rewriteNumber(value: number | bigint, rewrite: Rewriting): unknown {
  const text = String(value)
  if (text.length < SHORTEST_NUMBER) return value
  const rewritten = rewrite.number(text)
  return rewritten === text ? value : rewritten
}
