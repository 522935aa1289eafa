import { Agent, type Message, type Processor, tool, userMessage } from '@millrace/core'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { countTokens } from '@millrace/tokens'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { HistoryWindow, type HistoryWindowOptions } from './index.ts'

expect.extend(matchers)

let ids = 0

const assistant = (text: string, calls = 0): Message => ({
  ...userMessage(text),
  role: 'assistant',
  content: {
    parts: [
      ...Array.from({ length: calls }, () => ({
        type: 'tool-look' as const,
        toolCallId: `old-${ids++}`,
        state: 'output-available' as const,
        input: {},
        output: 'seen',
      })),
      { type: 'text', text },
    ],
  },
})

const textsOf = (prompt: ScriptedModel['lastPrompt']) =>
  prompt.flatMap(({ content }) =>
    typeof content === 'string' ? [content] : content.flatMap((part) => ('text' in part ? [part.text] : [])),
  )

async function prompted(history: Message[], options?: HistoryWindowOptions, contextWindow?: number) {
  const model = new ScriptedModel(['Fine.'], { modelId: 'gpt-5' })
  const agent = new Agent({
    model,
    processors: [new HistoryWindow(options)],
    ...(contextWindow !== undefined && { contextWindow, modelSettings: { maxOutputTokens: 1 } }),
  })
  const before = structuredClone(history)
  await agent.generate([...history, userMessage('now')], { trusted: true })
  expect(history).toEqual(before)
  return model.lastPrompt
}

const talk = [
  userMessage('u1'),
  assistant('a1'),
  userMessage('u2'),
  assistant('a2', 2),
  userMessage('u3'),
  assistant('a3'),
]

test.each<[HistoryWindowOptions['keep'], string[]]>([
  [{ messages: 6 }, ['u1', 'a1', 'u2', 'a2', 'u3', 'a3', 'now']],
  [{ messages: 4 }, ['u2', 'a2', 'u3', 'a3', 'now']],
  [{ messages: 3 }, ['u3', 'a3', 'now']],
  [{ messages: 1 }, ['now']],
  [{ messages: 0 }, ['now']],
  [{ tokens: 0 }, ['now']],
  [{ tokens: 12 }, ['u3', 'a3', 'now']],
  [{ tokens: 10_000 }, ['u1', 'a1', 'u2', 'a2', 'u3', 'a3', 'now']],
])('with %o shows %j', async (keep, expected) => {
  expect(textsOf(await prompted(talk, { keep } as HistoryWindowOptions))).toEqual(expected)
})

test('uses the context window of the agent by default', async () => {
  const history = Array.from({ length: 40 }, (_, index) => userMessage(`${index} ${'gate '.repeat(50)}`))
  const prompt = await prompted(history, undefined, 2_001)
  expect(prompt.length).toBeGreaterThan(15)
  expect(prompt.length).toBeLessThan(20)
})

test('throws if the context window is unknown', async () => {
  await expect(prompted(talk)).rejects.toMatchObject({
    cause: { code: 'CONFIG_INVALID', message: expect.stringContaining('contextWindow') },
  })
})

test("is the same in all steps, keeps this run's messages and context, and the store keeps everything", async () => {
  const model = new ScriptedModel([toolCall('look'), toolCall('look'), 'Fine.'])
  const context: Processor = {
    id: 'context',
    processInput: ({ messageList }) => messageList.add(userMessage('file'), 'context'),
  }
  let stored: string[] = []
  const store: Processor = {
    id: 'store',
    processOutputResult: ({ messageList }) => {
      stored = messageList.get().map(({ role }) => role)
    },
  }
  const look = tool({ inputSchema: z.object({}), execute: () => 'seen' })
  const processors = [context, new HistoryWindow({ keep: { messages: 2 } }), store]
  await new Agent({ model, tools: { look }, processors }).generate([...talk, userMessage('now')], {
    trusted: true,
  })
  expect(model.calls.map(({ prompt }) => textsOf(prompt))).toEqual(
    Array.from({ length: 3 }, () => ['file', 'u3', 'a3', 'now']),
  )
  expect(model.lastPrompt).toHaveLength(8)
  expect(stored).toHaveLength(9)
})

test('begins at a user message, stays within its limit and keeps calls with results, for any history', async () => {
  const message = fc.oneof(
    fc.integer({ min: 1, max: 40 }).map((length) => userMessage('u '.repeat(length))),
    fc
      .tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 0, max: 3 }))
      .map(([length, calls]) => assistant('a '.repeat(length), calls)),
  )
  const keep = fc.oneof(fc.record({ messages: fc.nat(12) }), fc.record({ tokens: fc.nat(300) }))
  await fc.assert(
    fc.asyncProperty(fc.array(message, { maxLength: 10 }), keep, async (history, keep) => {
      const prompt = await prompted(
        history.map((one) => ({ ...one, id: crypto.randomUUID() })),
        { keep },
      )
      expect(prompt[0]?.role).toBe('user')
      expect(prompt).toPairEveryToolCall()
      expect(textsOf(prompt).at(-1)).toBe('now')
      const texts = textsOf(prompt).slice(0, -1)
      const said = history.flatMap(({ content }) =>
        content.parts.flatMap((part) => ('text' in part ? [part.text] : [])),
      )
      expect(texts).toEqual(texts.length === 0 ? [] : said.slice(-texts.length))
      if ('messages' in keep) expect(texts.length).toBeLessThanOrEqual(keep.messages)
      else expect(await countTokens(texts.join(''))).toBeLessThanOrEqual(keep.tokens)
    }),
    { numRuns: process.env.MILLRACE_THOROUGH === '1' ? 500 : 60 },
  )
})

test.each([{ keep: 5 }, { keep: {} }, { keep: { messages: -1 } }, { keep: { tokens: 1.5 } }, { keep: null }])(
  'throws on %o',
  (options) => {
    expect(() => new HistoryWindow(options as never)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    )
  },
)
