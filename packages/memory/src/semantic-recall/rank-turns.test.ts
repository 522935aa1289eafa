import { userMessage } from '@millrace/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readQuestion } from './question.ts'
import { rankTurns } from './rank-turns.ts'
import type { Candidate } from './read-turns.ts'

const HOUR = 3_600_000

describe('a turn ranks higher', () => {
  test('if its neighbors match', () => {
    const turns = [
      turn(1, 'The bees are loud.'),
      turn(2, 'We like them.'),
      turn(3, 'The bees need sugar.'),
      turn(20, 'Nothing new.'),
    ]
    expect(ranking('bees', turns).indexOf(2)).toBeLessThan(ranking('bees', turns).indexOf(20))
  })

  test('if it follows a matching question', () => {
    const turns = [
      turn(1, 'The hives are far.'),
      turn(2, 'How many hives?'),
      turn(3, 'Seven.'),
      turn(9, 'Nice.'),
    ]
    expect(ranking('How many hives are there?', turns).slice(0, 3)).toContain(3)
    expect(ranking('How many hives are there?', turns)[3]).toBe(9)
  })

  test('if it is a statement, not a question', () => {
    expect(ranking('umbrella', [turn(1, 'The red umbrella?'), turn(9, 'The red umbrella.')])[0]).toBe(9)
  })

  test('if its session contains the other terms of the question', () => {
    const turns = [
      turn(1, 'The ferry was late.'),
      turn(5, 'We saw Lisbon.', { at: 100 }),
      turn(6, 'So warm.', { at: 100 }),
      turn(9, 'The ferry was late.', { at: 100 }),
    ]
    expect(ranking('The ferry in Lisbon', turns).indexOf(9)).toBeLessThan(
      ranking('The ferry in Lisbon', turns).indexOf(1),
    )
  })

  test.each([
    ['What does Ben collect?', 9],
    ['What does Ada collect?', 1],
  ])('if the question names its speaker: %s', (question, first) => {
    const turns = [
      turn(1, 'I collect stamps.', { speaker: 'Ada Byron' }),
      turn(9, 'I collect stamps.', { speaker: 'Ben' }),
    ]
    expect(ranking(question, turns)[0]).toBe(first)
    const labelled = turns.map((candidate, index) =>
      turn(candidate.sequence, `${['Ada', 'Ben'][index]}: I collect stamps.`),
    )
    expect(ranking(question, labelled)[0]).toBe(first)
  })

  test.each([
    ['Where did we eat on 8 May 2026?', 2],
    ['Wo waren wir im Juni essen? Where did we eat?', 3],
    ['2026年5月8日 eat', 2],
  ])('if its date is the date in the question: %s', (question, first) => {
    const day = (month: number, date: number) => Date.UTC(2026, month - 1, date, 12) / HOUR
    const turns = [
      turn(1, 'We eat out.', { at: day(2, 1) }),
      turn(2, 'We eat out.', { at: day(5, 8) }),
      turn(3, 'We eat out.', { at: day(6, 20) }),
    ]
    expect(ranking(question, turns)[0]).toBe(first)
  })

  test.each([
    ['¿Qué libro estoy leyendo?', 'Ayer leyeron el libro azul.', 'Me gusta el pan.'],
    ['Welche Wohnungen?', 'Die Wohnung ist groß.', 'Das Brot ist alt.'],
    ['Какую книгу читаю?', 'Новая книга о море.', 'Хлеб очень старый.'],
    ['Hangi kitaplarım var?', 'Kitaplar masada.', 'Ekmek çok eski.'],
    ['東京タワー', '東京タワーに行きました。', 'パンが好きです。'],
  ])('if its words differ only in their endings: %s', (question, wanted, other) => {
    expect(ranking(question, [turn(1, other), turn(9, wanted)])[0]).toBe(9)
  })

  test('if its embedding is similar, and similarity agrees with the words', () => {
    const turns = Array.from({ length: 30 }, (_, index) =>
      turn(index * 5, index < 10 ? `The harbour ${'and so '.repeat(index)}` : 'Other things.', {
        similarity: index < 10 ? 0.9 - index / 100 : index === 20 ? 0.95 : 0.1,
      }),
    )
    expect(ranking('harbour', turns).indexOf(100)).toBe(10)
  })
})

test('similarity that disagrees with the words only adds hits after those by words', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0, max: 0.5, noNaN: true }), { minLength: 40, maxLength: 40 }),
      (noise) => {
        const turns = noise.map((similarity, index) =>
          turn(
            index * 5,
            index < 20 ? `The harbour ${index < 10 ? 'gate' : 'and so on and on'}` : 'Other things.',
            {
              similarity: index < 10 ? 0 : 0.5 + similarity,
              isByWords: index < 20,
            },
          ),
        )
        const byWords = turns.slice(0, 20)
        expect(ranking('harbour gate', turns).slice(0, 20)).toEqual(ranking('harbour gate', byWords))
      },
    ),
    { numRuns: 30 },
  )
})

test('ranks every candidate once, in any order of candidates', () => {
  const word = fc.constantFrom('bees', 'hives', 'ferry', 'Lisbon', 'the', 'of', '?', 'wood', 'seven')
  const sentence = fc.array(word, { maxLength: 8 }).map((words) => words.join(' '))
  fc.assert(
    fc.property(
      fc.uniqueArray(
        fc.record({
          sequence: fc.nat(40),
          text: sentence,
          at: fc.nat(20),
          threadId: fc.constantFrom('a', 'b'),
        }),
        { selector: ({ sequence, threadId }) => `${sequence} ${threadId}`, maxLength: 30 },
      ),
      fc.integer(),
      sentence,
      (rows, seed, question) => {
        const turns = rows.map(({ sequence, text, at, threadId }) => turn(sequence, text, { at, threadId }))
        const shuffled = turns.toSorted(
          (left, right) => ((left.sequence * 7 + seed) % 13) - ((right.sequence * 7 + seed) % 13),
        )
        const ranked = rankTurns(readQuestion(question), turns)
        expect(new Set(ranked.map(({ candidate }) => candidate))).toEqual(new Set(turns))
        for (const [index, { score, coverage }] of ranked.entries()) {
          expect(score).toBeLessThanOrEqual(ranked[index - 1]?.score ?? Number.POSITIVE_INFINITY)
          expect(coverage).toBeGreaterThanOrEqual(0)
          expect(coverage).toBeLessThanOrEqual(1 + 1e-9)
        }
        const again = rankTurns(readQuestion(question), shuffled)
        const scores = (list: typeof ranked) => list.map(({ score }) => score.toFixed(6))
        expect(scores(again)).toEqual(scores(ranked))
      },
    ),
    { numRuns: 100 },
  )
})

test("reads long messages up to a limit, and uses the store's score for the rest", () => {
  const long = turn(5, `${'stone '.repeat(50_000)} umbrella`, { words: 9 })
  const turns = [
    turn(1, 'The umbrella and more of it.', { words: 3 }),
    long,
    turn(9, 'Nothing.', { words: 0 }),
  ]
  expect(ranking('umbrella', turns)[0]).toBe(5)
})

function ranking(question: string, turns: readonly Candidate[]): number[] {
  return rankTurns(readQuestion(question), turns).map(({ candidate }) => candidate.sequence)
}

function turn(
  sequence: number,
  text: string,
  {
    at = sequence / 60,
    speaker,
    threadId = 'thread',
    words = 1,
    similarity,
    isByWords = true,
  }: {
    /** Hours. */
    at?: number
    speaker?: string
    threadId?: string
    words?: number
    similarity?: number
    isByWords?: boolean
  } = {},
): Candidate {
  const message = { ...userMessage(text), threadId, createdAt: new Date(at * HOUR) }
  if (speaker !== undefined) message.content.metadata = { speaker }
  return { message, sequence, words, similarity, isByWords }
}
