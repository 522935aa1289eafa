/** Shorter numbers identify no person and are left alone. */
const SHORTEST_NUMBER = 7

/**
 * Rewrites a text. `name`: the name of the property that the text is in, after the name of the property around it.
 * `list`: the list that the text is an item of, as a string or as the `text` of an object.
 */
export type RewriteText = (text: string, name?: string, list?: object) => string

/**
 * Rewrites every string of a JSON value, keys included. Returns the same value if nothing changed. Long integers are
 * rewritten as text, unless `numbers` is false. What is not plain JSON is read as `JSON.stringify` would write it.
 */
export function rewriteJson(
  value: unknown,
  rewrite: RewriteText,
  { numbers = true }: { numbers?: boolean } = {},
): unknown {
  return rewriteValue(value, { text: rewrite, number: numbers ? rewrite : (text) => text }, { ancestors: [] })
}

/** A text in a JSON value. */
export interface TextIn {
  readonly text: string
  readonly name: string | undefined
  readonly list: object | undefined
}

/** The texts of a JSON value, in the order in which {@link rewriteTexts} expects them. */
export function textsIn(value: unknown, options?: { numbers?: boolean }): TextIn[] {
  const texts: TextIn[] = []
  rewriteJson(
    value,
    (text, name, list) => {
      texts.push({ text, name, list })
      return text
    },
    options,
  )
  return texts
}

/** The value with its texts replaced by these. */
export function rewriteTexts(
  value: unknown,
  texts: readonly string[],
  options?: { numbers?: boolean },
): unknown {
  let next = 0
  return rewriteJson(value, () => texts[next++] as string, options)
}

/**
 * Groups of texts that are items of the same list, such as the parts of a message's content. Only lists with several
 * texts.
 */
export function listsIn(texts: readonly TextIn[]): number[][] {
  const lists = new Map<object, number[]>()
  for (const [index, { list }] of texts.entries()) {
    if (!list) continue
    const items = lists.get(list)
    if (items) items.push(index)
    else lists.set(list, [index])
  }
  return [...lists.values()].filter(({ length }) => length > 1)
}

interface Rewriting {
  readonly text: RewriteText
  readonly number: RewriteText
}

interface Where {
  readonly ancestors: object[]
  readonly name?: string | undefined
  /** The list that the value, or the object around its `text`, is an item of. */
  readonly list?: object | undefined
}

function rewriteValue(value: unknown, rewrite: Rewriting, where: Where): unknown {
  if (typeof value === 'string') return rewrite.text(value, where.name, where.list)
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
    const own: Where = { ancestors: where.ancestors, name: where.name, list: value }
    const items = value.map((item) => {
      const rewritten = rewriteValue(item, rewrite, own)
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

/**
 * The name of a property after the name of the one around it, on a line of its own: `{"phone":{"number":…}}` gives
 * `phone`, a newline and `number`.
 */
export function joined(outer: string | undefined, key: string): string {
  return outer === undefined ? key : `${outer.slice(outer.lastIndexOf('\n') + 1)}\n${key}`
}

function within({ ancestors, name, list }: Where, key: string): Where {
  return { ancestors, name: joined(name, key), list: key === 'text' ? list : undefined }
}
