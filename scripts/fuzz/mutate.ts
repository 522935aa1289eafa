import type { Random } from './random.ts'

export interface MutateOptions {
  readonly random: Random
  /** Strings that are special to the code under test. */
  readonly dictionary: readonly string[]
  /** Another input, whose parts may be inserted. */
  readonly donor: unknown
}

/** Returns a JSON value with a few random changes. Does not mutate the given value. */
export function mutate(value: unknown, options: MutateOptions): unknown {
  const root = { value: structuredClone(value) }
  // Mostly one change, because two at once are seldom useful.
  do mutateOnce(root, options)
  while (options.random.chance(0.45))
  return root.value
}

type Parent = Record<string, unknown> | unknown[]

interface Place {
  readonly parent: Parent
  readonly key: string
}

function mutateOnce(root: { value: unknown }, options: MutateOptions): void {
  const { random } = options
  const { parent, key } = random.pick(placesIn(root))
  const node = (parent as Record<string, unknown>)[key]
  const isRoot = (parent as object) === root
  const change = random.below(10)
  if (typeof node === 'string' && change < 6) set(parent, key, mutateText(node, options))
  else if (typeof node === 'number' && change < 5) set(parent, key, mutateNumber(node, random))
  else if (isContainer(node) && change < 4) mutateContainer(node, options)
  else if (change < 6) set(parent, key, random.pick(placesIn({ value: options.donor }).map(valueAt)))
  else if (change < 7 || isRoot) set(parent, key, oddValue(options))
  else if (change < 9) remove(parent, key)
  else copyNext(parent, key, options)
}

/** Removes, adds, repeats or swaps items of a list or object. */
function mutateContainer(node: Parent, options: MutateOptions): void {
  const { random, donor } = options
  const keys = Object.keys(node)
  const value = random.chance(0.5)
    ? oddValue(options)
    : structuredClone(random.pick(placesIn({ value: donor }).map(valueAt)))
  if (!Array.isArray(node)) {
    const key = random.pick([...options.dictionary, ...keys, '__proto__', ''])
    set(node, key, value)
    return
  }
  const [first, second] = [random.below(node.length + 1), random.below(node.length + 1)]
  if (random.chance(0.4) && node.length > 1) {
    const [taken] = node.splice(Math.min(first, node.length - 1), 1)
    node.splice(Math.min(second, node.length), 0, taken)
  } else node.splice(first, 0, value)
}

function mutateText(text: string, { random, dictionary }: MutateOptions): string {
  const start = random.below(text.length + 1)
  const end = Math.min(text.length, start + random.below(6))
  const [before, taken, rest] = [text.slice(0, start), text.slice(start, end), text.slice(end)]
  switch (random.below(6)) {
    case 0:
      return before + rest
    case 1:
      return before + random.pick([...dictionary, ...ODD_TEXTS]) + rest
    case 2:
      return before + taken + taken.repeat(random.below(3)) + rest
    case 3:
      return before + random.pick(ODD_TEXTS) + text.slice(start)
    case 4:
      return random.pick([...dictionary, ...ODD_TEXTS])
    default:
      return (
        before + String.fromCharCode(random.chance(0.8) ? random.below(128) : random.below(65_536)) + rest
      )
  }
}

function mutateNumber(number: number, random: Random): number {
  return random.pick([
    number + 1,
    number - 1,
    -number,
    number * 10,
    number / 2,
    random.below(64),
    ...ODD_NUMBERS,
  ])
}

const ODD_NUMBERS = [0, -1, 1.5, 2 ** 31, 2 ** 53, 1e21, 1e300]
const ODD_TEXTS = [
  '',
  '\ud800',
  '\udc00',
  '😀',
  '\0',
  '\u200b',
  '\u2028',
  'é',
  'İ',
  'ß',
  '"',
  '\\',
  '\n',
  ' ',
]

function oddValue({ random, dictionary }: MutateOptions): unknown {
  const odd = [null, true, false, [], {}, [[]], random.pick(ODD_NUMBERS), random.pick(ODD_TEXTS)]
  return structuredClone(random.pick([...odd, random.pick([...dictionary, ''])]))
}

function copyNext(parent: Parent, key: string, { random, dictionary }: MutateOptions): void {
  const copy = structuredClone((parent as Record<string, unknown>)[key])
  if (Array.isArray(parent)) parent.splice(Number(key), 0, copy)
  else set(parent, random.pick([...dictionary, key]), copy)
}

function remove(parent: Parent, key: string): void {
  if (Array.isArray(parent)) parent.splice(Number(key), 1)
  else delete parent[key]
}

/** Also sets the key `__proto__` as an own property, like `JSON.parse`. */
function set(parent: Parent, key: string, value: unknown): void {
  Object.defineProperty(parent, key, { value, configurable: true, enumerable: true, writable: true })
}

function valueAt({ parent, key }: Place): unknown {
  return structuredClone((parent as Record<string, unknown>)[key])
}

/** The paths of all values, outermost first. */
export function placesIn(root: Parent): Place[] {
  const places: Place[] = []
  const containers: Parent[] = [root]
  for (const parent of containers) {
    for (const key of Object.keys(parent)) {
      places.push({ parent, key })
      const value = (parent as Record<string, unknown>)[key]
      if (isContainer(value)) containers.push(value)
    }
  }
  return places
}

export function isContainer(value: unknown): value is Parent {
  return typeof value === 'object' && value !== null
}
