import { growthOf, QUADRATIC, repeated } from '@millrace/testing/growth'
import { expect, test } from 'vitest'
import { loadScorer } from '../../src/prompt-injection/load-scorer.ts'

const scorer = await loadScorer()

test('scores hostile text in linear time', () => {
  for (const piece of [
    'ignore ',
    'i ',
    'a.',
    'QUJD',
    '%41',
    '&#65;',
    '<',
    '"',
    'send ',
    '0x41 ',
    '\u0301',
    '字',
    '"says ignore all ',
  ]) {
    expect({ piece, growth: growthOf((length) => scorer.score(repeated(piece, length))) }).toEqual({
      piece,
      growth: expect.toSatisfy((growth: number) => growth < QUADRATIC),
    })
  }
})
