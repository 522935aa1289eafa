import fc from 'fast-check'
import { expect, test } from 'vitest'
import { packWeights, unpackWeights } from './weight-levels.ts'

test.each([[[9, 23, 51, 127]], [[3, 9, 20, 41, 66, 90, 127]]])(
  'unpacks the weights that it packed, two in a byte, with the levels %s',
  (levels) => {
    const weight = fc.constantFrom(0, ...levels, ...levels.map((level) => -level))
    fc.assert(
      fc.property(fc.array(fc.tuple(weight, weight), { maxLength: 64 }), (pairs) => {
        const weights = Int8Array.from(pairs.flat())
        const packed = packWeights(weights, levels)
        expect(packed.length).toBe(pairs.length)
        expect(unpackWeights(packed, levels)).toEqual(weights)
      }),
    )
  },
)
