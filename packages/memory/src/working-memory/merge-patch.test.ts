import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ruleOf } from './list-rules.ts'
import { mergePatch, patchBetween } from './merge-patch.ts'

test('merges objects at every depth, null deletes, everything else replaces', () => {
  const before = { name: 'Ada', home: { city: 'Lund', country: 'SE' }, likes: ['bees'] }
  const patch = { home: { city: 'Oslo', country: null }, likes: ['tea'], name: null, age: 36 }
  expect(mergePatch(before, patch)).toEqual({ home: { city: 'Oslo' }, likes: ['tea'], age: 36 })
  expect(before.home.city).toBe('Lund')
})

test('a key such as __proto__ is an ordinary key', () => {
  const patch = JSON.parse('{"__proto__":{"admin":true}}')
  const merged = mergePatch({}, patch)
  expect(Object.keys(merged)).toEqual(['__proto__'])
  expect(({} as { admin?: boolean }).admin).toBeUndefined()
})

test('a patch has only what changed, and nothing for missing keys', () => {
  const before = { name: 'Ada', home: { city: 'Lund' }, age: 36 }
  expect(patchBetween(before, { name: 'Ada', home: { city: 'Oslo' } })).toEqual({ home: { city: 'Oslo' } })
  expect(patchBetween(before, { age: null, unknown: null })).toEqual({ age: null })
})

test('applying a patch to its origin gives its target', () => {
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

test('lists are replaced, appended to, or merged by a key', () => {
  const before = {
    likes: ['tea'],
    home: {
      rooms: [
        { id: 1, size: 9 },
        { id: 2, size: 8, door: 'red' },
      ],
    },
  }
  const patch = {
    likes: ['tea', 'wax'],
    home: {
      rooms: [
        { id: 2, door: null },
        { id: 3, size: 7, door: null },
      ],
    },
  }
  expect(mergePatch(before, patch)).toEqual({ likes: ['tea', 'wax'], home: { rooms: patch.home.rooms } })
  expect(mergePatch(before, { likes: ['tea', 'wax'] }, ruleOf('append')).likes).toEqual(['tea', 'wax'])
  expect(mergePatch(before, patch, ruleOf({ 'home.rooms': 'by id' }))).toEqual({
    likes: ['tea', 'wax'],
    home: {
      rooms: [
        { id: 1, size: 9 },
        { id: 2, size: 8 },
        { id: 3, size: 7 },
      ],
    },
  })
})

test('merging by key removes an item without other properties', () => {
  const pets = [{ name: 'Rex', age: 3 }, { name: 'Mia' }]
  const rule = ruleOf('by name')
  expect(mergePatch({ pets }, { pets: [{ name: 'Rex', age: null }] }, rule)).toEqual({
    pets: [{ name: 'Mia' }],
  })
  expect(mergePatch({ pets }, { pets: [{ name: 'Mia' }, 'odd', { age: 1 }] }, rule)).toEqual({
    pets: [...pets, 'odd', { age: 1 }],
  })
})
