import { Agent } from '@millrace/core'
import { SecretDetector } from '@millrace/guards/secrets'
import { PIIDetector } from '@millrace/pii'
import { ScriptedModel, text } from '@millrace/testing'
import { expect, test } from 'vitest'
import { studio } from '../src/index.ts'
import { onCleanup } from './scene.ts'

const ANSWER = 'It rains in Oslo today, take a coat with you. '.repeat(20)
/** Milliseconds that a quick model takes for a step of 180 chunks. */
const STEP = 100
const RUNS = 30

const guarded = (): Agent =>
  new Agent({
    model: new ScriptedModel(() => [text(ANSWER, { chunkSize: 5 })]),
    processors: [new PIIDetector(), new SecretDetector()],
  })

/** Milliseconds of the processor that a run takes, records included: those of other programs do not count. */
async function costOf(agent: Agent): Promise<number> {
  const before = process.cpuUsage()
  for (let run = 0; run < RUNS; run++) await agent.generate('Will it rain in Oslo?')
  await agent.close()
  // Records are written within that time.
  await new Promise((resolve) => setTimeout(resolve, 400))
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000 / RUNS
}

test('a run with guards pays at most a twentieth of a quick step for being recorded', {
  retry: 2,
  timeout: 60_000,
}, async () => {
  const [plain, recorded] = [guarded(), guarded()]
  const trace = studio({ agents: { recorded }, file: false, port: false })
  onCleanup(() => trace.close())
  await trace.flush()
  // Once to load and compile everything.
  await costOf(plain)
  await costOf(recorded)
  const extra: number[] = []
  for (let lap = 0; lap < 5; lap++) {
    const without = await costOf(plain)
    extra.push((await costOf(recorded)) - without)
  }
  const median = extra.sort((a, b) => a - b)[2] ?? Number.POSITIVE_INFINITY
  expect(median).toBeLessThan(STEP / 20)
})
