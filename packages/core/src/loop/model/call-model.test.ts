import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Agent } from '../../agent/agent.ts'

const DELTAS = 20
const timeout = { chunkMs: 50 }

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

describe('the chunk timeout', () => {
  test('does not run while the reader pauses', async () => {
    const stream = new Agent({ model: modelOf() }).stream('Hi', { timeout })
    await readWithPause(stream.fullStream)
    expect(await stream.result).toMatchObject({ status: 'completed', text: 'x'.repeat(DELTAS) })
    expect(vi.getTimerCount()).toBe(0)
  })

  test('runs again when the reader continues', async () => {
    const stream = new Agent({ model: modelOf({ hangs: true }) }).stream('Hi', { timeout })
    await readWithPause(stream.fullStream)
    expect(await stream.result).toMatchObject({
      status: 'aborted',
      text: 'x'.repeat(DELTAS),
      abortReason: { code: 'RUN_TIMEOUT' },
    })
    expect(vi.getTimerCount()).toBe(0)
  })
})

/** Reads to the end, with a pause of a second after the first text. After the last, time goes on while it waits. */
async function readWithPause(stream: AsyncIterable<{ type: string }>): Promise<void> {
  let count = 0
  for await (const { type } of stream) {
    if (type !== 'text-delta') continue
    count++
    if (count === 1) await vi.advanceTimersByTimeAsync(1_000)
    if (count === DELTAS) vi.advanceTimersByTimeAsync(1_000)
  }
}

function modelOf({ hangs = false } = {}): LanguageModelV4 {
  const parts: LanguageModelV4StreamPart[] = [
    { type: 'text-start', id: '1' },
    ...Array.from({ length: DELTAS }, () => ({ type: 'text-delta', id: '1', delta: 'x' }) as const),
  ]
  return {
    specificationVersion: 'v4',
    provider: 'acme',
    modelId: 'acme-1',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('The agent streams.')),
    doStream: async () => ({
      stream: new ReadableStream({
        pull(controller) {
          const part = parts.shift()
          if (part) controller.enqueue(part)
          else if (!hangs) controller.close()
        },
      }),
    }),
  }
}
