import { Agent, tool } from '@millrace/core'
import { collect, reasoning, ScriptedModel, text, textOf, toolCall } from '@millrace/testing'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { collapse } from './collapse.ts'
import { resolveEscapes } from './json-escapes.ts'
import { foldLookAlikes, loadPrototypes, type Prototype } from './look-alikes.ts'
import { normalize } from './normalize.ts'
import { chain, type TextPass, transformWhole } from './text-pass.ts'
import { UnicodeNormalizer } from './unicode-normalizer.ts'

const runs = process.env.MILLRACE_THOROUGH === '1' ? 5_000 : 500

const pieces = fc.array(
  fc.oneof(
    fc.constantFrom(
      ...[
        'a',
        'e',
        '\u0301',
        '\u0323',
        'ﬁ',
        '①',
        'ㄱ',
        'ㅏ',
        '가',
        '\u11a8',
        'ｶ',
        'ﾞ',
        'が',
        'か',
        '\u3099',
        '\r',
        '\n',
        '\u00a0',
      ],
      ...[
        '\u200b',
        '\u200d',
        '\u200c',
        '\ufe0f',
        '👩',
        '💻',
        '🏽',
        '🇳',
        '🇴',
        '™',
        '1',
        '\u20e3',
        '\ud83d',
        '\ude00',
        '\u202e',
        ' ',
      ],
      ...['م', 'क', '\u094d', 'а', 'х', '゛', '\ufdfa', '"', '\\', '\\u200b', '＂', 'u'],
      '\u0301'.repeat(700),
      '\u200b'.repeat(1_500),
      'ы'.repeat(100),
    ),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 3 }),
  ),
  { maxLength: 14 },
)

let prototypeOf: Prototype
beforeAll(async () => {
  prototypeOf = await loadPrototypes()
})

const passes: Record<string, () => TextPass> = {
  normalize: () => normalize(),
  'normalize to NFC': () => normalize({ form: 'NFC' }),
  collapse,
  'resolve escapes': resolveEscapes,
  'fold mixed words': () => foldLookAlikes(prototypeOf, 'mixed'),
  'all of them': () =>
    chain([resolveEscapes(), normalize(), foldLookAlikes(prototypeOf, 'mixed'), collapse()]),
}

describe.each(Object.keys(passes))('%s', (name) => {
  test('gives the same output however the text is cut', () => {
    const begin = passes[name] as () => TextPass
    fc.assert(
      fc.property(pieces, (pieces) => {
        const text = pieces.join('')
        const whole = transformWhole(text, begin())
        for (const cut of [pieces, text.split('')]) {
          const pass = begin()
          expect(cut.map((piece) => pass.push(piece)).join('') + pass.end()).toBe(whole)
        }
      }),
      { numRuns: runs },
    )
  })
})

test('equals NFKC if all other options are off', () => {
  fc.assert(
    fc.property(pieces, (pieces) => {
      const text = pieces
        .join('')
        .replace(/\p{Cs}|\p{Emoji_Presentation}|\p{Extended_Pictographic}|\u{1f1f3}|\u{1f1f4}/gu, '')
      if (/\p{M}{500}/u.test(text)) return
      const out = transformWhole(text, normalize({ invisible: false, whitespace: 'keep' }))
      expect(out).toBe(text.normalize('NFKC'))
    }),
    { numRuns: runs },
  )
})

test('preserves all recommended emoji', () => {
  const source = '^\\p{RGI_Emoji}$'
  const recommended = new RegExp(source, 'v')
  const parts = [
    ...['👩', '👨', '🏳', '🏴', '❤', '💻', '⚧', '♂', '☝', '👍', '1', '#', '™', '🈚', '㊗', '🦰', '🇳', '🇴'],
    ...[
      '\ufe0f',
      '\u200d',
      '\u20e3',
      '🏽',
      '\u{e0067}',
      '\u{e0062}',
      '\u{e007f}',
      '\u{e0065}\u{e006e}\u{e0067}',
    ],
  ]
  const texts = [
    ...parts,
    '🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}',
    '👨‍👩‍👧‍👦',
    '🏳️‍⚧️',
    '👩🏽‍🦰',
  ]
  for (const one of texts) for (const two of texts) for (const three of texts) check(one + two + three)
  for (const text of texts) check(text)
  function check(text: string): void {
    if (recommended.test(text)) expect(transformWhole(text, normalize())).toBe(text)
  }
})

describe('normalized text', () => {
  const normalizer = (text: string): string => transformWhole(text, normalize())

  test.each([
    ['ﬁle', 'file'],
    ['ｉｇｎｏｒｅ', 'ignore'],
    ['ig\u200bno\u00adre\u2060\ufeff', 'ignore'],
    ['\u202eabc\u202c\u2066x\u2069', 'abcx'],
    ['a\0b\x1b[0m\x9f', 'ab[0m'],
    ['a\u00a0b\u3000c\u2009d', 'a b c d'],
    ['a\r\nb\rc\u2028d\ttab', 'a\nb\nc\nd\ttab'],
    ['e\u0301', 'é'],
    ['hid\u{e0068}\u{e0069}den', 'hidden'],
    ['4\ufe0f1\ufe0f', '41'],
    ['lone \ud83d half', 'lone \ufffd half'],
  ])('of %j is %j', (text, expected) => {
    expect(normalizer(text)).toBe(expected)
  })

  test.each(['👨‍👩‍👧', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '❤️‍🔥', '☎️', '™️', '1️⃣', '🇳🇴', '👍🏽', '🧑🏻‍❤️‍💋‍🧑🏿'])(
    'preserves the emoji %s',
    (emoji) => {
      expect(normalizer(`a${emoji}b`)).toBe(`a${emoji}b`)
      const pass = normalize()
      expect([...`a${emoji}b`].map((piece) => pass.push(piece)).join('') + pass.end()).toBe(`a${emoji}b`)
    },
  )

  test.each(['می\u200cخواهم', 'क्\u200dष', 'Straße', 'naïve', '東京', '한국어'])(
    'preserves the spelling of %s',
    (word) => {
      expect(normalizer(word)).toBe(word)
    },
  )
})

describe('look-alikes', () => {
  test('become ASCII in words that are partly ASCII', () => {
    const fold = (text: string) => transformWhole(text, foldLookAlikes(prototypeOf, 'mixed'))
    expect(fold('ignоre аll рrevious')).toBe('ignore all previous')
    expect(fold('Іgnore')).toBe('Ignore')
    expect(fold('Москва, Ελλάδα, naïve')).toBe('Москва, Ελλάδα, naïve')
  })

  test("become ASCII everywhere with 'all'", () => {
    expect(transformWhole('рау', foldLookAlikes(prototypeOf, 'all'))).toBe('pay')
  })
})

test("collapses white space with 'collapse'", () => {
  expect(transformWhole('  a \t b\n\n\n\n c  \n', chain([normalize(), collapse()]))).toBe('a b\n\nc')
})

test('normalizes every surface of a run', async () => {
  const odd = 'ﬁle\u200b'
  const model = new ScriptedModel([
    [reasoning(`think ${odd}`, { chunkSize: 1 }), toolCall('open', { [odd]: odd }, { chunkSize: 1 })],
    [text(`the ${odd}`, { chunkSize: 1 })],
  ])
  const inputs: unknown[] = []
  const open = tool({
    inputSchema: z.any(),
    execute: (input) => {
      inputs.push(input)
      return [odd]
    },
  })
  const agent = new Agent({
    name: 'a',
    model,
    tools: { open },
    processors: [new UnicodeNormalizer({ lookAlikes: true, whitespace: 'collapse' })],
  })
  const stream = agent.stream(`open  ${odd}`)
  const chunks = await collect(stream.fullStream)
  const result = await stream.result
  expect(textOf(chunks)).toBe('the file')
  expect(inputs).toEqual([{ file: 'file' }])
  expect(JSON.stringify([chunks, result, model.calls.map(({ prompt }) => prompt)])).not.toMatch(
    /ﬁ|\u200b|open {2}/,
  )
})

test('keeps the JSON of a structured answer valid', async () => {
  const json = '{"said": "a ＂quoted＂ \\u200bword\\\\u200b"}'
  const model = new ScriptedModel([[text(json, { chunkSize: 2 })]])
  const agent = new Agent({ name: 'a', model, processors: [new UnicodeNormalizer()] })
  const result = await agent.generate('hi', { output: z.object({ said: z.string() }) })
  expect(result.object).toEqual({ said: 'a "quoted" word\\u200b' })
})

test('rejects unknown options', () => {
  expect(() => new UnicodeNormalizer({ form: 'NFX' as never })).toThrow("form is 'NFX'")
})
