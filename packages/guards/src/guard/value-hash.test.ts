import fc from 'fast-check'
import { expect, test } from 'vitest'
import { perform } from './task.ts'
import { valueKey } from './value-hash.ts'

const keyOf = (value: unknown) => perform(valueKey(value))

const odd = fc.constantFrom<unknown>(
  undefined,
  Number.NaN,
  -0,
  '',
  '\ud83d',
  new Date(0),
  '1970-01-01T00:00:00.000Z',
  new Map([[1, 2]]),
  Object.assign(Object.create(null), { a: 1 }),
  Object(1),
  Object('a'),
  () => 1,
  Symbol.iterator,
)
const values = fc.anything({
  values: [fc.string({ unit: 'binary' }), fc.integer(), fc.boolean(), odd],
  maxDepth: 3,
})

test('is the same for values with the same JSON, and another for others', () => {
  const keys = new Map<unknown, string | undefined>()
  fc.assert(
    fc.property(values, (value) => {
      const json = JSON.stringify(value)
      const key = keyOf(value)
      expect(key === undefined).toBe(json === undefined)
      if (json === undefined) return
      expect(keyOf(JSON.parse(json))).toBe(key)
      expect(keys.get(key) ?? json).toBe(json)
      keys.set(key, json)
    }),
    { numRuns: 2_000 },
  )
})

test.each([
  [['a', 'b'], ['ab']],
  [[['a'], 'b'], [['a', 'b']]],
  [{ a: 'b' }, ['a', 'b']],
  [[1, 2], [12]],
  [{ a: { b: 1 } }, { a: {}, b: 1 }],
  [['"1"a'], ['a', 'a']],
  [[null], ['null']],
])('tells %j from %j', (one, other) => {
  expect(keyOf(one)).not.toBe(keyOf(other))
})

test('knows nothing of what is no JSON', () => {
  const round: Record<string, unknown> = {}
  round.self = round
  for (const value of [round, [1n], undefined]) expect(keyOf(value)).toBeUndefined()
})

test('lets other work go first while it reads a long text, and reads it as a short one', async () => {
  const text = 'a'.repeat(2_000_000)
  let turns = 0
  const count = (): void => {
    turns++
    counting = setImmediate(count)
  }
  let counting = setImmediate(count)
  const key = await keyOf({ text })
  clearImmediate(counting)
  expect(turns).toBeGreaterThan(10)
  expect(await keyOf({ text: 'a'.repeat(2_000_000) })).toBe(key)
  for (const other of [`${text.slice(1)}b`, `b${text.slice(1)}`])
    expect(await keyOf({ text: other })).not.toBe(key)
})
