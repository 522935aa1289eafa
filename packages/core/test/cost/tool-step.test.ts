import type { LanguageModelV4 } from '@ai-sdk/provider'
import { Agent, tool } from '@millrace/core'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { inlineModel, textAnswer, toolAnswer } from './inline-model.ts'
import { compare, leastOf } from './ratio.ts'

const tools = {
  weather: tool({
    inputSchema: z.object({ city: z.string() }),
    execute: ({ city }) => ({ city, degrees: 7 }),
  }),
}
const call = (id?: string) => toolAnswer('weather', { city: 'Oslo' }, id)

test('a run with one tool step costs a small multiple of reading its two answers', async () => {
  const model = inlineModel(call(), textAnswer(10))
  const agent = new Agent({ model, tools })
  const ratio = await leastOf(25, () =>
    compare(
      () => timed(30, () => read(agent)),
      () =>
        timed(30, async () => {
          await readModel(model)
          await readModel(model)
        }),
    ),
  )
  // It is 7 to 10 times where nothing else runs: the limit is for machines where a lot does.
  expect(ratio).toBeLessThan(25)
})

test('a step of a long run costs about as much as one of a short run', async () => {
  const long = stepsOf(150)
  const short = stepsOf(15)
  const ratio = await leastOf(2, () =>
    compare(
      () => timed(1, () => read(long)),
      () => timed(10, () => read(short)),
    ),
  )
  // What is made anew at every step, out of all steps before it, shows here.
  expect(ratio).toBeLessThan(2)
})

function stepsOf(count: number): Agent {
  const calls = Array.from({ length: count - 1 }, (_, index) => call(`call-${index}`))
  return new Agent({ model: inlineModel(...calls, textAnswer(1)), tools, maxSteps: count })
}

async function timed(times: number, work: () => Promise<void>): Promise<number> {
  const startedAt = process.cpuUsage()
  for (let time = 0; time < times; time++) await work()
  const { user, system } = process.cpuUsage(startedAt)
  return user + system
}

async function read(agent: Agent): Promise<void> {
  let last: string | undefined
  for await (const { type } of agent.stream('Hi').fullStream) last = type
  expect(last).toBe('finish')
}

async function readModel(model: LanguageModelV4): Promise<void> {
  const { stream } = await model.doStream({ prompt: [] })
  for await (const _ of stream) {
    // Only the reading is measured.
  }
}
