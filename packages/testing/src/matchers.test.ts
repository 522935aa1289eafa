import { expect, it } from 'vitest'
import { matchers } from './matchers.ts'

it('offers matchers that vitest takes', () => {
  expect.extend(matchers)
  expect({ status: 'completed' }).toBeCompleted()
  expect({ run: { status: 'halted' } }).toEqual({ run: expect.toHaveStatus('halted') })
  expect(Object.keys(matchers).sort()).toEqual([
    'toBeCompleted',
    'toHaveBeenPrompted',
    'toHaveChunkTypes',
    'toHaveStatus',
    'toHaveText',
    'toHaveTripped',
    'toLeakNothingOf',
    'toPairEveryToolCall',
  ])
})
