// Runs an agent for a few seconds, for profiling with `node --cpu-prof` or `--heap-prof`.
import { Agent, tool } from '@millrace/core'
import { z } from 'zod'
import { StreamModel, textAnswer, toolAnswer } from './stream-model.ts'

const SECONDS = 5

const agent = new Agent({
  model: new StreamModel(toolAnswer('weather', { city: 'Oslo' }), textAnswer(1_000)),
  tools: {
    weather: tool({
      description: 'Says what the weather is like.',
      inputSchema: z.object({ city: z.string() }),
      execute: ({ city }) => ({ city, degrees: 7 }),
    }),
  },
  processors: Array.from({ length: 3 }, (_, index) => ({
    id: `passes-${index}`,
    processOutputStream: ({ part }) => part,
  })),
})

let runs = 0
const end = performance.now() + SECONDS * 1_000
while (performance.now() < end) {
  for await (const _ of agent.stream('Hi').fullStream) {
    // Reads to the end.
  }
  runs++
}
process.stdout.write(`${runs} runs in ${SECONDS} seconds.\n`)
