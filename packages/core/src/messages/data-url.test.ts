import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fromDataUrl, toDataUrl } from './data-url.ts'

const text = (url: string): string | undefined => {
  const content = fromDataUrl(url)
  return content && Buffer.from(content.base64, 'base64').toString()
}

test.each([
  'data:text/plain;base64,R3LDvMOfZQ==',
  'DATA:Text/Plain;BASE64,R3LDvMOfZQ==',
  ' da\nta:text/plain; base64 ,R3LDvMOfZQ==',
  'data:text/plain;base64,R3LDvMOfZQ%3D%3D',
  'data:text/plain,Gr%C3%BC%C3%9Fe',
  'data:,Gr%c3%bc%C3%9Fe',
  'data:text/plain,Grüße',
])('reads %j as fetch reads it', async (url) => {
  expect(text(url)).toBe('Grüße')
  expect(await (await fetch(url)).text()).toBe('Grüße')
})

test('keeps bytes that are no UTF-8, and the declared charset', () => {
  expect(fromDataUrl('data:text/plain;charset="ISO-8859-1",Z%FCrich')).toEqual({
    mediaType: 'text/plain',
    charset: 'iso-8859-1',
    base64: Buffer.from('Zürich', 'latin1').toString('base64'),
  })
})

test.each(['https://example.com/a,b', 'data:text/plain', 'database:a,b', ''])(
  'reads no data in %j',
  (url) => {
    expect(fromDataUrl(url)).toBeUndefined()
  },
)

test('refuses malformed percent-encoding', () => {
  for (const url of ['data:text/plain,100%', 'data:text/plain,%zz', 'data:text/plain;base64,AAA%']) {
    expect(() => fromDataUrl(url)).toThrow(URIError)
  }
})

test('reads what it has written', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const base64 = Buffer.from(bytes).toString('base64')
      expect(fromDataUrl(toDataUrl('image/png', bytes))).toEqual({ mediaType: 'image/png', base64 })
    }),
  )
})
