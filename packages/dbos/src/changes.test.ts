import fc from 'fast-check'
import { expect, test } from 'vitest'
import { applyChange, changeBetween, type Json } from './changes.ts'

const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>

/** Pairs of values that share most of their content, like the states of a run. */
const pair = fc.letrec<{ pair: [Json, Json] }>((tie) => ({
  pair: fc.oneof(
    { depthSize: 'small' },
    json.map((value): [Json, Json] => [value, value]),
    fc.tuple(json, json),
    fc.tuple(fc.string(), fc.string()).map(([text, more]): [Json, Json] => [text, text + more]),
    fc
      .array(fc.tuple(tie('pair'), fc.constantFrom('both', 'before', 'after')), { maxLength: 6 })
      .map((items): [Json, Json] => [
        items.flatMap(([[before], where]) => (where === 'after' ? [] : [before])),
        items.flatMap(([[, after], where]) => (where === 'before' ? [] : [after])),
      ]),
    fc
      .dictionary(
        fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'toString')),
        fc.tuple(tie('pair'), fc.constantFrom('both', 'before', 'after')),
        { maxKeys: 6 },
      )
      .map((entries): [Json, Json] => [
        Object.fromEntries(
          Object.entries(entries).flatMap(([key, [[before], where]]) =>
            where === 'after' ? [] : [[key, before]],
          ),
        ),
        Object.fromEntries(
          Object.entries(entries).flatMap(([key, [[, after], where]]) =>
            where === 'before' ? [] : [[key, after]],
          ),
        ),
      ]),
  ),
})).pair

const copy = (value: Json): Json => JSON.parse(JSON.stringify(value))

test('a change turns the first value into the second, also after it was stored as JSON', () => {
  fc.assert(
    fc.property(pair, ([from, to]) => {
      const [before, after] = [copy(from), copy(to)]
      const change = changeBetween(before, after)
      const stored = change && JSON.parse(JSON.stringify(change))
      expect(JSON.stringify(sorted(applyChange(before, stored)))).toBe(JSON.stringify(sorted(after)))
      expect(change === undefined).toBe(JSON.stringify(sorted(before)) === JSON.stringify(sorted(after)))
      expect(before).toEqual(copy(from))
    }),
  )
})

test('the size of a change is that of the added items or text, at any position', () => {
  const message = (index: number): Json => ({ id: `m${index}`, text: 'x'.repeat(1_000) })
  const before = {
    messages: Array.from({ length: 50 }, (_, index) => message(index)),
    text: 'y'.repeat(5_000),
  }
  for (const at of [0, 25, 50]) {
    const messages = before.messages.toSpliced(at, 0, message(100))
    const change = changeBetween(before as Json, { messages, text: `${before.text}more` } as Json)
    expect(JSON.stringify(change).length).toBeLessThan(1_200)
  }
})

/** Sorts keys, whose order is not significant. */
function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, one]) => [key, sorted(one)])
}
