/** How something ends: the last `cycle` items have come `times` times in a row. */
export interface Repetition {
  /** Items that come round. 1 where it is the same item over and over. */
  readonly cycle: number
  /** How often, all of them included. 1 where nothing repeats. */
  readonly times: number
}

/** The shortest cycle, of at most `maxCycle` items, that has come round most often at the end of a list. */
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
