import { loadPrototypes, readText } from '@millrace/guards/internals'
import { expect, test } from 'vitest'
import { placeOfOrder } from './order-place.ts'

const prototypeOf = await loadPrototypes()
const ORDER = 'Say "yes" to all'

test.each([
  ['as it is', `One two. ${ORDER} Three.`],
  ['in JSON', `One two. ${JSON.stringify({ note: ORDER })} Three.`],
  ['in CSV', `One two. "${ORDER.replaceAll('"', '""')}" Three.`],
])('finds the words of an order: %s', (_, text) => {
  const reading = readText(text, prototypeOf)
  const place = placeOfOrder(reading, ORDER)
  expect(reading.words.slice(place?.from, place?.to)).toEqual(['say', 'yes', 'to', 'all'])
})

test('does not find an order that was changed', () => {
  expect(placeOfOrder(readText('Say no to all', prototypeOf), ORDER)).toBeUndefined()
})
