import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Agent, type Processor, type ProcessorProvider, tool } from '@millrace/core'
import { KeywordGuard } from '@millrace/guards/keyword-guard'
import { ModerationProcessor } from '@millrace/guards/moderation'
import { PromptInjectionDetector } from '@millrace/guards/prompt-injection'
import { SecretDetector } from '@millrace/guards/secrets'
import { SystemPromptScrubber } from '@millrace/guards/system-prompt-scrubber'
import { UnicodeNormalizer } from '@millrace/guards/unicode-normalizer'
import { PIIDetector } from '@millrace/pii'
import { LoopDetector } from '@millrace/steering/loop-detector'
import { TokenLimiterProcessor } from '@millrace/tokens'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { inlineModel, textAnswer, toolAnswer } from '../../../core/test/cost/inline-model.ts'

// Runs that a collection of young objects does not free stay in memory until the next full one, and slow down every
// collection until then. V8 keeps them if an old object refers to them: an entry of a `WeakMap`, or the hidden class of
// an object with a getter or of a generator that was created for the run.

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as (options: { type: 'minor' }) => void

const RUNS = 150
/** Bytes. A run has 20,000 to 200,000; the code that the engine compiles meanwhile has a few thousand per run. */
const LIMIT = 12_000
const tools = {
  weather: tool({
    inputSchema: z.object({ city: z.string() }),
    execute: ({ city }) => ({ city, degrees: 7 }),
  }),
}

/** A processor with every hook. */
const watcher: Processor = {
  id: 'watcher',
  processInput({ messages }) {
    void messages.length
  },
  processInputStep({ messages }) {
    void messages.length
  },
  wrapModelCall({ next, request, steps }) {
    void steps.length
    return next(request)
  },
  processOutputStream: ({ part }) => part,
  processOutputStep({ messages }) {
    void messages.length
  },
  processToolCall() {},
  processExecution() {},
  processToolResult() {},
  processToolStep({ messages }) {
    void messages.length
  },
  processOutputResult({ messages, result }) {
    void [messages.length, result.steps.length]
  },
  processDelivery: ({ part }) => part,
}

const PROCESSORS: Record<string, (Processor | ProcessorProvider)[]> = {
  'without processors': [],
  'every hook': [watcher],
  PIIDetector: [new PIIDetector()],
  SecretDetector: [new SecretDetector()],
  PromptInjectionDetector: [new PromptInjectionDetector()],
  ModerationProcessor: [new ModerationProcessor()],
  KeywordGuard: [new KeywordGuard({ keywords: ['codename'] })],
  SystemPromptScrubber: [new SystemPromptScrubber()],
  UnicodeNormalizer: [new UnicodeNormalizer()],
  LoopDetector: [new LoopDetector()],
  TokenLimiterProcessor: [new TokenLimiterProcessor({ limit: 1_000 })],
}

test.each(Object.entries(PROCESSORS))('frees an ended run at once: %s', async (_, processors) => {
  const model = inlineModel(toolAnswer('weather', { city: 'Oslo' }), textAnswer(20))
  const instructions = 'You plan harbour tours for the guests of the Lantern hotel in Oslo.'
  const agent = new Agent({ model, instructions, tools, processors })
  await readTimes(agent, 2 * RUNS)
  const before = await heapAfter(agent, RUNS)
  const kept = (await heapAfter(agent, 2 * RUNS)) - before
  expect(kept / (2 * RUNS)).toBeLessThan(LIMIT)
})

async function readTimes(agent: Agent, runs: number): Promise<void> {
  for (let run = 0; run < runs; run++) await read(agent)
}

/** The size of the heap in bytes after some runs, without young objects. */
async function heapAfter(agent: Agent, runs: number): Promise<number> {
  await readTimes(agent, runs)
  // Objects that survive two collections are old.
  for (let pass = 0; pass < 3; pass++) gc({ type: 'minor' })
  return process.memoryUsage().heapUsed
}

async function read(agent: Agent): Promise<void> {
  const run = agent.stream('What is the weather like?')
  for await (const _ of run.fullStream) {
    // Only the memory is measured.
  }
  expect(await run.status).toBe('completed')
}
