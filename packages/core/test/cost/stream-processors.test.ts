import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { Agent, type Processor } from '@millrace/core'
import { expect, test } from 'vitest'

const CHUNKS = 4_000

test('ten synchronous stream processors that let everything pass cost less than the run without them', async () => {
  const bare = new Agent({ model })
  const checked = new Agent({
    model,
    processors: Array.from({ length: 10 }, (_, index) => passes(`p-${index}`)),
  })
  const ratio = await leastOf(2, () =>
    compare(
      () => read(checked),
      () => read(bare),
    ),
  )
  // Twice the run is what they may cost; anything near it is a promise per processor and chunk.
  expect(ratio).toBeLessThan(2)
})

test('watching a run costs nothing per chunk', async () => {
  const watched = new Agent({ model })
  let heard = 0
  watched.on('run-finish', () => heard++)
  watched.on('step-finish', () => heard++)
  const bare = new Agent({ model })
  const ratio = await leastOf(1.5, () =>
    compare(
      () => read(watched),
      () => read(bare),
    ),
  )
  await watched.close()
  expect(heard).toBeGreaterThan(0)
  expect(ratio).toBeLessThan(1.5)
})

function passes(id: string): Processor {
  return { id, processOutputStream: ({ part }) => part }
}

async function read(agent: Agent): Promise<number> {
  const startedAt = performance.now()
  let count = 0
  for await (const { type } of agent.stream('Hi').fullStream) if (type === 'text-delta') count++
  expect(count).toBe(CHUNKS)
  return performance.now() - startedAt
}

/** Measures again what looks bad, a few times: a busy machine only ever makes it look worse. */
async function leastOf(below: number, measure: () => Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 5 && least >= below; attempt++) least = Math.min(least, await measure())
  return least
}

/**
 * How many times longer one takes than the other: both in each of several rounds, after a few to warm up, and of all
 * rounds the one in the middle. So what else the machine does weighs on both, and rarely.
 */
async function compare(one: () => Promise<number>, other: () => Promise<number>): Promise<number> {
  const ratios: number[] = []
  for (let round = 0; round < 36; round++) {
    const ratio = (await one()) / (await other())
    if (round >= 5) ratios.push(ratio)
  }
  return ratios.sort((a, b) => a - b)[15] ?? Number.NaN
}

/** Answers as fast as a stream can: whatever a model does besides would hide the cost. */
const model: LanguageModelV4 = {
  specificationVersion: 'v4',
  provider: 'inline',
  modelId: 'inline',
  supportedUrls: {},
  doGenerate: () => Promise.reject(new Error('The agent streams.')),
  doStream: async () => {
    let position = 0
    const stream = new ReadableStream<LanguageModelV4StreamPart>(
      {
        pull(controller) {
          const part = parts[position++]
          if (part) controller.enqueue(part)
          else controller.close()
        },
      },
      { highWaterMark: 16 },
    )
    return { stream }
  },
}

const parts: LanguageModelV4StreamPart[] = [
  { type: 'stream-start', warnings: [] },
  { type: 'text-start', id: 't' },
  ...Array.from({ length: CHUNKS }, () => ({ type: 'text-delta', id: 't', delta: 'word ' }) as const),
  { type: 'text-end', id: 't' },
  {
    type: 'finish',
    finishReason: { unified: 'stop', raw: undefined },
    usage: {
      inputTokens: { total: 1, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: 1, text: undefined, reasoning: undefined },
    },
  },
]
