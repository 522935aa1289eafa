import { Agent } from '@millrace/core'
import { SecretDetector } from '@millrace/guards/secrets'
import { PIIDetector } from '@millrace/pii'
import { ScriptedModel, text } from '@millrace/testing'
import { expect, test } from 'vitest'
import { studio } from '../../src/index.ts'
import { onCleanup } from '../scene.ts'

const ANSWER = 'It rains in Oslo today, take a coat with you. '.repeat(20)
const RUNS = 30
/** Maximum ratio of CPU time: a recorded run to the same run without records. The model takes no time. */
const MOST_TIMES = 2

const guarded = (): Agent =>
  new Agent({
    model: new ScriptedModel(() => [text(ANSWER, { chunkSize: 5 })]),
    processors: [new PIIDetector(), new SecretDetector()],
  })

/** CPU milliseconds of a run, with its records. Other processes do not count. */
async function costOf(agent: Agent, written: () => Promise<void> = async () => {}): Promise<number> {
  const before = process.cpuUsage()
  for (let run = 0; run < RUNS; run++) await agent.generate('Will it rain in Oslo?')
  await agent.close()
  await written()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000 / RUNS
}

test('records a run with guards for at most its own cost', async () => {
  const [plain, recorded] = [guarded(), guarded()]
  const trace = studio({ agents: { recorded }, file: false, port: false })
  onCleanup(() => trace.close())
  const written = (): Promise<void> => trace.flush()
  await written()
  // Warm-up: load and compile.
  await costOf(plain)
  await costOf(recorded, written)
  const times: number[] = []
  for (let lap = 0; lap < 5; lap++) {
    const without = await costOf(plain)
    times.push((await costOf(recorded, written)) / without)
  }
  const median = times.sort((a, b) => a - b)[2] ?? Number.POSITIVE_INFINITY
  expect(median).toBeLessThan(MOST_TIMES)
})
