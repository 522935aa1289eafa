import { Agent, type Processor } from '@millrace/core'
import { expect, test } from 'vitest'
import { inlineModel, textAnswer } from './inline-model.ts'
import { compare, leastOf } from './ratio.ts'

const CHUNKS = 4_000
const model = inlineModel(textAnswer(CHUNKS))

test('ten synchronous stream processors that pass everything cost less than the run without them', async () => {
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

test('observing a run costs nothing per chunk', async () => {
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
  const startedAt = process.cpuUsage()
  let count = 0
  for await (const { type } of agent.stream('Hi').fullStream) if (type === 'text-delta') count++
  expect(count).toBe(CHUNKS)
  const { user, system } = process.cpuUsage(startedAt)
  return user + system
}
