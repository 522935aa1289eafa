import type { StoredMessage } from '@millrace/core'

/** Messages of a thread that follow each other: what notes were made from, and must not outlive. */
export interface SourceRange {
  threadId: string
  /** The first of them, where reading them begins. */
  firstId: string
  /** Places of the first and the last of them. */
  from: number
  to: number
}

/** Messages of a thread that are deleted or changed. */
export interface Cut {
  threadId: string
  /** What it leaves of a range, in parts; `undefined` if it does not touch it. */
  leaves(range: SourceRange): SourceRange[] | undefined
}

/** Cuts off what comes after a place in a thread: a turn that is done again, or with 0 the whole thread. */
export function cutAfter(threadId: string, place: number): Cut {
  return {
    threadId,
    leaves(range) {
      if (range.threadId !== threadId || range.to <= place) return undefined
      return range.from <= place ? [{ ...range, to: place }] : []
    },
  }
}

/**
 * Cuts single messages out.
 *
 * @param around The messages that are left next to those, in order
 */
export function cutOut(
  threadId: string,
  { gone, around }: { gone: readonly number[]; around: readonly StoredMessage[] },
): Cut {
  const places = gone.toSorted((left, right) => left - right)
  return {
    threadId,
    leaves(range) {
      const hit = places.filter((place) => place >= range.from && place <= range.to)
      if (range.threadId !== threadId || hit.length === 0) return undefined
      const left: SourceRange[] = []
      let rest: SourceRange | undefined = range
      for (const place of hit) {
        if (!rest) break
        if (rest.from < place) left.push({ ...rest, to: place - 1 })
        const next = around.find(({ sequence }) => sequence > place && sequence <= range.to)
        rest = next && { threadId, firstId: next.message.id, from: next.sequence, to: range.to }
      }
      return rest ? [...left, rest] : left
    },
  }
}

/** Marks as changed what was edited: nothing of the range is gone, and all of it is to be read again. */
export function touchAt(threadId: string, places: readonly number[]): Cut {
  return {
    threadId,
    leaves: (range) =>
      range.threadId === threadId && places.some((place) => place >= range.from && place <= range.to)
        ? [range]
        : undefined,
  }
}

/**
 * Ranges of a thread that follow each other as one, and the threads in the order of their last ranges.
 *
 * @param options.bridging Joins those with a gap between them too: one range for each thread
 */
export function joinRanges(
  ranges: readonly SourceRange[],
  { bridging = false }: { bridging?: boolean } = {},
): SourceRange[] {
  const byThread = new Map<string, SourceRange[]>()
  for (const range of ranges) {
    const own = byThread.get(range.threadId) ?? []
    byThread.delete(range.threadId)
    byThread.set(range.threadId, [...own, range])
  }
  return [...byThread.values()].flatMap((own) => {
    const joined: SourceRange[] = []
    for (const range of own.toSorted((left, right) => left.from - right.from)) {
      const last = joined.at(-1)
      if (last && (bridging || range.from <= last.to + 1)) {
        joined[joined.length - 1] = { ...last, to: Math.max(last.to, range.to) }
      } else joined.push(range)
    }
    return joined
  })
}
