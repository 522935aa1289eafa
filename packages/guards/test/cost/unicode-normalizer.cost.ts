import { growthOf, QUADRATIC } from '@millrace/testing/growth'
import { expect, test } from 'vitest'
import { collapse } from '../../src/unicode-normalizer/collapse.ts'
import { foldLookAlikes, loadPrototypes } from '../../src/unicode-normalizer/look-alikes.ts'
import { normalize } from '../../src/unicode-normalizer/normalize.ts'
import { chain, transformWhole } from '../../src/unicode-normalizer/text-pass.ts'

test.each(['a', '\u0301', '\u200b', 'ы', '👩‍', '  ', 'a\u0301'])(
  'takes linear time for a text of %j',
  async (unit) => {
    const prototypeOf = await loadPrototypes()
    const run = (length: number): string =>
      transformWhole(
        unit.repeat(length / unit.length),
        chain([normalize(), foldLookAlikes(prototypeOf, 'mixed'), collapse()]),
      )
    expect(growthOf(run)).toBeLessThan(QUADRATIC)
  },
)
