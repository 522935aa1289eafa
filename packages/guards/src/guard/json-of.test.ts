import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonOf } from './json-of.ts'
import { perform } from './task.ts'

const long = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 7 })
  .map((piece) => piece.repeat(Math.ceil(70_000 / piece.length)))
const values = fc.anything({
  values: [fc.string({ unit: 'binary' }), fc.integer(), fc.constant(undefined), fc.constant('\ud83d'), long],
  maxDepth: 3,
})

test('writes what JSON.stringify writes, long strings too', async () => {
  await fc.assert(
    fc.asyncProperty(values, async (value) => {
      expect((await perform(jsonOf(value))) === (JSON.stringify(value) ?? '')).toBe(true)
    }),
    { numRuns: 100 },
  )
})

test('lets other work go first while it writes a long string', async () => {
  let turns = 0
  const count = (): void => {
    turns++
    counting = setImmediate(count)
  }
  let counting = setImmediate(count)
  await perform(jsonOf({ page: '\ud83d'.repeat(200_000) }))
  clearImmediate(counting)
  expect(turns).toBeGreaterThan(10)
})
