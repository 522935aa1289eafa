import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mergePatch, patchBetween } from './merge-patch.ts'

test('merges objects at every depth, null deletes, everything else replaces', () => {
  const before = { name: 'Ada', home: { city: 'Lund', country: 'SE' }, likes: ['bees'] }
  const patch = { home: { city: 'Oslo', country: null }, likes: ['tea'], name: null, age: 36 }
  expect(mergePatch(before, patch)).toEqual({ home: { city: 'Oslo' }, likes: ['tea'], age: 36 })
  expect(before.home.city).toBe('Lund')
})

test('a key of an object prototype is a key like any other', () => {
  const patch = JSON.parse('{"__proto__":{"admin":true}}')
  const merged = mergePatch({}, patch)
  expect(Object.keys(merged)).toEqual(['__proto__'])
  expect(({} as { admin?: boolean }).admin).toBeUndefined()
})

test('a patch says what has changed, and nothing about what is left out', () => {
  const before = { name: 'Ada', home: { city: 'Lund' }, age: 36 }
  expect(patchBetween(before, { name: 'Ada', home: { city: 'Oslo' } })).toEqual({ home: { city: 'Oslo' } })
  expect(patchBetween(before, { age: null, unknown: null })).toEqual({ age: null })
})

test('applied to what it began with, a patch leads to what it was made from', () => {
  const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.array(fc.integer()))
  const values = fc.dictionary(
    fc.string(),
    fc.oneof(leaf, fc.dictionary(fc.string(), leaf, { noNullPrototype: true })),
    {
      noNullPrototype: true,
    },
  )
  fc.assert(
    fc.property(values, values, (before, after) => {
      expect(mergePatch(before, patchBetween(before, after))).toEqual(mergePatch(before, after))
    }),
  )
})
