import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { atOnce } from '../task.ts'
import { type OpenedValue, openValue, rewriteValue } from './opened-value.ts'

const secret = 'KEY-4711'
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const dataUrl = (text: string): string => `data:text/plain;base64,${base64(text)}`
const redact = (text: string): string => text.replaceAll(secret, '[X]')

function opened(value: unknown): OpenedValue | undefined {
  return atOnce(openValue(value))
}

/** As guards do it: all texts are treated, and the value is closed. */
function treated(value: unknown): unknown {
  const own = opened(value)
  if (!own) return rewriteValue(value, redact)
  return own.close(own.rest === undefined ? undefined : rewriteValue(own.rest, redact), own.texts.map(redact))
}

test('treats data URLs between other text', () => {
  const html = `<a href="${dataUrl(secret)}">${secret}</a><img src="data:image/png;base64,iVBORw0KGgo=">`
  expect(treated({ html })).toEqual({
    html: html.replaceAll(secret, '[X]').replace(base64(secret), base64('[X]')),
  })
})

test('treats a data URL that stands in a text many times, and thousands of them', () => {
  const urls = Array.from({ length: 2_000 }, (_, index) => dataUrl(`${index} ${index % 2 ? secret : 'fine'}`))
  const text = [...urls, ...urls].join(' and ')
  const left = treated([text]) as string[]
  expect(left[0]).toBe(
    [...urls, ...urls]
      .map((url) => dataUrl(redact(Buffer.from(url.slice(23), 'base64').toString())))
      .join(' and '),
  )
})

test('treats bytes in JSON in a text, also in JSON in JSON', () => {
  const resource = (text: string) => ({
    resource: { uri: 'file:///a', mimeType: 'text/csv', blob: base64(text) },
  })
  const json = JSON.stringify(resource(secret))
  expect(treated([json])).toEqual([JSON.stringify(resource('[X]'))])
  expect(treated([JSON.stringify({ json })])).toEqual([
    JSON.stringify({ json: JSON.stringify(resource('[X]')) }),
  ])
})

test('leaves no text of JSON out that a reader takes the first value of', () => {
  const json = `{"note":"${secret}","note":"fine","blob":"${base64('fine')}"}`
  expect(opened([json])?.texts).toContain(json)
  expect(treated([json])).toEqual([json.replace(secret, '[X]')])
})

test('treats the text around bytes in JSON and the bytes', () => {
  const json = (text: string): string => JSON.stringify({ note: text, blob: base64(text) })
  expect(treated([json(secret)])).toEqual([json('[X]')])
})

test('opens a few levels of data URLs, and refuses more', () => {
  const nested = (levels: number): string => {
    let text = secret
    for (let level = 0; level < levels; level++) text = dataUrl(text)
    return text
  }
  expect(opened([nested(6)])).toMatchObject({ texts: [secret], isUnreadable: false })
  expect(treated([nested(6)])).not.toEqual([nested(6)])
  expect(opened([nested(30)])?.isUnreadable).toBe(true)
  expect(JSON.stringify(treated([nested(30)]))).not.toContain(nested(20))
})

test('reads what is written into the header of a data URL', () => {
  expect(treated([`data:image/png;name=${secret};base64,iVBORw0KGgo=`])).toEqual([
    'data:image/png;base64,iVBORw0KGgo=',
  ])
  expect(treated([`data:text/plain;name=${secret};base64,${base64('fine')}`])).toEqual([
    `data:text/plain;base64,${base64('fine')}`,
  ])
})

test('leaves a text alone that only mentions a data URL', () => {
  for (const text of [
    'data:text/plain;base64,SGVsb… is a data URL',
    'Use data:text/plain;base64,A.',
    'data: none',
  ]) {
    expect(treated([text])).toEqual([text])
    expect(opened([text])?.isUnreadable ?? false).toBe(false)
  }
})

test('takes plain text beside a media type as it is', () => {
  const page = { contentType: 'text/html', data: `<p>${secret}</p>` }
  expect(treated(page)).toEqual({ contentType: 'text/html', data: '<p>[X]</p>' })
  expect(treated({ mimeType: 'text/plain', data: 'abcdefgh' })).toEqual({
    mimeType: 'text/plain',
    data: 'abcdefgh',
  })
})

test('declares no charset beside bytes that it has replaced', () => {
  const mediaType = 'text/plain; charset="utf-16le"; format=flowed'
  const data = Buffer.from(secret, 'utf16le')
  expect(treated({ type: 'file', mediaType, data: { type: 'data', data } })).toEqual({
    type: 'file',
    mediaType: 'text/plain; format=flowed',
    data: { type: 'data', data: new TextEncoder().encode('[X]') },
  })
})

describe('keeps the form of', () => {
  test.each<[string, unknown, unknown]>([
    ['bytes', new TextEncoder().encode(secret), new TextEncoder().encode('[X]')],
    ['a buffer', new TextEncoder().encode(secret).buffer, new TextEncoder().encode('[X]').buffer],
    ['a buffer in JSON', Buffer.from(secret).toJSON(), Buffer.from('[X]').toJSON()],
    ['a URL', new URL(dataUrl(secret)), new URL(dataUrl('[X]'))],
  ])('%s', (_, given, left) => {
    expect(treated({ deep: [{ at: given }] })).toEqual({ deep: [{ at: left }] })
  })
})

test('opens a value that contains itself', () => {
  const value: Record<string, unknown> = { url: dataUrl(secret) }
  value.self = value
  const own = opened(value)
  expect(own?.texts).toEqual([secret])
  expect(own?.close(own.rest, ['[X]'])).toMatchObject({ url: dataUrl('[X]') })
})

test('a value that is closed as it was opened is the same value, unless its bytes were ambiguous', () => {
  const leaf = fc.oneof(
    fc.string(),
    fc.string().map(dataUrl),
    fc.string().map((text) => `see ${dataUrl(text)}.`),
    fc.string().map((text) => ({ type: 'file-data', mediaType: 'image/png', data: base64(text) })),
    fc.uint8Array().map((data) => ({ type: 'file', mediaType: 'image/png', data: { type: 'data', data } })),
    fc.string().map((text) => JSON.stringify({ blob: base64(text) })),
  )
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small' },
      leaf,
      fc.array(tie('tree')),
      fc.dictionary(fc.string(), tie('tree')),
    ),
  }))
  fc.assert(
    fc.property(tree, (value) => {
      const own = opened(value)
      if (own) expect(own.close(own.rest, own.texts)).toBe(value)
      expect(rewriteValue(value, (text) => text)).toBe(value)
    }),
  )
})
