import { isRecord } from '@millrace/core'
import { mergeLists, type RuleOf, ruleOf } from './list-rules.ts'

type Values = Record<string, unknown>

/**
 * Applies a JSON Merge Patch (RFC 7396): objects are merged at every depth, `null` deletes, everything else
 * replaces. Lists are merged by their rule, where the RFC replaces them. The arguments are not changed.
 */
export function mergePatch(value: Values, patch: Values, rule: RuleOf = ruleOf()): Values {
  return merge(value, patch, { rule, path: '' })
}

function merge(value: Values, patch: Values, { rule, path }: { rule: RuleOf; path: string }): Values {
  const merged: Values = { ...value }
  for (const [key, change] of Object.entries(patch)) {
    const before = Object.hasOwn(merged, key) ? merged[key] : undefined
    const inner = { rule, path: path === '' ? key : `${path}.${key}` }
    if (change === undefined) continue
    if (change === null) delete merged[key]
    else if (isRecord(change)) set(merged, key, merge(isRecord(before) ? before : {}, change, inner))
    else if (Array.isArray(change)) {
      const mergeItems = (old: Values, next: Values): Values => merge(old, next, inner)
      const known = Array.isArray(before) ? before : []
      set(merged, key, mergeLists(known, change, { rule: rule(inner.path), mergeItems }))
    } else set(merged, key, change)
  }
  return merged
}

/** The patch that turns `before` into `after`. A key that `after` leaves out stays unchanged. */
export function patchBetween(before: Values, after: Values): Values {
  const patch: Values = {}
  for (const [key, value] of Object.entries(after)) {
    const old = Object.hasOwn(before, key) ? before[key] : undefined
    if (value === undefined || (value === null && old === undefined)) continue
    if (isRecord(value) && isRecord(old)) {
      const inner = patchBetween(old, value)
      if (Object.keys(inner).length > 0) set(patch, key, inner)
    } else if (JSON.stringify(value) !== JSON.stringify(old)) set(patch, key, value)
  }
  return patch
}

/** Sets an own property for any key, including `__proto__`. */
function set(values: Values, key: string, value: unknown): void {
  Object.defineProperty(values, key, { value, writable: true, enumerable: true, configurable: true })
}
