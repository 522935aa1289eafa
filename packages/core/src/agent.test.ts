import { ScriptedModel } from '@millrace/testing'
import { describe, expect, test } from 'vitest'
import { Agent } from './agent.ts'
import type { RunOptions } from './agent-options.ts'

describe('an option that cannot work', () => {
  const agent = new Agent({ model: new ScriptedModel(['x']) })
  const options: [string, RunOptions][] = [
    ['maxSteps', { maxSteps: 0 }],
    ['maxSteps', { maxSteps: 1.5 }],
    ['modelSettings.maxRetries', { modelSettings: { maxRetries: -1 } }],
    ['emit', { emit: 'never' as never }],
  ]

  test.each(options)(
    'rejects, and does not throw in the face of whoever has not awaited yet: %s',
    async (name, option) => {
      let outcome: Promise<unknown> | undefined
      expect(() => {
        outcome = agent.generate('x', option)
        outcome.catch(() => {})
      }).not.toThrow()
      await expect(outcome).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        message: expect.stringContaining(name),
      })
    },
  )

  test('of the agent is an error at construction', () => {
    const construct = () => new Agent({ model: new ScriptedModel([]), toolConcurrency: 0 })
    expect(construct).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }))
  })
})

test('a provider of processors without a hook is refused at construction', () => {
  const memory = { getInputProcessors: () => [{ id: 'idle' }] }
  expect(() => new Agent({ model: new ScriptedModel([]), memory })).toThrow(
    expect.objectContaining({ code: 'CONFIG_HOOK_MISSING' }),
  )
})
