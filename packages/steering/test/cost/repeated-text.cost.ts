import { growthOf, QUADRATIC } from '@millrace/testing/growth'
import { expect, test } from 'vitest'
import { RepeatedText } from '../../src/loop-detector/repeated-text.ts'

test('searches for repeated text in linear time', () => {
  for (const piece of ['a', 'ab', 'the mill turns ']) {
    const growth = growthOf((length) => {
      const watched = new RepeatedText()
      // Long enough for the searched tail to be full most of the time.
      for (let place = 0; place < 8 * length; place += piece.length) watched.push(piece)
    })
    expect(growth).toBeLessThan(QUADRATIC)
  }
})
