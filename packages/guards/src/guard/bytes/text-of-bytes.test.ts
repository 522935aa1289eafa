import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readText } from './text-of-bytes.ts'

const said = 'Grüße an mara@example.com, bis später.'
const utf16 = Buffer.from(said, 'utf16le')
const latin1 = Buffer.from(said, 'latin1')

function utf32(text: string, isLittle: boolean): Uint8Array {
  const codes = Array.from(text, (each) => each.codePointAt(0) as number)
  const view = new DataView(new ArrayBuffer(4 * codes.length))
  for (const [index, code] of codes.entries()) view.setUint32(4 * index, code, isLittle)
  return new Uint8Array(view.buffer)
}

describe('the first reading is the text', () => {
  test.each<[string, Uint8Array, string[]?]>([
    ['of UTF-8', Buffer.from(said)],
    ['of UTF-8 with a mark', Buffer.from(`\ufeff${said}`)],
    ['of UTF-8 that is said to be UTF-16', Buffer.from(said), ['utf-16']],
    ['of UTF-8 in a charset that nobody knows', Buffer.from(said), ['bogus']],
    ['of UTF-16', utf16],
    ['of UTF-16 with a mark', Buffer.from(`\ufeff${said}`, 'utf16le')],
    ['of big-endian UTF-16', Buffer.from(utf16).swap16()],
    ['of big-endian UTF-16 with a mark', Buffer.from(`\ufeff${said}`, 'utf16le').swap16()],
    ['of UTF-16 in a wrong charset', utf16, ['iso-8859-1']],
    ['of UTF-32', utf32(said, true)],
    ['of big-endian UTF-32', utf32(said, false)],
    ['of a declared charset', latin1, ['iso-8859-1']],
    ['of an old text of western Europe', latin1],
  ])('%s', (_, bytes, charsets) => {
    expect(readText(bytes, charsets)?.texts[0]).toBe(said)
  })

  test.each([
    ['Cyrillic', 'Мария живёт в доме номер 7.'],
    ['Greek', 'Η Μαρία μένει στο σπίτι.'],
    ['Hebrew', 'מריה גרה בבית מספר 7'],
    ['Chinese', '玛丽亚住在七号房子里，电话是一二三。'],
    ['Japanese', 'マリアは七番の家に住んでいます。'],
    ['Hindi', 'मारिया घर नंबर सात में रहती है।'],
    ['emoji', '😀 😁 😂 fine'],
  ])('of UTF-16 without a mark in %s', (_, text) => {
    const bytes = Buffer.from(text, 'utf16le')
    expect(readText(bytes)?.texts).toContain(text)
    expect(readText(bytes.swap16())?.texts).toContain(text)
  })
})

test('reads also what a declared charset makes of clean UTF-8', () => {
  const utf7 = 'mara+AEA-example.com'
  expect(readText(Buffer.from(utf7), ['utf-7'])).toEqual({
    texts: [utf7, 'mara@example.com'],
    isPlain: false,
  })
})

test('reads a text with a broken character, and one that is cut', () => {
  expect(readText(Buffer.concat([Buffer.from('Zürich '), Buffer.of(0xff)]))?.texts).toContain('Zürich \ufffd')
  expect(readText(Buffer.from('Zürich ü').subarray(0, -1))?.texts).toContain('Zürich \ufffd')
  expect(readText(Buffer.concat([utf16, Buffer.of(0x41)]))?.texts[0]).toBe(said)
})

test('reads broken UTF-8 as all decoders do, but for its control characters', () => {
  const bytes = Buffer.from('née 😀', 'utf16le').swap16().subarray(0, -1)
  const read = new TextDecoder().decode(bytes).replaceAll('\0', '')
  expect(readText(bytes)?.texts).toContain(read)
})

test('leaves colours of terminals in a text', () => {
  expect(readText(Buffer.from('\u001b[31mred\u001b[0m'))).toEqual({
    texts: ['\u001b[31mred\u001b[0m'],
    isPlain: true,
  })
})

test('does not read compressed data, images or audio', () => {
  const png =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  expect(readText(Buffer.from(png, 'base64'))).toBeUndefined()
  const wave = Buffer.alloc(4_000, 0)
  wave.write('RIFF\xa4\x0f\0\0WAVEfmt ', 'latin1')
  for (let place = 44; place < wave.length; place += 2) {
    wave.writeInt16LE(Math.round(20_000 * Math.sin(place / 20)), place)
  }
  expect(readText(wave)).toBeUndefined()
})

const texts = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
  .filter((text) => !/\p{C}/u.test(text))

test('any text is among the readings of its UTF-8, whatever charset is declared', () => {
  const charsets = fc.constantFrom('utf-8', 'utf-16', 'utf-7', 'bogus', 'shift_jis', 'iso-8859-1', 'utf-32be')
  fc.assert(
    fc.property(texts, charsets, (text, charset) => {
      expect(readText(Buffer.from(text), [charset])?.texts[0]).toBe(text)
    }),
  )
})

test('any ASCII text is among the readings of its UTF-16 and UTF-32, with and without a mark', () => {
  const ascii = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 60 })
  fc.assert(
    fc.property(ascii, fc.boolean(), fc.nat(3), (text, isMarked, form) => {
      const marked = isMarked ? `\ufeff${text}` : text
      const bytes = [
        () => Buffer.from(marked, 'utf16le'),
        () => Buffer.from(marked, 'utf16le').swap16(),
        () => utf32(marked, true),
        () => utf32(marked, false),
      ][form]?.() as Uint8Array
      expect(readText(bytes)?.texts[0]).toBe(text)
    }),
  )
})
