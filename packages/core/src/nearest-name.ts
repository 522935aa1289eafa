/**
 * The known name that is at most `edits` edits away from the name, the nearest one first. Case, `_` and `-` count as
 * no difference.
 */
export function nearestName(name: string, known: Iterable<string>, edits = 2): string | undefined {
  const plain = plainName(name)
  let nearest: string | undefined
  let least = edits + 1
  for (const candidate of known) {
    const other = plainName(candidate)
    if (Math.abs(other.length - plain.length) >= least) continue
    const edited = distance(plain, other)
    if (edited >= least) continue
    nearest = candidate
    least = edited
  }
  return nearest
}

function plainName(name: string): string {
  return name.slice(0, LONGEST).toLowerCase().replace(/[_-]/g, '')
}

/** Longer names are cut: none that is known is as long. */
const LONGEST = 64

/** The number of insertions, deletions, substitutions and swaps of neighbors. */
function distance(from: string, to: string): number {
  let above: number[] = []
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let index = 0; index < from.length; index++) {
    const next = [index + 1]
    for (let place = 0; place < to.length; place++) {
      const same = from[index] === to[place] ? 0 : 1
      const isSwap = index > 0 && from[index] === to[place - 1] && from[index - 1] === to[place]
      const [replaced, removed, inserted] = [row[place], row[place + 1], next[place]] as [
        number,
        number,
        number,
      ]
      const swapped = isSwap ? (above[place - 1] as number) + 1 : Number.POSITIVE_INFINITY
      next.push(Math.min(replaced + same, removed + 1, inserted + 1, swapped))
    }
    above = row
    row = next
  }
  return row.at(-1) as number
}
