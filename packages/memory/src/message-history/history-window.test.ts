import { ScriptedModel } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { HistoryBench, place } from '../../test/history-bench.ts'
import { answeredCall, lines, openCall, saidByAssistant, saidByUser } from '../../test/texts.ts'
import { MessageHistoryProcessor, type MessageHistoryProcessorOptions } from './message-history-processor.ts'

expect.extend(matchers)

const numRuns = process.env.MILLRACE_THOROUGH === '1' ? 2_000 : 50
const countTokens = (text: string): number => text.split(/\s+/).length

let bench: HistoryBench

beforeEach(() => {
  bench = new HistoryBench()
})

describe('a window of tokens', () => {
  test('holds the last whole messages that fit', async () => {
    await bench.seed(['one two three', 'four five', 'six', 'seven eight'].map((text) => saidByUser(text)))
    const { messages } = await bench.pipeline({ maxTokens: 5, countTokens }).processInput('now')
    expect(lines(messages)).toEqual(['user: four five', 'user: six', 'user: seven eight', 'user: now'])
    const none = await bench.pipeline({ maxTokens: 1, countTokens }).processInput('now')
    expect(lines(none.messages)).toEqual(['user: now'])
  })

  test('counts calls and results, and stops reading early', async () => {
    const answered = saidByAssistant('Look.')
    answered.content.parts.push(answeredCall('call-1', 'word '.repeat(500)))
    await bench.seed([...Array.from({ length: 500 }, (_, index) => saidByUser(`old ${index}`)), answered])
    const { messages } = await bench.pipeline({ maxTokens: 400, countTokens }).processInput('now')
    expect(messages).toHaveLength(1)
    expect(bench.calls).toEqual(['listMessages'])
    bench.calls.length = 0
    const all = await bench.pipeline({ maxTokens: 10_000, countTokens }).processInput('now')
    expect(all.messages).toHaveLength(502)
    expect(bench.calls).toEqual(['listMessages', 'listMessages', 'listMessages'])
  })

  test('is limited by lastMessages too', async () => {
    await bench.seed([saidByUser('one'), saidByUser('two'), saidByUser('three')])
    const { messages } = await bench
      .pipeline({ maxTokens: 100, lastMessages: 2, countTokens })
      .processInput('now')
    expect(lines(messages)).toEqual(['user: two', 'user: three', 'user: now'])
  })

  test('does not begin with an answer whose question is cut off', async () => {
    await bench.seed([
      saidByUser('one'),
      saidByAssistant('two'),
      saidByUser('three'),
      saidByAssistant('four'),
    ])
    for (const limit of [{ lastMessages: 3 }, { maxTokens: 3, countTokens }]) {
      const { messages } = await bench.pipeline(limit).processInput('now')
      expect(lines(messages)).toEqual(['user: three', 'assistant: four', 'user: now'])
    }
  })

  test.each([1, 2, 3, 4])(
    'of %i messages includes the whole last turn, however long it is',
    async (lastMessages) => {
      await bench.seed([
        saidByUser('one'),
        saidByAssistant('two'),
        saidByUser('three'),
        ...['four', 'five', 'six'].map((text) => saidByAssistant(text)),
      ])
      const { messages } = await bench.pipeline({ lastMessages }).processInput('now')
      expect(lines(messages)).toEqual([
        'user: three',
        'assistant: four',
        'assistant: five',
        'assistant: six',
        'user: now',
      ])
      expect(bench.calls.length).toBeLessThanOrEqual(2)
    },
  )

  test('searches for the last turn only among the 200 messages before, and within its tokens', async () => {
    const answers = Array.from({ length: 201 }, (_, index) => saidByAssistant(`answer ${index}`))
    await bench.seed([saidByUser('one'), ...answers.slice(1)])
    const last = await bench.pipeline({ lastMessages: 1 }).processInput('now')
    expect(last.messages).toHaveLength(202)
    const few = await bench.pipeline({ lastMessages: 1, maxTokens: 50, countTokens }).processInput('now')
    expect(lines(few.messages)).toEqual(['user: now'])
    await bench.seed([saidByAssistant('One more')])
    bench.calls.length = 0
    const none = await bench.pipeline({ lastMessages: 1 }).processInput('now')
    expect(lines(none.messages)).toEqual(['user: now'])
    expect(bench.calls.length).toBeLessThanOrEqual(3)
  })

  test('keeps the greeting that a whole thread begins with', async () => {
    await bench.seed([saidByAssistant('Your order number?'), saidByUser('1234')])
    const { messages } = await bench.pipeline({ lastMessages: 2 }).processInput('now')
    expect(lines(messages)).toEqual(['assistant: Your order number?', 'user: 1234', 'user: now'])
  })

  test('of 0 is empty and does not query the store', async () => {
    await bench.seed([saidByUser('one')])
    const { messages } = await bench.pipeline({ lastMessages: false }).processInput('now')
    expect(lines(messages)).toEqual(['user: now'])
    expect(bench.calls).toEqual([])
  })

  test.each<Partial<MessageHistoryProcessorOptions>>([
    { lastMessages: -1 },
    { lastMessages: 1.5 },
    { maxTokens: Number.NaN, countTokens },
    { maxTokens: 10 },
    { persist: 'always' as never },
  ])('throws on %j', (options) => {
    expect(() => new MessageHistoryProcessor({ storage: bench.storage, ...options })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    )
  })
})

test('no window separates a call from its result', async () => {
  const part = fc.constantFrom('text', 'answered', 'open', 'step')
  const thread = fc.array(fc.array(part, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 12 })
  const limits = fc.record({ lastMessages: fc.nat(12), maxTokens: fc.nat(60) })
  await fc.assert(
    fc.asyncProperty(thread, limits, async (turns, limit) => {
      const own = new HistoryBench()
      let calls = 0
      await own.seed(
        turns.flatMap((kinds, turn) => {
          const answer = saidByAssistant(`answer ${turn}`)
          answer.content.parts = kinds.map((kind) => {
            if (kind === 'text') return { type: 'text', text: 'some words' }
            if (kind === 'step') return { type: 'step-start' }
            return kind === 'open' ? openCall(`call-${calls++}`) : answeredCall(`call-${calls++}`, 'Rain')
          })
          return [saidByUser(`question ${turn}`), answer]
        }),
      )
      const model = new ScriptedModel(['Fine'])
      const result = await own.agentWith(model, { ...limit, countTokens }).generate('now', place)
      expect(result.warnings).toEqual([])
      expect(model.lastPrompt).toPairEveryToolCall()
      expect(model.lastPrompt[0]?.role).toBe('user')
      expect(model.lastPrompt.at(-1)).toMatchObject({ content: [{ text: 'now' }] })
    }),
    { numRuns },
  )
})
