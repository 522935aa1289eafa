import { Summarization } from '@millrace/context/summarization'
import { Agent, newestTurn, type Processor, tool } from '@millrace/core'
import { z } from 'zod'
import type { Figure, Suite } from '../figure.ts'
import { type Measurement, measure } from '../measure.ts'
import { chatText } from '../sample-text.ts'
import { StreamModel, textAnswer, toolAnswer } from '../stream-model.ts'

const STEPS = 100
const OUTPUT_BYTES = 2_000
/** The time of a step with a fast model in microseconds, for the share of the trigger. */
const MODEL_TIME = 100_000

/** The cost per step of `Summarization` if there is nothing to summarize. */
export const contextWindowSuite: Suite = {
  name: 'context-window',
  about: 'Summarization with nothing to summarize, compared with a processor that reads the messages',
  async run({ quick }) {
    const measurements: Measurement[] = []
    const figures: Figure[] = []
    // In a small part of the window nothing is counted; in a larger part, each text once.
    for (const [place, contextWindow] of [
      ['far from full', 10_000_000],
      ['half full', 200_000],
    ] as const) {
      const floor = runWith(looksOn, contextWindow)
      const run = runWith(new Summarization(), contextWindow)
      measurements.push(
        ...(await measure({
          name: `${STEPS} tool steps, ${place}`,
          contestants: [
            { name: 'looking at the messages', run: floor },
            { name: 'Summarization', run },
          ],
          rounds: quick ? 15 : 31,
        })),
      )
      const microseconds = (await processorTime(run)) - (await processorTime(floor))
      figures.push({ name: `the trigger in a step, ${place}`, value: microseconds / STEPS, unit: 'us' })
      figures.push({
        name: `of a step with a model of ${MODEL_TIME / 1_000} ms, ${place}`,
        value: (100 * microseconds) / STEPS / MODEL_TIME,
        unit: '%',
        budget: 1,
      })
    }
    return { measurements, figures }
  },
}

const looksOn: Processor = {
  id: 'looks-on',
  processInputStep({ messages, messageList }) {
    newestTurn(messages, messageList)
  },
}

/** The mean CPU time of some runs of this process, in microseconds. */
async function processorTime(run: () => Promise<unknown>): Promise<number> {
  const runs = 10
  const before = process.cpuUsage()
  for (let count = 0; count < runs; count++) await run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / runs
}

function runWith(processor: Processor, contextWindow: number): () => Promise<unknown> {
  const calls = Array.from({ length: STEPS }, (_, index) =>
    toolAnswer('look', { at: index }).map((part) =>
      part.type === 'tool-call' ? { ...part, toolCallId: `call-${index}` } : part,
    ),
  )
  const text = chatText(OUTPUT_BYTES)
  const look = tool({ inputSchema: z.object({ at: z.number() }), execute: ({ at }) => `${at} ${text}` })
  const agent = new Agent({
    model: new StreamModel(...calls, textAnswer(1)),
    tools: { look },
    maxSteps: STEPS + 1,
    contextWindow,
    processors: [processor],
  })
  return () => agent.generate('Go')
}
