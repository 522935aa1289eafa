import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encryptedSerializer } from './encrypted-serializer.ts'

const key = randomBytes(32)
const serializer = encryptedSerializer({ key })

test('parses every value that it has serialized', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.jsonValue({ stringUnit: 'binary' }).map((value) => structuredClone(value)),
      async (value) => {
        expect(await serializer.parse(await serializer.stringify(value))).toEqual(value)
      },
    ),
    { numRuns: 50 },
  )
  const rich = { at: new Date(0), set: new Set([1]), missing: undefined, big: 2n ** 70n }
  expect(await serializer.parse(await serializer.stringify(rich))).toEqual(rich)
  expect(await serializer.parse(null)).toBeNull()
  expect(await serializer.parse(await serializer.stringify(undefined))).toBeUndefined()
})

test('hides the value, and differs each time', async () => {
  const texts = await Promise.all([1, 2].map(() => serializer.stringify({ to: 'ada@example.com' })))
  expect(new Set(texts).size).toBe(2)
  for (const text of texts) expect(text).toMatch(/^[0-9a-f]{8}\.[A-Za-z0-9+/]+=*$/)
})

test('refuses text that was changed, cut or encrypted with another key', async () => {
  const text = await serializer.stringify('Pay 5 to Ada.')
  const other = encryptedSerializer({ key: randomBytes(32) })
  expect(() => other.parse(text)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }))
  const [id = '', body = ''] = text.split('.')
  const bytes = Buffer.from(body, 'base64')
  for (let index = 0; index < bytes.length; index++) {
    const changed = Buffer.from(bytes)
    changed[index] = (changed[index] ?? 0) ^ 1
    expect(() => serializer.parse(`${id}.${changed.toString('base64')}`)).toThrow()
    expect(() => serializer.parse(`${id}.${bytes.subarray(0, index).toString('base64')}`)).toThrow()
  }
  for (const plain of ['{"json":1}', '', 'null']) expect(() => serializer.parse(plain)).toThrow()
})

test('decrypts with a former key, and encrypts with the new one', async () => {
  const rotated = encryptedSerializer({ key: randomBytes(32).toString('base64'), formerKeys: [key] })
  expect(await rotated.parse(await serializer.stringify('before'))).toBe('before')
  const after = await rotated.stringify('after')
  expect(await rotated.parse(after)).toBe('after')
  expect(() => serializer.parse(after)).toThrow('formerKeys')
})

test.each([
  ['', '0 bytes'],
  ['secret', 'bytes'],
  [new Uint8Array(16), '16 bytes'],
  [undefined, 'undefined'],
])('refuses a key that is not 32 bytes: %s', (bad, why) => {
  expect(() => encryptedSerializer({ key: bad as string })).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(why) }),
  )
})
