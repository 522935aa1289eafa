import { ScriptedModel } from '@millrace/testing'
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { Agent } from '../agent/agent.ts'
import type { Processor } from '../processors/processor.ts'

const never = new Promise<never>(() => {})

/** Begins work in the background that ends when `work` does. */
const begins = (id: string, work: Promise<unknown>): Processor => ({
  id,
  processOutputResult: ({ waitUntil }) => waitUntil(work),
})

const agentWith = (...processors: Processor[]) =>
  new Agent({ model: new ScriptedModel(() => 'Hello.'), processors })

// What is loaded on demand would otherwise arrive some time during the fake one.
beforeAll(() => import('./close.ts'))

describe('closing an agent', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test('times out, and names what is still running', async () => {
    const agent = agentWith(begins('titles', never), begins('facts', never))
    agent.on('run-finish', () => never)
    await agent.generate('Hi')
    await agent.generate('Hi')
    const closed = agent.close().catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(9_999)
    expect(vi.getTimerCount()).toBe(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(await closed).toMatchObject({
      code: 'RUN_BACKGROUND_TIMEOUT',
      message: expect.stringMatching(
        /10000 ms.*processOutputResult of 'titles' \(2 times\), processOutputResult of 'facts' \(2 times\)/,
      ),
    })
  })

  test('names listeners too, and waits again when it is called again', async () => {
    let finish = (): void => {}
    const agent = agentWith()
    agent.on('run-finish', () => new Promise<void>((resolve) => (finish = resolve)))
    await agent.generate('Hi')
    const closed = agent.close({ timeoutMs: 50 }).catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(50)
    expect(await closed).toMatchObject({ message: expect.stringContaining("a listener of 'run-finish'") })
    const again = agent.close({ timeoutMs: Number.POSITIVE_INFINITY })
    await vi.advanceTimersByTimeAsync(100_000)
    finish()
    await again
    expect(vi.getTimerCount()).toBe(0)
  })

  test('leaves no timer if there is nothing to wait for', async () => {
    const agent = agentWith(begins('titles', Promise.resolve()))
    await agent.generate('Hi')
    await agent.close()
    expect(vi.getTimerCount()).toBe(0)
  })

  test.each([0, -1, Number.NaN, '5'])('refuses a timeout of %s', async (timeoutMs) => {
    await expect(agentWith().close({ timeoutMs: timeoutMs as number })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('timeoutMs'),
    })
  })
})

test('an unknown event is refused, with the names of all events', () => {
  const listen = (name: string) => () => agentWith().on(name as 'run-start', () => {})
  for (const name of ['step-start', 'toString', '__proto__', '']) {
    expect(listen(name)).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message: expect.stringMatching(/run-start, model-start, .*background-error/),
      }),
    )
  }
  expect(listen('run-start')).not.toThrow()
})
