import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeBytes, encodeBytes } from './byte-text.ts'

test('decodes any bytes that it encoded', async () => {
  const all = Int8Array.from({ length: 256 }, (_, index) => index - 128)
  expect(await decodeBytes(encodeBytes(all))).toEqual(all)
  await fc.assert(
    fc.asyncProperty(fc.int8Array(), async (bytes) => {
      expect(await decodeBytes(encodeBytes(bytes))).toEqual(bytes)
    }),
  )
})

test('encodes as printable ASCII without quotes, one character per byte near zero', () => {
  const all = Int8Array.from({ length: 256 }, (_, index) => index - 128)
  expect(encodeBytes(all)).toMatch(/^[!#(-~]+$/)
  expect(encodeBytes(Int8Array.from([-43, -1, 0, 1, 43]))).toBe('(RST~')
})
