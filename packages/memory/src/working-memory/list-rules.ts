import { isRecord, MillraceError } from '@millrace/core'

/**
 * How a list in an update changes the stored list. `replace`: replaces it. `append`: adds the items that are
 * not in it at its end, and removes nothing. `by id`: merges items with the same `id`, adds new ones at the
 * end, and removes an item of which nothing but the `id` remains. Any other property can take the place of
 * `id`.
 */
export type ListRule = 'replace' | 'append' | `by ${string}`

/**
 * One rule for all lists, or one per list by its path, such as `pets` or `home.rooms`. Other lists are
 * replaced.
 */
export type ListRules = ListRule | Readonly<Record<string, ListRule>>

export type RuleOf = (path: string) => ListRule

/** @throws MillraceError `CONFIG_INVALID` if a rule is invalid */
export function ruleOf(rules: ListRules = 'replace'): RuleOf {
  for (const rule of typeof rules === 'string' ? [rules] : Object.values(rules)) {
    if (rule === 'replace' || rule === 'append' || /^by \S+$/.test(rule)) continue
    throw new MillraceError(
      'CONFIG_INVALID',
      `A rule of workingMemory.lists is '${String(rule)}'. Use 'replace', 'append', or 'by' with the name of a property, such as 'by id'.`,
    )
  }
  if (typeof rules === 'string') return () => rules
  return (path) => (Object.hasOwn(rules, path) ? (rules[path] as ListRule) : 'replace')
}

/**
 * Merges a list into another one.
 *
 * @param mergeItems Merges two items with the same key
 */
export function mergeLists(
  before: readonly unknown[],
  next: readonly unknown[],
  {
    rule,
    mergeItems,
  }: {
    rule: ListRule
    mergeItems: (before: Record<string, unknown>, next: Record<string, unknown>) => Record<string, unknown>
  },
): unknown[] {
  if (rule === 'replace') return [...next]
  if (rule === 'append') {
    const known = new Set(before.map((item) => JSON.stringify(item)))
    return [...before, ...next.filter((item) => !known.has(JSON.stringify(item)))]
  }
  const key = rule.slice('by '.length)
  const merged = [...before]
  for (const item of next) {
    const at =
      isRecord(item) && Object.hasOwn(item, key) ? merged.findIndex((each) => isEqualIn(key, each, item)) : -1
    if (at < 0 || !isRecord(item)) {
      merged.push(isRecord(item) ? mergeItems({}, item) : item)
      continue
    }
    const old = merged[at]
    const whole = mergeItems(isRecord(old) ? old : {}, item)
    const isEmptied = Object.values(item).includes(null) && Object.keys(whole).every((name) => name === key)
    merged.splice(at, 1, ...(isEmptied ? [] : [whole]))
  }
  return merged
}

function isEqualIn(key: string, left: unknown, right: Record<string, unknown>): boolean {
  return isRecord(left) && JSON.stringify(left[key]) === JSON.stringify(right[key])
}
