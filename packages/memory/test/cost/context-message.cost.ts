import { growthOf, QUADRATIC } from '@millrace/testing/growth'
import { expect, test } from 'vitest'
import { escapeClosingTag } from '../../src/context-message.ts'

test('scans white space after a bracket in linear time', () => {
  expect(growthOf((length) => escapeClosingTag(`<${' '.repeat(length)}`, 'notes'))).toBeLessThan(QUADRATIC)
})
