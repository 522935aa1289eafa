import { Agent, type AgentInput, type LanguageModelV4, type Processor, tool } from '@millrace/core'
import { perform, type Task, wait } from '@millrace/guards/internals'
import { WindowGuard } from '@millrace/guards/judge'
import { KeywordGuard } from '@millrace/guards/keyword-guard'
import { ModerationProcessor } from '@millrace/guards/moderation'
import { PromptInjectionDetector } from '@millrace/guards/prompt-injection'
import { SecretDetector } from '@millrace/guards/secrets'
import { SystemPromptScrubber } from '@millrace/guards/system-prompt-scrubber'
import { PIIDetector } from '@millrace/pii'
import { ScriptedModel, text, toolCall } from '@millrace/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

const LENGTH = 400_000
const long = 'The river rises in May, and the town has a fair. '.repeat(LENGTH / 50)

const harmless = {
  flagged: false,
  categories: [],
  score: 0,
  reason: '',
  calls: 0,
  inputTokens: 0,
  outputTokens: 0,
}

const guards: [string, Processor][] = [
  ['KeywordGuard', new KeywordGuard({ keywords: ['trade secret'] })],
  ['PIIDetector', new PIIDetector()],
  ['PIIDetector, entities', new PIIDetector({ entities: () => [] })],
  ['SecretDetector', new SecretDetector()],
  ['ModerationProcessor', new ModerationProcessor()],
  [
    'WindowGuard',
    new WindowGuard({ id: 'w', label: 'It was', check: async (texts) => texts.map(() => harmless) }),
  ],
]
const inbound: [string, Processor][] = [...guards, ['PromptInjectionDetector', new PromptInjectionDetector()]]
const scrubber = new SystemPromptScrubber({
  instructions: ['The merger is not to be told before the third of May.'],
})
const outbound: [string, Processor][] = [...guards, ['SystemPromptScrubber', scrubber]]

/** How many turns the event loop had during a run. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let isOn = true
  const count = (): void => {
    turns++
    if (isOn) setImmediate(count)
  }
  setImmediate(count)
  await work()
  isOn = false
  return turns
}

function agentOf(guard: Processor, model: LanguageModelV4): Agent {
  const look = tool({ inputSchema: z.object({}), execute: () => ({ page: long }) })
  return new Agent({ model, tools: { look }, processors: [guard] }) as Agent
}

/** A run with almost no text also has some turns. */
async function turnsMore(
  guard: Processor,
  play: (of: string) => { model: LanguageModelV4; input: AgentInput },
): Promise<number> {
  const run = (of: string) => async () => {
    const { model, input } = play(of)
    expect((await agentOf(guard, model).generate(input)).status).toBe('completed')
  }
  await run('short')()
  return (await turnsDuring(run(long))) - (await turnsDuring(run('short')))
}

describe('yields to the event loop while a guard reads a long text', () => {
  test.each(inbound)('%s, for input', async (_, guard) => {
    const turns = await turnsMore(guard, (input) => ({ model: new ScriptedModel(['ok']), input }))
    expect(turns).toBeGreaterThan(10)
  })

  test.each(outbound)('%s, for an answer in one chunk', async (_, guard) => {
    const turns = await turnsMore(guard, (of) => ({ model: new ScriptedModel([[text([of])]]), input: 'Hi' }))
    expect(turns).toBeGreaterThan(10)
  })

  test.each(inbound)('%s, for a tool output', async (_, guard) => {
    const turns = await turnsMore(guard, (of) => {
      const answer = of === long ? [toolCall('look', {})] : ['ok']
      return { model: new ScriptedModel([answer, 'ok']), input: 'Hi' }
    })
    expect(turns).toBeGreaterThan(10)
  })
})

describe('a task', () => {
  function* reads(sizes: readonly number[]): Task<string> {
    for (const size of sizes) yield size
    return 'done'
  }

  test('runs synchronously if it reads little', () => {
    expect(perform(reads([1_000, 15_000]))).toBe('done')
  })

  test('runs asynchronously if it reads much, in turns with other tasks', async () => {
    const order: string[] = []
    function* noted(name: string): Task<void> {
      for (let slice = 0; slice < 12; slice++) {
        order.push(name)
        yield 20_000
      }
    }
    await Promise.all([perform(noted('a')), perform(noted('b'))])
    expect(order.join('')).toMatch(/^a+b+(ab)+/)
  })

  test('waits for its promises, and fails if one of them rejects', async () => {
    function* waits(value: unknown): Task<unknown> {
      try {
        return yield* wait(value)
      } catch (error) {
        return `caught ${(error as Error).message}`
      }
    }
    expect(perform(waits(1))).toBe(1)
    expect(await perform(waits(Promise.resolve(2)))).toBe(2)
    expect(await perform(waits(Promise.reject(new Error('it'))))).toBe('caught it')
  })
})
