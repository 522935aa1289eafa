import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { hurry, MODES, Till } from './till.ts'
import { WAYS } from './ways.ts'

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
  })
})
afterEach(() => {
  vi.useRealTimers()
})

describe.each(Object.entries(WAYS))('a payment is found after %s', (_, way) => {
  const modes = way.leaves ? (['stream', 'approved stream'] as const) : MODES
  test.each(modes.flatMap((mode) => (['turn', 'step'] as const).map((persist) => [mode, persist] as const)))(
    'in %s, saved by %s',
    async (mode, persist) => {
      const till = new Till(way, { persist })
      const end = await hurry(till.run(mode))
      expect(end).toBe(way.ends)
      expect(await hurry(till.find({ needsApproval: mode.startsWith('approved') }))).toHaveLength(1)
      expect(till.executed).toHaveLength(1)
    },
  )
})
