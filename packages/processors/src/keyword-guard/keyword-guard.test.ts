import { Agent } from '@millrace/core'
import { ScriptedModel, text } from '@millrace/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
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
        const scan = scanner.open({
          text: (piece) => {
            out += piece
          },
          match: () => {
            out += '#'
          },
          covered: () => {},
        })
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
  expect(() => new KeywordGuard({ keywords: ['ok', ' \u200b'] })).toThrow('Keyword 1 is empty')
})
