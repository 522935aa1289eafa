import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addThreads, hasThread, joinFilters } from './thread-filter.ts'

const ids = fc.uniqueArray(fc.string({ minLength: 1 }), { maxLength: 50 })

test('a filter has no false negatives, also after a union', () => {
  fc.assert(
    fc.property(ids, ids, (left, right) => {
      const both = joinFilters([addThreads(undefined, left), addThreads(undefined, right)])
      const again = addThreads(addThreads(undefined, left), right)
      expect(both).toBe(again)
      for (const id of [...left, ...right]) expect(hasThread(both, id)).toBe(true)
    }),
  )
  expect(joinFilters([])).toBeUndefined()
  expect(hasThread(undefined, 'a')).toBe(false)
})

test('a filter of a thousand threads takes a few kilobytes, and has few false positives', () => {
  const named = (prefix: string) => Array.from({ length: 1_000 }, (_, index) => `${prefix}-${index}`)
  for (const prefix of ['thread', 'chat', crypto.randomUUID()]) {
    const filter = addThreads(undefined, named(prefix))
    expect(filter.length).toBeLessThan(6_000)
    expect(named(`other-${prefix}`).filter((id) => hasThread(filter, id)).length).toBeLessThan(10)
  }
})
