/** A repetition at the end of a list: the last `cycle` items occur `times` times in a row. */
export interface Repetition {
  /** The number of items that repeat. 1 if it is the same item. */
  readonly cycle: number
  /** The number of occurrences, including the first. 1 if nothing repeats. */
  readonly times: number
}

/** The cycle with the most repetitions at the end of a list, at most `maxCycle` items long; the shortest of several. */
export function repetitionIn(items: readonly string[], { maxCycle }: { maxCycle: number }): Repetition {
  let found: Repetition = { cycle: 1, times: Math.min(items.length, 1) }
  for (let cycle = 1; cycle <= maxCycle && 2 * cycle <= items.length; cycle++) {
    let same = 0
    for (let index = items.length - 1; index >= cycle && items[index] === items[index - cycle]; index--)
      same++
    const times = 1 + Math.floor(same / cycle)
    if (times > found.times) found = { cycle, times }
  }
  return found
}
