/** A value that `JSON.parse` can return. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** The difference of two values: a replacement, appended text, or changes of fields or items. */
export type Change =
  | { set: Json }
  | { append: string }
  | { keys: { [key: string]: Change }; gone?: string[] }
  /** Changed items by index; then, from index `at`, the number of removed items and the inserted ones. */
  | { items: { [index: string]: Change }; at: number; cut: number; add: Json[] }

/** The change from `before` to `after`; `undefined` if they are equal. */
export function changeBetween(before: Json | undefined, after: Json): Change | undefined {
  if (before === after) return undefined
  if (typeof before === 'string' && typeof after === 'string') {
    return before !== '' && after.startsWith(before) ? { append: after.slice(before.length) } : { set: after }
  }
  if (Array.isArray(before) && Array.isArray(after)) return changeOfList(before, after)
  if (isObject(before) && isObject(after)) return changeOfObject(before, after)
  return { set: after }
}

function changeOfObject(before: { [key: string]: Json }, after: { [key: string]: Json }): Change | undefined {
  const keys: [string, Change][] = []
  for (const [key, value] of Object.entries(after)) {
    const change = changeBetween(Object.hasOwn(before, key) ? before[key] : undefined, value)
    if (change) keys.push([key, change])
  }
  const gone = Object.keys(before).filter((key) => !Object.hasOwn(after, key))
  if (keys.length === 0 && gone.length === 0) return undefined
  return { keys: Object.fromEntries(keys), ...(gone.length > 0 && { gone }) }
}

function changeOfList(before: readonly Json[], after: readonly Json[]): Change | undefined {
  const changes = new Map<number, Change | undefined>()
  const changeAt = (index: number): Change | undefined => {
    if (!changes.has(index)) changes.set(index, changeBetween(before[index], after[index] as Json))
    return changes.get(index)
  }
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && changeAt(start) === undefined) start++
  let end = 0
  const isSame = (fromEnd: number): boolean =>
    changeBetween(before[before.length - fromEnd], after[after.length - fromEnd] as Json) === undefined
  while (before.length !== after.length && end < shorter - start && isSame(end + 1)) end++
  const left = { before: before.length - start - end, after: after.length - start - end }
  if (left.before === 0 && left.after === 0) return undefined
  const at = start + Math.min(left.before, left.after)
  const items: [string, Change][] = []
  for (let index = start; index < at; index++) {
    const change = changeAt(index)
    if (change) items.push([String(index), change])
  }
  return {
    items: Object.fromEntries(items),
    at,
    cut: before.length - end - at,
    add: after.slice(at, after.length - end),
  }
}

/** Applies a change. Does not mutate `before`; unchanged values are shared. */
export function applyChange(before: Json | undefined, change: Change | undefined): Json {
  if (change === undefined) return before ?? null
  if ('set' in change) return change.set
  if ('append' in change) return `${before}${change.append}`
  if ('keys' in change) {
    const { keys, gone = [] } = change
    const entries = new Map(Object.entries(before as { [key: string]: Json }))
    for (const key of gone) entries.delete(key)
    for (const [key, one] of Object.entries(keys)) entries.set(key, applyChange(entries.get(key), one))
    return Object.fromEntries(entries)
  }
  const list = [...(before as Json[])]
  for (const [index, one] of Object.entries(change.items))
    list[Number(index)] = applyChange(list[Number(index)], one)
  return [...list.slice(0, change.at), ...change.add, ...list.slice(change.at + change.cut)]
}

function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
