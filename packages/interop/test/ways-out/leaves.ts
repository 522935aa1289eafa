/** A place in a value: the path of a text, or of an object whose key of that name it is. */
export interface Leaf {
  readonly path: readonly (string | number)[]
  readonly isKey: boolean
}

/** All texts and keys of a value, but those that hold its form together. */
export function leavesOf(value: unknown, isForm: (leaf: Leaf) => boolean): Leaf[] {
  const leaves: Leaf[] = []
  const walk = (each: unknown, path: readonly (string | number)[]): void => {
    if (typeof each === 'string' || each instanceof URL) leaves.push({ path, isKey: false })
    if (typeof each !== 'object' || each === null || each instanceof URL || ArrayBuffer.isView(each)) return
    for (const [key, item] of Object.entries(each)) {
      const own = [...path, Array.isArray(each) ? Number(key) : key]
      if (!Array.isArray(each)) leaves.push({ path: own, isKey: true })
      walk(item, own)
    }
  }
  walk(value, [])
  return leaves.filter((leaf) => !isForm(leaf))
}

/** A copy in which one text, or one key, has another text added to it. */
export function withAdded<T>(value: T, { path, isKey }: Leaf, added: string): T {
  const [key, ...rest] = path
  if (key === undefined) return addedTo(value, added) as T
  if (Array.isArray(value)) {
    return value.map((item, index) =>
      index === key ? withAdded(item, { path: rest, isKey }, added) : item,
    ) as T
  }
  const entries = Object.entries(value as object).map(([name, item]): [string, unknown] => {
    if (name !== key) return [name, item]
    if (isKey && rest.length === 0) return [`${name}${added}`, item]
    return [name, withAdded(item, { path: rest, isKey }, added)]
  })
  return Object.fromEntries(entries) as T
}

function addedTo(value: unknown, added: string): unknown {
  return value instanceof URL ? new URL(`${value.href}${added}`) : `${value}${added}`
}

export function nameOf({ path, isKey }: Leaf): string {
  return `${path.join('.')}${isKey ? ' (key)' : ''}`
}
