import { growthOf, QUADRATIC } from '@millrace/testing/growth'
import { expect, test } from 'vitest'
import { Scanner } from '../../src/scanner/scanner.ts'
import { CATALOGUE } from '../../src/secrets/catalogue.ts'

const scanner = new Scanner(CATALOGUE)

test.each([
  ['names with dots between', 'abcdefgh.'],
  ['names with dashes between', '@.-$--$--'],
])('rejects a value of %s in linear time', (_, name) => {
  const run = (length: number) => scanner.detect(`password = "${name.repeat(length / name.length)}!9"`)
  expect(growthOf(run)).toBeLessThan(QUADRATIC)
})
