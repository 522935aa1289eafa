import { Agent, type Processor } from '@millrace/core'
import { fail, ScriptedModel } from '@millrace/testing'
import { expect, test, vi } from 'vitest'

vi.mock('../../src/loop/end/review-incomplete.ts', () => {
  throw new Error('The chunk cannot be loaded.')
})

const keeper: Processor = { id: 'keeper', keepsIncomplete: true, processOutputResult: () => undefined }

test('a run that is stopped or fails ends, also if the review of its answer cannot be loaded', async () => {
  const stopped = new Agent({ model: new ScriptedModel(['Hello']), processors: [keeper] })
  const controller = new AbortController()
  const run = stopped.stream('Hi', { abortSignal: controller.signal })
  for await (const chunk of run.fullStream) if (chunk.type === 'text-delta') controller.abort()
  expect((await run.result).status).toBe('aborted')

  const failing = new Agent({ model: new ScriptedModel([['Hello', fail()]]), processors: [keeper] })
  await expect(failing.generate('Hi')).rejects.toThrow()
})
