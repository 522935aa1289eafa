import { type Line, textOfLine } from './line.ts'

/** The minimum similarity of two texts to count as edited, if the number of messages has changed. */
const MIN_SIMILARITY = 0.3

interface Known {
  line: Line
  /** The object that was passed out for the line. */
  object: object
}

/**
 * Matches the messages that a modifier returned with the ones it received: by identity, by the calls they
 * make or answer, by equality, and for the rest by order between matched messages. `undefined` marks a new
 * message.
 */
export function matchLines(known: readonly Known[], returned: readonly Known[]): (number | undefined)[] {
  const places: (number | undefined)[] = returned.map(() => undefined)
  const free = new Set(known.keys())
  const match = (find: (returned: Known) => number | undefined): void => {
    for (const [index, item] of returned.entries()) {
      if (places[index] !== undefined) continue
      const place = find(item)
      if (place === undefined || !free.delete(place)) continue
      places[index] = place
    }
  }
  const byObject = new Map(known.map(({ object }, index) => [object, index]))
  match(({ object }) => byObject.get(object))
  if (free.size === 0) return places

  const byCall = new Map<string, number>()
  for (const index of free) for (const key of callKeys(known[index]?.line)) byCall.set(key, index)
  match(({ line }) => {
    for (const key of callKeys(line)) {
      const place = byCall.get(key)
      if (place !== undefined && free.has(place)) return place
    }
    return undefined
  })

  const byValue = new Map<string, number[]>()
  for (const index of free) {
    const key = JSON.stringify(known[index]?.line)
    byValue.set(key, [...(byValue.get(key) ?? []), index])
  }
  match(({ line }) => byValue.get(JSON.stringify(line))?.shift())
  matchByOrder(known, returned, { places, free })
  return places
}

function callKeys(line: Line | undefined): string[] {
  if (!line) return []
  return line.callId === undefined ? line.calls.map(({ id }) => `call ${id}`) : [`result ${line.callId}`]
}

/** Between two matched messages, the unmatched ones count as edited versions of each other. */
function matchByOrder(
  known: readonly Known[],
  returned: readonly Known[],
  { places, free }: { places: (number | undefined)[]; free: Set<number> },
): void {
  let start = 0
  while (start < returned.length) {
    if (places[start] !== undefined) {
      start++
      continue
    }
    let end = start
    while (end < returned.length && places[end] === undefined) end++
    const before = start === 0 ? -1 : (places[start - 1] as number)
    const after = end === returned.length ? known.length : (places[end] as number)
    for (const role of ['system', 'user', 'assistant'] as const) {
      const mine = [...free]
        .filter((place) => place > before && place < after && known[place]?.line.role === role)
        .sort((a, b) => a - b)
      const theirs = range(start, end).filter((index) => returned[index]?.line.role === role)
      pair(mine, theirs, (place, index) => similarity(known[place]?.line, returned[index]?.line))
    }
    start = end
  }

  function pair(mine: number[], theirs: number[], like: (place: number, index: number) => number): void {
    const isZip = mine.length === theirs.length
    for (const index of theirs) {
      const at = isZip ? 0 : mine.findIndex((place) => like(place, index) >= MIN_SIMILARITY)
      const place = mine[at]
      if (place === undefined) continue
      places[index] = place
      free.delete(place)
      mine.splice(0, at + 1)
    }
  }
}

function range(start: number, end: number): number[] {
  return Array.from({ length: end - start }, (_, index) => start + index)
}

/** The share of the longer text that the two have in common as prefix and suffix, from 0 to 1. */
function similarity(left: Line | undefined, right: Line | undefined): number {
  const a = left ? textOfLine(left) : ''
  const b = right ? textOfLine(right) : ''
  const shorter = Math.min(a.length, b.length)
  const longer = Math.max(a.length, b.length)
  if (longer === 0) return 1
  let head = 0
  while (head < shorter && a[head] === b[head]) head++
  let tail = 0
  while (tail < shorter - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++
  return (head + tail) / longer
}
