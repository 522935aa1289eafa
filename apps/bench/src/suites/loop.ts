import { Agent, type Processor, tool } from '@millrace/core'
import { KeywordGuard } from '@millrace/guards/keyword-guard'
import { SecretDetector } from '@millrace/guards/secrets'
import { SystemPromptScrubber } from '@millrace/guards/system-prompt-scrubber'
import { PIIDetector } from '@millrace/pii'
import { z } from 'zod'
import type { Figure, Suite } from '../figure.ts'
import { type Contest, type Measurement, measure } from '../measure.ts'
import { StreamModel, textAnswer, toolAnswer } from '../stream-model.ts'

/** Runs of an agent within one measured round: a single one is too short for the clock. */
const REPEATS = 20

/** Rounds of short runs before they are measured: until the engine has compiled all of a tool step, it costs twice. */
const SHORT_WARMUPS = 60

/** What a run costs over reading the model's stream with nothing in between. */
export const loopSuite: Suite = {
  name: 'loop',
  about: 'an agent over a bare reader of the model stream',
  async run({ quick }) {
    const rounds = quick ? { rounds: 15, warmups: 4 } : {}
    const measurements: Measurement[] = []
    for (const contest of [text(), guardedText(), toolStep()])
      measurements.push(...(await measure({ ...rounds, ...contest })))
    const figures = [
      await longText(),
      await manySteps(),
      await pulledWhilePaused(),
      await pulledAfterLeaving(),
    ]
    return { measurements, figures }
  },
}

function text(): Contest {
  const model = new StreamModel(textAnswer(1_000))
  const plain = new Agent({ model })
  const withTen = new Agent({
    model,
    processors: Array.from({ length: 10 }, (_, index) => passes(`passes-${index}`)),
  })
  const watched = new Agent({ model })
  watched.on('run-finish', () => {})
  watched.on('step-finish', () => {})
  return {
    name: '1,000 text chunks',
    contestants: [
      { name: 'bare reader', run: () => repeat(() => readModel(model)) },
      { name: 'agent', run: () => repeat(() => readAgent(plain)) },
      { name: 'agent with listeners', run: () => repeat(() => readAgent(watched)) },
      { name: 'agent with ten processors', run: () => repeat(() => readAgent(withTen)) },
    ],
    budgets: { agent: 2.4, 'agent with listeners': 2.6, 'agent with ten processors': 4.2 },
  }
}

function guardedText(): Contest {
  const model = new StreamModel(textAnswer(1_000))
  const pii = (): Processor => new PIIDetector({ strategy: 'redact' })
  const one = new Agent({ model, outputProcessors: [pii()] })
  const four = new Agent({
    model,
    instructions: 'Answer in one sentence, and name the city.',
    outputProcessors: [
      pii(),
      new SecretDetector(),
      new KeywordGuard({ keywords: ['codename'] }),
      new SystemPromptScrubber(),
    ],
  })
  return {
    name: '1,000 guarded text chunks',
    contestants: [
      { name: 'bare reader', run: () => repeat(() => readModel(model)) },
      { name: 'agent with PIIDetector', run: () => repeat(() => readAgent(one)) },
      { name: 'agent with four guards', run: () => repeat(() => readAgent(four)) },
    ],
    budgets: { 'agent with PIIDetector': 8.8, 'agent with four guards': 22 },
  }
}

function toolStep(): Contest {
  const model = new StreamModel(toolAnswer('weather', { city: 'Oslo' }), textAnswer(10))
  const agent = new Agent({ model, tools: { weather } })
  return {
    name: 'one tool step',
    contestants: [
      {
        name: 'bare reader',
        run: () =>
          repeat(async () => {
            await readModel(model)
            await readModel(model)
          }),
      },
      { name: 'agent', run: () => repeat(() => readAgent(agent)) },
    ],
    budgets: { agent: 8.3 },
    rounds: 61,
    warmups: SHORT_WARMUPS,
  }
}

/** What a chunk costs in an answer a hundred times as long. */
async function longText(): Promise<Figure> {
  const short = new Agent({ model: new StreamModel(textAnswer(1_000)) })
  const long = new Agent({ model: new StreamModel(textAnswer(100_000)) })
  const [, measured] = await measure({
    name: 'length',
    contestants: [
      { name: '100 times 1,000 chunks', run: () => repeat(() => readAgent(short), 100) },
      { name: '100,000 chunks', run: () => readAgent(long) },
    ],
    rounds: 11,
    warmups: 3,
  })
  return {
    name: 'a chunk at 100 times the length',
    value: measured?.ratio ?? Number.NaN,
    unit: 'times',
    budget: 1.3,
  }
}

/** What a step costs in a run of 150 steps. */
async function manySteps(): Promise<Figure> {
  const short = stepsOf(15)
  const long = stepsOf(150)
  const [, measured] = await measure({
    name: 'steps',
    contestants: [
      { name: 'ten times 15 steps', run: () => repeat(short, 10) },
      { name: '150 steps', run: long },
    ],
    rounds: 31,
    warmups: 15,
  })
  return { name: 'a step of 150', value: measured?.ratio ?? Number.NaN, unit: 'times one of 15', budget: 1.3 }
}

function stepsOf(count: number): () => Promise<void> {
  const calls = Array.from({ length: count - 1 }, () => toolAnswer('weather', { city: 'Oslo' }))
  const agent = new Agent({
    model: new StreamModel(...calls.map((call, index) => withId(call, `call-${index}`)), textAnswer(1)),
    tools: { weather },
    maxSteps: count,
  })
  return () => readAgent(agent)
}

function withId(parts: ReturnType<typeof toolAnswer>, id: string): ReturnType<typeof toolAnswer> {
  return parts.map((part) => {
    if ('toolCallId' in part) return { ...part, toolCallId: id }
    return 'id' in part ? { ...part, id } : part
  }) as ReturnType<typeof toolAnswer>
}

async function pulledWhilePaused(): Promise<Figure> {
  const model = new StreamModel(textAnswer(20_000))
  const reader = new Agent({ model }).stream('Hi').fullStream[Symbol.asyncIterator]()
  for (let chunk = 0; chunk < 10; chunk++) await reader.next()
  const before = model.pulled
  for (let turn = 0; turn < 1_000; turn++) await new Promise((resolve) => setImmediate(resolve))
  const pulled = model.pulled - before
  await reader.return?.(undefined)
  return { name: 'model chunks pulled while the reader pauses', value: pulled, unit: 'chunks', budget: 16 }
}

async function pulledAfterLeaving(): Promise<Figure> {
  const model = new StreamModel(textAnswer(20_000))
  const reader = new Agent({ model }).stream('Hi').fullStream[Symbol.asyncIterator]()
  for (let chunk = 0; chunk < 10; chunk++) await reader.next()
  await reader.return?.(undefined)
  const before = model.pulled
  for (let turn = 0; turn < 1_000; turn++) await new Promise((resolve) => setImmediate(resolve))
  return {
    name: 'model chunks pulled after the reader left',
    value: model.pulled - before,
    unit: 'chunks',
    budget: 0,
  }
}

const weather = tool({
  description: 'Says what the weather is like.',
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => ({ city, degrees: 7 }),
})

function passes(id: string): Processor {
  return { id, processOutputStream: ({ part }) => part }
}

async function readAgent(agent: Agent): Promise<void> {
  for await (const _ of agent.stream('Hi').fullStream) {
    // Only the reading is measured.
  }
}

async function readModel(model: StreamModel): Promise<void> {
  const { stream } = await model.doStream()
  for await (const _ of stream) {
    // Only the reading is measured.
  }
}

async function repeat(run: () => Promise<void>, times = REPEATS): Promise<void> {
  for (let time = 0; time < times; time++) await run()
}
