import { isContainer } from '../mutate.ts'

/** A change at one path of a JSON value. Without a value, the path is deleted. */
export interface Edit {
  readonly path: readonly string[]
  readonly value?: unknown
}

/** The edits from `from` to `to`. Lists of different lengths are replaced. */
export function differences(from: unknown, to: unknown, path: readonly string[] = []): Edit[] {
  if (JSON.stringify(from) === JSON.stringify(to)) return []
  const isAlike =
    isContainer(from) &&
    isContainer(to) &&
    Array.isArray(from) === Array.isArray(to) &&
    (!Array.isArray(from) || from.length === (to as unknown[]).length)
  if (!isAlike) return [{ path, value: to }]
  const keys = new Set([...Object.keys(from), ...Object.keys(to)])
  return [...keys].flatMap((key) => {
    const within = [...path, key]
    if (!Object.hasOwn(to, key)) return [{ path: within }]
    return differences(ownOf(from, key), ownOf(to, key), within)
  })
}

/** Edits whose path does not exist any more are skipped. */
export function applyEdits(value: unknown, edits: readonly Edit[]): unknown {
  const root = { value: structuredClone(value) }
  for (const { path, ...edit } of edits) {
    if (!Array.isArray(path)) continue
    let parent: unknown = root
    const keys = ['value', ...path]
    const last = keys.pop() as string
    for (const key of keys) parent = isContainer(parent) ? ownOf(parent, key) : undefined
    if (!isContainer(parent)) continue
    if ('value' in edit) {
      const { value } = edit
      Object.defineProperty(parent, last, { value, configurable: true, enumerable: true, writable: true })
    } else delete (parent as Record<string, unknown>)[last]
  }
  return root.value
}

function ownOf(value: object, key: string): unknown {
  return Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined
}
