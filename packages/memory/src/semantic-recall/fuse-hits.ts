import type { MessageHit, StoredMessage } from '@millrace/core'

/** Rank fusion's constant: Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion" (2009). */
const K = 60

/** How much a neighbour's score adds to a message's own. */
const NEIGHBOUR_WEIGHT = 0.3

/**
 * One ranking of what was found by words and by meaning, by reciprocal rank. Scores of the two cannot be compared,
 * ranks can.
 */
export function fuseHits(rankings: readonly (readonly StoredMessage[])[]): StoredMessage[] {
  const fused = new Map<string, { hit: StoredMessage; score: number }>()
  for (const ranking of rankings) {
    for (const [rank, hit] of ranking.entries()) {
      const key = keyOf(hit)
      const entry = fused.get(key) ?? { hit, score: 0 }
      entry.score += 1 / (K + rank + 1)
      fused.set(key, entry)
    }
  }
  return [...fused.values()].sort((left, right) => right.score - left.score).map(({ hit }) => hit)
}

/**
 * Hits whose neighbours in the conversation were found too come earlier: what is talked about spans several messages,
 * and its words are spread over them.
 */
export function favourNeighbours(hits: readonly MessageHit[]): MessageHit[] {
  const scores = new Map(hits.map((hit) => [placeOf(hit, 0), hit.score]))
  return hits
    .map((hit) => {
      const around = (scores.get(placeOf(hit, -1)) ?? 0) + (scores.get(placeOf(hit, 1)) ?? 0)
      return { ...hit, score: hit.score + NEIGHBOUR_WEIGHT * around }
    })
    .sort((left, right) => right.score - left.score)
}

function keyOf({ message }: StoredMessage): string {
  return JSON.stringify([message.threadId, message.id])
}

function placeOf({ message, sequence }: StoredMessage, offset: number): string {
  return JSON.stringify([message.threadId, sequence + offset])
}
