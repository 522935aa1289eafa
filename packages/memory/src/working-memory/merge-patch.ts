import { isRecord } from '@millrace/core'

type Values = Record<string, unknown>

/**
 * A value with a patch applied: objects are merged at every depth, `null` deletes, everything else replaces. RFC 7396,
 * JSON Merge Patch. Neither argument is changed.
 */
export function mergePatch(value: Values, patch: Values): Values {
  const merged: Values = { ...value }
  for (const [key, change] of Object.entries(patch)) {
    if (change === null || change === undefined) {
      if (change === null) delete merged[key]
    } else if (isRecord(change)) {
      const before = merged[key]
      set(merged, key, mergePatch(isRecord(before) ? before : {}, change))
    } else set(merged, key, change)
  }
  return merged
}

/** The patch that leads from one value to another, in which a key left out of `after` stays as it was. */
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

/** As an own property, whatever the key: `__proto__` too. */
function set(values: Values, key: string, value: unknown): void {
  Object.defineProperty(values, key, { value, writable: true, enumerable: true, configurable: true })
}
