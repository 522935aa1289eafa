import { hang, ScriptedModel, toolCall } from '@millrace/testing'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { Agent } from '../agent/agent.ts'
import { tool } from '../tools/tool.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

test("timeouts longer than a timer's maximum are waited for", async () => {
  const month = 30 * 24 * 60 * 60 * 1000
  const agent = new Agent({ model: new ScriptedModel([[hang()]]) })
  const running = agent.generate('Hi', { timeout: month })
  await vi.advanceTimersByTimeAsync(month - 1)
  expect(vi.getTimerCount()).toBe(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(await running).toMatchObject({ status: 'aborted', abortReason: { code: 'RUN_TIMEOUT' } })
})

test.for([
  ['a tool', [toolCall('wait')]],
  ['the model', [hang({ ignoreAbort: true })]],
] as const)('an aborted run leaves no timer behind, whatever %s still waits for', async ([, turn]) => {
  const wait = tool({ inputSchema: z.object({}), execute: () => new Promise<never>(() => {}) })
  const agent = new Agent({ model: new ScriptedModel([turn]), tools: { wait } })
  const controller = new AbortController()
  const running = agent.generate('Hi', {
    abortSignal: controller.signal,
    timeout: { totalMs: 60_000, stepMs: 60_000, chunkMs: 60_000 },
  })
  await vi.advanceTimersByTimeAsync(10)
  controller.abort()
  expect(await running).toMatchObject({ status: 'aborted' })
  expect(vi.getTimerCount()).toBe(0)
})
