import { expect, test } from 'vitest'
import { nearestName } from './nearest-name.ts'

test.each([
  ['stratgy', 'strategy'],
  ['max_steps', 'maxSteps'],
  ['resourceID', 'resourceId'],
  ['prot', 'port'],
  ['colour', undefined],
  ['', undefined],
  ['x'.repeat(1_000_000), undefined],
])('the nearest name of %s is %s', (name, nearest) => {
  const known = ['strategy', 'maxSteps', 'resourceId', 'proxy', 'port']
  expect(nearestName(name, known)).toBe(nearest)
})
