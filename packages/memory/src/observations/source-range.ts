import type { StoredMessage } from '@millrace/core'

/** Consecutive messages of a thread that notes were made from. Notes must not outlive them. */
export interface SourceRange {
  threadId: string
  /** The id of the first message. Reading starts there. */
  firstId: string
  /** Sequence numbers of the first and the last message. */
  from: number
  to: number
}

/** Messages of a thread that are deleted or edited. */
export interface Cut {
  threadId: string
  /** The parts of a range that remain. `undefined` if the cut does not affect the range. */
  remainderOf(range: SourceRange): SourceRange[] | undefined
}

/** Removes all messages after a sequence number: for a regenerated turn, or with 0 for the whole thread. */
export function cutAfter(threadId: string, place: number): Cut {
  return {
    threadId,
    remainderOf(range) {
      if (range.threadId !== threadId || range.to <= place) return undefined
      return range.from <= place ? [{ ...range, to: place }] : []
    },
  }
}

/**
 * Removes single messages.
 *
 * @param around The remaining messages next to them, in order
 */
export function cutMessages(
  threadId: string,
  { gone, around }: { gone: readonly number[]; around: readonly StoredMessage[] },
): Cut {
  const places = gone.toSorted((left, right) => left - right)
  return {
    threadId,
    remainderOf(range) {
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

/** Marks messages as edited: no message is removed, and affected ranges must be read again. */
export function markEdited(threadId: string, places: readonly number[]): Cut {
  return {
    threadId,
    remainderOf: (range) =>
      range.threadId === threadId && places.some((place) => place >= range.from && place <= range.to)
        ? [range]
        : undefined,
  }
}

/**
 * Joins adjacent ranges of each thread. Threads are in the order of their last ranges.
 *
 * @param options.bridging Also joins ranges with a gap between them: one range per thread
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
