import { Agent, type Processor, tool } from '@millrace/core'
import { SecretDetector } from '@millrace/guards/secrets'
import { fail, reasoning, ScriptedModel, text, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { context, trace } from '@opentelemetry/api'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { PIIDetector, type PIIDetectorOptions } from './index.ts'

expect.extend(matchers)

const exporter = new InMemorySpanExporter()

beforeAll(() => {
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
  )
})
afterAll(() => {
  trace.disable()
  context.disable()
})
beforeEach(() => exporter.reset())

/** All that anybody who reads the traces can see. */
function recorded(): unknown[] {
  return exporter.getFinishedSpans().map(({ name, attributes, events, status, links }) => {
    return { name, attributes, events, status, links }
  })
}

/** Where personal data comes from, and how it looks there: no two are alike, so that a leak names its source. */
const said = 'said@example.com'
const remembered = 'remembered@example.com'
const thought = 'thought@example.com'
const argued = 'argued@example.com'
const returned = 'returned@example.com'
const answered = 'answered@example.com'
const everywhere = [said, remembered, thought, argued, returned, answered]
const key = 'k7Qp2vX9sLm4Tz8RbY3w'

const remembers: Processor = {
  id: 'remembers',
  processInput: ({ messageList }) => {
    const [input] = messageList.get('input')
    const content = { parts: [{ type: 'text' as const, text: `Before: ${remembered}` }] }
    messageList.add({ id: 'old', role: 'user', content, createdAt: new Date(0) }, 'remembered')
    if (input) messageList.set([...messageList.get('remembered'), ...messageList.get('input')])
  },
}

interface Scene extends PIIDetectorOptions {
  answer?: string
  question?: string
  chunkSize?: number
}

async function record({ answer = 'Fine.', question = 'Hi', chunkSize = 3, ...options }: Scene) {
  const look = tool({
    inputSchema: z.object({ at: z.string() }),
    execute: ({ at }) => {
      if (at === 'nowhere') throw new Error(`Ask ${returned}`)
      return { found: returned, setting: `api_key = "${key}"` }
    },
  })
  const model = new ScriptedModel([
    [
      reasoning(`Ask ${thought}?`),
      'Let me look.',
      toolCall('look', { at: argued }),
      toolCall('look', { at: 'nowhere' }),
    ],
    [text(answer, { chunkSize })],
    'Again.',
  ])
  const agent = new Agent({
    name: 'a',
    instructions: 'Be brief.',
    model,
    tools: { look },
    processors: [remembers, new PIIDetector(options), new SecretDetector()],
    telemetry: { recordContent: true },
  })
  return agent.generate(question)
}

describe('with recordContent, spans hold of a run what its guards have left', () => {
  test.each([1, 4, 100])('redacted, on every surface, in chunks of %i', async (chunkSize) => {
    const question = `I am ${said}`
    const result = await record({ question, answer: `It is ${answered}.`, chunkSize })
    expect(result).toBeCompleted()
    const spans = recorded()
    for (const value of everywhere) expect(spans).toLeakNothingOf(value)
    expect(spans).toLeakNothingOf(key)
    // The rest is there: this is no test of spans without content.
    for (const left of ['Before: ***@***.***', 'I am ***@***.***', 'It is ***@***.***.', 'Be brief.']) {
      expect(JSON.stringify(spans)).toContain(left)
    }
    expect(JSON.stringify(spans)).toContain('[REDACTED]')
  })

  test('nothing of an input that was blocked', async () => {
    const result = await record({ strategy: 'block', question: `I am ${said}` })
    expect(result).toMatchObject({ status: 'tripwire', rejection: { hook: 'processInput' } })
    const spans = recorded()
    expect(JSON.stringify(spans)).toContain('processInput pii-detector')
    for (const value of everywhere) expect(spans).toLeakNothingOf(value)
  })

  test('nothing of a step whose tool input was blocked, nor of a remembered message that was left out', async () => {
    const result = await record({ strategy: 'block' })
    expect(result.status).toBe('tripwire')
    const spans = recorded()
    for (const value of everywhere) expect(spans).toLeakNothingOf(value)
  })

  test.each([1, 4, 100])('nothing of an answer that was blocked, in chunks of %i', async (chunkSize) => {
    const surfaces = ['input', 'history', 'answer'] as const
    const answer = `Before it. It is ${answered}.`
    const result = await record({ strategy: 'block', surfaces, answer, chunkSize })
    expect(result).toMatchObject({ status: 'tripwire', rejection: { hook: 'processOutputStream' } })
    const spans = recorded()
    for (const value of [answered, remembered, 'Before it']) expect(spans).toLeakNothingOf(value)
  })
})

describe('nothing of what was taken back', () => {
  test('of an attempt that another processor has run again, or of a model call that broke off', async () => {
    let attempts = 0
    const again: Processor = {
      id: 'again',
      processOutputStep: ({ abort }) => {
        if (++attempts === 1) abort('Say less.', { retry: true })
      },
      processModelError: () => ({ retry: true }),
    }
    const model = new ScriptedModel([
      [text(`Half of ${answered}`), fail(new Error(`broken by ${thought}`))],
      `Wrong: ${answered}`,
      'Right.',
    ])
    const processors = [new PIIDetector(), again]
    const agent = new Agent({ name: 'a', model, processors, telemetry: { recordContent: true } })
    expect(await agent.generate('Hi', { modelSettings: { maxRetries: 0 } })).toHaveText('Right.')
    const spans = recorded()
    for (const value of [answered, thought, 'Half of', 'Wrong:']) expect(spans).toLeakNothingOf(value)
  })

  test('of a run that fails after its guards', async () => {
    const breaks: Processor = {
      id: 'breaks',
      processOutputResult: ({ messages }) => {
        throw new Error(JSON.stringify(messages))
      },
    }
    const model = new ScriptedModel([`It is ${answered}.`])
    const processors = [new PIIDetector({ surfaces: ['answer'] }), breaks]
    const agent = new Agent({ name: 'a', model, processors, telemetry: { recordContent: true } })
    await expect(agent.generate('Hi')).rejects.toMatchObject({ code: 'PROCESSOR_FAILED' })
    expect(recorded()).toLeakNothingOf(answered)
  })
})
