import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { DifferencePart } from '../../src/wire.ts'
import { groupDifference, shortened } from './difference-groups.ts'

const part = fc.record({
  type: fc.constantFrom<DifferencePart['type']>('same', 'removed', 'added'),
  text: fc.string(),
})

test('groups keep both sides of a difference', () => {
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const groups = groupDifference(parts)
      const side = (other: 'removed' | 'added') =>
        parts
          .filter(({ type }) => type !== other)
          .map(({ text }) => text)
          .join('')
      const before = groups.map((group) =>
        group.type === 'same' ? group.text : group.removed.map(({ text }) => text).join(''),
      )
      const after = groups.map((group) => (group.type === 'same' ? group.text : group.added))
      expect(before.join('')).toBe(side('added'))
      expect(after.join('')).toBe(side('removed'))
    }),
  )
})

test('adjacent groups differ in type', () => {
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const types = groupDifference(parts).map(({ type }) => type)
      expect(types.every((type, index) => type !== types[index - 1])).toBe(true)
    }),
  )
})

test('shortens a long passage to its ends next to changes', () => {
  const text = `${'a'.repeat(1_000)}${'b'.repeat(1_000)}`
  const middle = shortened(text, { isFirst: false, isLast: false })
  expect(middle).toMatch(/^a{160} … 1,680 characters … b{160}$/)
  expect(shortened(text, { isFirst: true, isLast: false })).toMatch(/^ … 1,840 characters … b{160}$/)
  expect(shortened(text, { isFirst: false, isLast: true })).toMatch(/^a{160} … 1,840 characters … $/)
  // Without changes, the whole text is shown.
  expect(shortened(text, { isFirst: true, isLast: true })).toBe(text)
})
