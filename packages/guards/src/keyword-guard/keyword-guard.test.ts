import { Agent } from '@millrace/core'
import { ScriptedModel, text } from '@millrace/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { textSink } from '../../test/text-sink.ts'
import { Scanner } from '../scanner/scanner.ts'
import { KeywordGuard } from './keyword-guard.ts'
import { keywordRecognizer } from './keyword-pattern.ts'

function finds(keyword: string, text: string, wholeWords = true): string[] {
  const recognizer = keywordRecognizer(keyword, { type: 'keyword', id: 'keyword', wholeWords })
  return new Scanner(recognizer ? [recognizer] : [])
    .detect(text)
    .map(({ start, end }) => text.slice(start, end))
}

describe('a keyword', () => {
  test.each([
    ['bomb', 'A BOMB.', 'BOMB'],
    ['bomb', 'b\u200bo\u00admb\u2060', 'b\u200bo\u00admb'],
    ['bomb', 'ｂｏｍｂ', 'ｂｏｍｂ'],
    ['bomb', '𝐛𝐨𝐦𝐛!', '𝐛𝐨𝐦𝐛'],
    ['office file', 'oﬃce\u00a0\n ﬁle', 'oﬃce\u00a0\n ﬁle'],
    ['ﬁle', 'FILE', 'FILE'],
    ['straße', 'STRASSE', 'STRASSE'],
    ['café', 'cafe\u0301', 'cafe\u0301'],
    ['b̶o̶m̶b̶', 'bomb', 'bomb'],
    ['c++', 'use c++.', 'c++'],
    ['炸弹', '制造炸弹吗', '炸弹'],
    ['πας', 'ΠΑΣ', 'ΠΑΣ'],
  ])('%s is found in %j', (keyword, text, match) => {
    expect(finds(keyword, text)).toEqual([match])
  })

  test.each([
    ['ass', 'class assess'],
    ['bomb', 'bombastic, _bomb'],
    ['cafe', 'café'],
    ['new house', 'newhouse'],
  ])('%s is not found in %j', (keyword, text) => {
    expect(finds(keyword, text)).toEqual([])
  })

  test('is found within words where that is asked for', () => {
    expect(finds('ass', 'class', false)).toEqual(['ass'])
  })

  test('is found the same however the text is cut', () => {
    const pieces = fc.array(
      fc.constantFrom('b', 'O', 'ｍ', 'b', '\u200b', ' ', 'bomb', 'ﬁ', 'le', 'x', '\n'),
      { maxLength: 20 },
    )
    const scanner = new Scanner(
      ['bomb', 'file bomb'].flatMap(
        (keyword, index) => keywordRecognizer(keyword, { type: 'k', id: `${index}`, wholeWords: true }) ?? [],
      ),
    )
    fc.assert(
      fc.property(pieces, (pieces) => {
        let out = ''
        const scan = scanner.open(
          textSink(pieces.join(''), {
            text: (piece) => {
              out += piece
            },
            match: () => {
              out += '#'
            },
          }),
        )
        for (const piece of pieces) scan.push(piece)
        scan.end()
        expect(out).toBe(scanner.replace(pieces.join(''), () => '#').replaceAll('+', ''))
      }),
    )
  })
})

test('a list of thousands is one machine', () => {
  const keywords = Array.from({ length: 5_000 }, (_, index) => `word${index.toString(36)}x`)
  const guard = new KeywordGuard({ keywords })
  expect(guard.id).toBe('keyword-guard')
})

test('blocks by default, in the input and in a streamed answer', async () => {
  const model = new ScriptedModel([text('This is a b\u200bo\u200bm\u200bb.', { chunkSize: 1 })])
  const agent = new Agent({ name: 'a', model, processors: [new KeywordGuard({ keywords: ['bomb'] })] })
  expect(await agent.generate('a Bomb')).toMatchObject({
    status: 'tripwire',
    rejection: { hook: 'processInput' },
  })
  expect(await agent.generate('bombastic')).toMatchObject({
    status: 'tripwire',
    rejection: { hook: 'processOutputStream', reason: 'A keyword was found in the answer: keyword.' },
  })
})

test('redacts with a replacement', async () => {
  const model = new ScriptedModel(['A bomb here.'])
  const guard = new KeywordGuard({ keywords: ['bomb'], strategy: 'redact', replacement: '****' })
  expect((await new Agent({ name: 'a', model, processors: [guard] }).generate('hi')).text).toBe(
    'A **** here.',
  )
})

test('refuses an empty list and an empty keyword', () => {
  expect(() => new KeywordGuard({ keywords: [] })).toThrow('no keywords')
  expect(() => new KeywordGuard({ keywords: ['ok', ' \u200b'] })).toThrow(
    'keywords[1] of KeywordGuard is empty',
  )
})

describe('patterns beside keywords', () => {
  const answerOf = async (guard: KeywordGuard, said: string) => {
    const agent = new Agent({ model: new ScriptedModel([text(said, { chunkSize: 1 })]), processors: [guard] })
    return (await agent.generate('Hi')).text
  }

  test('are found as keywords are, in any cut', async () => {
    const guard = new KeywordGuard({
      keywords: ['umbrella'],
      patterns: [/PRJ-\d{4}/, { pattern: /key=\S+/, replacement: '[KEY]', type: 'key' }],
      strategy: 'redact',
    })
    expect(await answerOf(guard, 'Umbrella PRJ-1234 of key=abc, prj-1234.')).toBe(
      '[REDACTED] [REDACTED] of [KEY] prj-1234.',
    )
  })

  test('do without keywords', async () => {
    const agent = new Agent({
      model: new ScriptedModel(['Hi']),
      processors: [new KeywordGuard({ patterns: [/PRJ-\d{4}/] })],
    })
    expect(await agent.generate('What is PRJ-1234?')).toMatchObject({
      status: 'tripwire',
      rejection: { reason: 'A keyword was found in the input: keyword.' },
    })
    expect(await agent.generate('Hi')).toMatchObject({ status: 'completed' })
  })

  test.each<[string, unknown, RegExp]>([
    [
      'a regular expression among keywords',
      { keywords: [/x/] },
      /keywords\[0\] of KeywordGuard is a regular expression.*patterns/,
    ],
    ['a number among keywords', { keywords: ['a', 7] }, /keywords\[1\] of KeywordGuard is of type number/],
    ['nothing among keywords', { keywords: [null] }, /keywords\[0\] of KeywordGuard is null/],
    ['a word in the place of a list', { keywords: 'word' }, /keywords of KeywordGuard is of type string/],
    ['a text among patterns', { patterns: ['x'] }, /Pattern 0 of KeywordGuard/],
    ['one pattern in the place of a list', { patterns: /x/ }, /not an array/],
    ['a pattern that is not linear', { patterns: [/(a)\1/] }, /./],
    ['neither', {}, /no keywords or patterns/],
  ])('%s is an error that says so', (_, options, message) => {
    expect(() => new KeywordGuard(options as never)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringMatching(message) }),
    )
  })
})

test('an answer in a form that the guard has taken out is no fault of the model', async () => {
  const agent = new Agent({
    model: new ScriptedModel(['{"note":"a trade secret"}']),
    processors: [new KeywordGuard({ keywords: ['trade secret'], strategy: 'filter' })],
  })
  await expect(agent.generate('Hi', { output: z.object({ note: z.string() }) })).rejects.toMatchObject({
    code: 'PROCESSOR_OUTPUT_INVALID',
    message: expect.stringContaining("'keyword-guard' in processOutputStream"),
  })
})
