import type { MessageHit } from '@millrace/core'
import { expect, test } from 'vitest'
import { favourNeighbours, fuseHits } from './fuse-hits.ts'

test('what both rankings have comes before what is first in one', () => {
  const [a, b, c] = [hit(1, 3), hit(5, 2), hit(9, 1)] as const
  expect(
    fuseHits([
      [a, b],
      [c, b],
    ])[0],
  ).toBe(b)
  expect(fuseHits([[a, b, c], []])).toEqual([a, b, c])
})

test('a message of one thread is not that of another with the same id', () => {
  const other = hit(1, 1, 'other')
  expect(fuseHits([[hit(1, 1)], [other]])).toHaveLength(2)
})

test('neighbours that were found as well move a hit up', () => {
  const hits = [hit(20, 5), hit(4, 4), hit(5, 4), hit(6, 4)]
  expect(favourNeighbours(hits).map(({ sequence }) => sequence)).toEqual([5, 4, 6, 20])
  expect(favourNeighbours([hit(4, 4), hit(5, 3, 'other')]).map(({ score }) => score)).toEqual([4, 3])
})

function hit(sequence: number, score: number, threadId = 't'): MessageHit {
  const message = {
    id: `m${sequence}`,
    role: 'user' as const,
    content: { parts: [] },
    createdAt: new Date(0),
    threadId,
  }
  return { message, sequence, score }
}
