import { expect, it } from 'vitest'
import { matchers } from './matchers.ts'

it('matchers can be registered in vitest', () => {
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
