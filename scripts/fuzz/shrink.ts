import { isContainer, placesIn } from './mutate.ts'

/** Minimizes a failing input. Stops at the time `until`. */
export async function shrink(
  input: unknown,
  { fails, until }: { fails: (input: unknown) => Promise<boolean>; until: number },
): Promise<unknown> {
  let smallest = input
  let index = 0
  while (Date.now() < until) {
    const next = simpler(smallest, index)
    if (next === undefined) return smallest
    if (await fails(next.value)) smallest = next.value
    else index++
  }
  return smallest
}

/** The n-th simplification of a value; `undefined` if there is none. */
function simpler(value: unknown, index: number): { value: unknown } | undefined {
  let left = index
  const places = placesIn({ value }).length
  for (let place = 0; place < places; place++) {
    const root = { value: structuredClone(value) }
    const { parent, key } = placesIn(root)[place] as ReturnType<typeof placesIn>[number]
    const node = (parent as Record<string, unknown>)[key]
    const ways: (() => void)[] = []
    if ((parent as object) !== root) {
      ways.push(() => {
        if (Array.isArray(parent)) parent.splice(Number(key), 1)
        else delete parent[key]
      })
    }
    for (const other of alternatives(node)) {
      ways.push(() => {
        Object.defineProperty(parent, key, { value: other })
      })
    }
    const way = ways[left]
    if (way) {
      way()
      return root
    }
    left -= ways.length
  }
  return undefined
}

function alternatives(node: unknown): unknown[] {
  if (typeof node === 'string' && node.length > 1) {
    const half = node.length >> 1
    return node.length > 24
      ? [node.slice(half), node.slice(0, half)]
      : [...node].map((_, place) => [...node].toSpliced(place, 1).join(''))
  }
  if (typeof node === 'number' && node !== 0) return [0]
  if (isContainer(node)) return Object.values(node).filter(isContainer)
  return []
}
