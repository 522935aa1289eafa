import { Agent, type Message, type Processor, tool } from '@millrace/core'
import { PIIDetector } from '@millrace/pii'
import { collect, gate, hang, refuse, ScriptedModel, text, toolCall } from '@millrace/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { LargeMessageSummarizer, type LargeMessageSummarizerOptions } from './large-message-summarizer.ts'

const LONG = 'The miller opens the gate. '.repeat(50)

/** Like a memory, keeps the messages as they are at its position. */
function storing(): Processor & { saved: Message[] } {
  const saved: Message[] = []
  return {
    id: 'storing',
    saved,
    processOutputResult({ messages }) {
      saved.push(...structuredClone(messages))
    },
  }
}

async function run(answer: unknown, options: number | LargeMessageSummarizerOptions = 500) {
  const memory = storing()
  const agent = new Agent({
    model: new ScriptedModel([answer as string]),
    outputProcessors: [new LargeMessageSummarizer(options), memory],
  })
  const result = await agent.generate('Write an essay')
  return { result, saved: memory.saved }
}

const summaryModel = (summary: string) =>
  new ScriptedModel([JSON.stringify({ text: summary })], { repeat: 'last' })

describe('without a model', () => {
  test('cuts a long answer before it is stored, and records its original length', async () => {
    const { result, saved } = await run(LONG)
    const expected = `${LONG.slice(0, 500)}... [summarized]`
    expect(saved[0]?.content.parts.at(-1)).toMatchObject({ type: 'text', text: expected })
    expect(saved[0]?.content.metadata).toEqual({ summarized: true, originalLength: LONG.length })
    expect(result.text).toBe(expected)
  })

  test('does not change short messages', async () => {
    const { result } = await run('x'.repeat(500))
    expect(result.text).toBe('x'.repeat(500))
    expect(result.messages[0]?.content.metadata).toBeUndefined()
  })

  test('does not cut a message again', async () => {
    const agent = new Agent({
      model: new ScriptedModel([LONG]),
      processors: [
        new LargeMessageSummarizer(100),
        new LargeMessageSummarizer({ id: 'again', maxLength: 100 }),
      ],
    })
    const { text, messages } = await agent.generate('Hello')
    expect(text).toBe(`${LONG.slice(0, 100)}... [summarized]`)
    expect(messages[0]?.content.metadata?.originalLength).toBe(LONG.length)
  })

  test('keeps tool calls, and does not cut surrogate pairs', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }), {
          minLength: 2,
          maxLength: 4,
        }),
        fc.integer({ min: 1, max: 40 }),
        async (texts, maxLength) => {
          const last = texts.at(-1) as string
          const turns = [...texts.slice(0, -1).map((words) => [words, toolCall('look')]), last]
          const tools = { look: tool({ inputSchema: z.object({}), execute: () => 'seen' }) }
          const agent = new Agent({
            model: new ScriptedModel(turns as never),
            tools,
            processors: [new LargeMessageSummarizer(maxLength)],
          })
          const { messages, steps } = await agent.generate('Hello')
          const parts = messages.flatMap(({ content }) => content.parts)
          expect(parts.filter(({ type }) => type === 'tool-look')).toHaveLength(texts.length - 1)
          expect(steps).toHaveLength(texts.length)
          const left = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
          const whole = texts.join('')
          expect(left.isWellFormed()).toBe(true)
          if (whole.length <= maxLength) expect(left).toBe(whole)
          else {
            expect(left.endsWith('... [summarized]')).toBe(true)
            expect(whole.startsWith(left.slice(0, -'... [summarized]'.length))).toBe(true)
          }
        },
      ),
    )
  })

  test('does not change structured answers', async () => {
    const agent = new Agent({
      model: new ScriptedModel([JSON.stringify({ essay: LONG })]),
      processors: [new LargeMessageSummarizer(100)],
    })
    const { object } = await agent.generate('Hello', { output: z.object({ essay: z.string() }) })
    expect(object).toEqual({ essay: LONG })
  })

  test('shortens this turn’s input with surfaces: input', async () => {
    const model = new ScriptedModel(['Fine.'])
    const agent = new Agent({
      model,
      processors: [new LargeMessageSummarizer({ maxLength: 30, surfaces: ['input'] })],
    })
    await agent.generate(LONG)
    expect(model.lastPrompt[0]?.content).toEqual([
      expect.objectContaining({ text: `${LONG.slice(0, 30)}... [summarized]` }),
    ])
  })

  test('runs after redaction if it is listed after it', async () => {
    const agent = new Agent({
      model: new ScriptedModel([`Write to john@example.com. ${LONG}`]),
      outputProcessors: [new PIIDetector(), new LargeMessageSummarizer(150)],
    })
    const { text: answer } = await agent.generate('Hello')
    expect(answer).toContain('***@***.***')
    expect(answer).not.toContain('john')
  })
})

describe('with a model', () => {
  test('replaces the text by the summary, and reports the cost', async () => {
    const events: unknown[] = []
    const model = summaryModel('A gate is opened, often.')
    const { result } = await run(LONG, { maxLength: 500, model, onSummary: (event) => events.push(event) })
    expect(result.text).toBe('A gate is opened, often.')
    expect(result.messages[0]?.content.metadata).toEqual({ summarized: true, originalLength: LONG.length })
    expect(events).toEqual([
      {
        processorId: 'large-message-summarizer',
        messageId: result.messages[0]?.id,
        how: 'summarized',
        originalLength: LONG.length,
        length: 24,
        inputTokens: 10,
        outputTokens: 5,
      },
    ])
    expect(result.processors[0]?.modelUsage).toMatchObject([{ calls: 1 }])
    expect(model.lastPrompt.at(-1)?.content).toEqual([
      expect.objectContaining({ text: JSON.stringify(LONG) }),
    ])
  })

  test('cuts a summary that exceeds the limit', async () => {
    const { result } = await run(LONG, { maxLength: 10, model: summaryModel('A summary that is too long') })
    expect(result.text).toBe('A summary ')
  })

  test.each([
    ['fails', refuse(new Error('down'))],
    ['answers nonsense', text('no JSON')],
    ['answers nothing', text('{"text":" "}')],
  ])('cuts the text if the model %s', async (_, turn) => {
    const { result } = await run(LONG, { maxLength: 20, model: new ScriptedModel([turn]) })
    expect(result.text).toBe(`${LONG.slice(0, 20)}... [summarized]`)
  })

  test('follows onFailure if the model fails', async () => {
    const model = () => new ScriptedModel([refuse(new Error('down'))])
    const kept = await run(LONG, { maxLength: 20, model: model(), onFailure: 'keep' })
    expect(kept.result.text).toBe(LONG)
    expect(kept.saved[0]?.content.metadata).toBeUndefined()
    await expect(run(LONG, { maxLength: 20, model: model(), onFailure: 'fail' })).rejects.toMatchObject({
      code: 'PROCESSOR_FAILED',
    })
  })

  test('cuts the text at the timeout', async () => {
    const { result } = await run(LONG, { maxLength: 20, model: new ScriptedModel([hang()]), timeoutMs: 5 })
    expect(result.text).toBe(`${LONG.slice(0, 20)}... [summarized]`)
  })

  test('aborts with the run', async () => {
    const controller = new AbortController()
    const waiting = gate()
    const model = new ScriptedModel([[waiting, 'x']])
    const agent = new Agent({
      model: new ScriptedModel([LONG]),
      processors: [new LargeMessageSummarizer({ model, maxLength: 20 })],
    })
    const stream = agent.stream('Hello', { abortSignal: controller.signal })
    const chunks = collect(stream.fullStream)
    await waiting.reached
    controller.abort()
    await chunks
    expect((await stream.result).status).toBe('aborted')
    expect(await model.lastStream.settled).toBe('aborted')
  })

  test('serves many concurrent runs, each with its own summary', async () => {
    const model = new ScriptedModel(({ prompt }) => {
      const words = JSON.stringify(prompt.at(-1)?.content)
      return JSON.stringify({ text: /number \d+/.exec(words)?.[0] })
    })
    const processor = new LargeMessageSummarizer({ maxLength: 100, model })
    const texts = await Promise.all(
      Array.from({ length: 30 }, async (_, index) => {
        const agent = new Agent({
          model: new ScriptedModel([`number ${index} ${LONG}`]),
          processors: [processor],
        })
        return (await agent.generate('Hello')).text
      }),
    )
    expect(texts).toEqual(Array.from({ length: 30 }, (_, index) => `number ${index}`))
  })
})

test.each([
  0,
  -1,
  1.5,
  { maxLength: Number.NaN },
  { onFailure: 'x' },
  { surfaces: [] },
  { timeoutMs: 0, model: 'm' },
])('rejects %o', (options) => {
  expect(() => new LargeMessageSummarizer(options as never)).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID' }),
  )
})
