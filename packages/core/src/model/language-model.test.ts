import { createOpenAI } from '@ai-sdk/openai'
import type { LanguageModelV2, LanguageModelV3, LanguageModelV4 } from '@ai-sdk/provider'
import { afterEach, beforeEach, describe, expect } from 'vitest'
import { z } from 'zod'
import { streams } from '../../test/providers/loopback-server.ts'
import { openaiResponsesWire } from '../../test/providers/openai-responses-wire.ts'
import { test } from '../../test/providers/providers.ts'
import { Agent } from '../agent/agent.ts'
import { tool } from '../tools/tool.ts'
import type { LanguageModel } from './language-model.ts'

const settings = globalThis as { AI_SDK_DEFAULT_PROVIDER?: unknown; AI_SDK_LOG_WARNINGS?: unknown }
const before = { ...settings }

beforeEach(() => {
  // The AI SDK warns of V2 models on the console.
  settings.AI_SDK_LOG_WARNINGS = false
})

afterEach(() => {
  settings.AI_SDK_DEFAULT_PROVIDER = before.AI_SDK_DEFAULT_PROVIDER
  settings.AI_SDK_LOG_WARNINGS = before.AI_SDK_LOG_WARNINGS
})

describe('a model id', () => {
  test('is resolved by the default provider', async ({ server }) => {
    server.answer(streams(openaiResponsesWire.reply({ responseId: 'reply-1', text: ['Hello'] })))
    settings.AI_SDK_DEFAULT_PROVIDER = createOpenAI({ baseURL: server.url, apiKey: 'test' })
    const result = await new Agent({ model: 'gpt-5-mini' }).generate('Hi')
    expect(result).toMatchObject({ status: 'completed', text: 'Hello' })
    expect(server.bodies).toMatchObject([{ model: 'gpt-5-mini' }])
  })

  test('is resolved to a V2 model as well', async () => {
    settings.AI_SDK_DEFAULT_PROVIDER = { languageModel: () => v2Model() }
    const result = await new Agent({ model: 'old/one', tools }).generate('Hi')
    expect(result).toMatchObject({ status: 'completed', text: 'It is 7.' })
  })

  test('that is unknown is an error', async () => {
    const cause = new Error('No such model')
    settings.AI_SDK_DEFAULT_PROVIDER = {
      languageModel() {
        throw cause
      },
    }
    await expect(new Agent({ model: 'no/model' }).generate('Hi')).rejects.toMatchObject({
      code: 'MODEL_UNRESOLVED',
      message: expect.stringContaining("'no/model'"),
      cause,
    })
  })
})

test.for([
  { what: 'null', model: null },
  { what: 'an object of another kind', model: { modelId: 'mine' } },
  { what: 'a model of an unknown specification', model: { specificationVersion: 'v1' } },
])('$what is refused with what would do', async ({ model }) => {
  const agent = new Agent({ model: model as unknown as LanguageModel })
  await expect(agent.generate('Hi')).rejects.toMatchObject({
    code: 'MODEL_UNRESOLVED',
    message: expect.stringContaining('specification v2, v3 or v4'),
  })
})

test('refuses an agent without a model at construction', () => {
  expect(() => new Agent({} as never)).toThrow("Agent needs a value for 'model'")
  expect(() => new Agent({ model: undefined as never })).toThrow("Agent needs a value for 'model'")
})

const tools = {
  add: tool({
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    execute: ({ a, b }) => a + b,
  }),
}

describe.each([
  { version: 'V2', model: v2Model },
  { version: 'V3', model: v3Model },
])('a $version model', ({ model }) => {
  test('streams text, calls tools and reports its usage', async () => {
    const prompts: unknown[] = []
    const result = await new Agent({ model: model(prompts), tools }).generate('What is 3 + 4?')
    expect(result).toMatchObject({
      status: 'completed',
      text: 'It is 7.',
      finishReason: 'stop',
      usage: { inputTokens: 20, outputTokens: 10, totalTokens: 30 },
    })
    expect(result.steps.map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'stop'])
    expect(result.steps[0]?.toolResults).toMatchObject([{ toolCallId: 'call_1', output: 7 }])
    expect(prompts[1]).toMatchObject([
      { role: 'user', content: [{ type: 'text', text: 'What is 3 + 4?' }] },
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'call_1', input: { a: 3, b: 4 } }] },
      {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: 'call_1', output: { type: 'json', value: 7 } }],
      },
    ])
  })
})

test('a V4 model whose stream never starts is cancelled with the run, though it ignores the signal', async () => {
  const controller = new AbortController()
  let cancelled: (reason: unknown) => void = () => {}
  const cancellation = new Promise((resolve) => {
    cancelled = resolve
  })
  const model: LanguageModelV4 = {
    ...identity,
    specificationVersion: 'v4',
    doGenerate: unused,
    doStream: async () => ({
      stream: new ReadableStream({ pull: () => controller.abort('enough'), cancel: cancelled }),
    }),
  }
  const result = await new Agent({ model }).generate('Hi', { abortSignal: controller.signal })
  expect(result).toMatchObject({ status: 'aborted', abortReason: 'enough' })
  expect(await cancellation).toBe('enough')
})

const identity = { provider: 'acme', modelId: 'acme-1', supportedUrls: {} }

async function unused(): Promise<never> {
  throw new Error('The agent streams.')
}

function v2Model(prompts: unknown[] = []): LanguageModelV2 {
  const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 }
  return {
    ...identity,
    specificationVersion: 'v2',
    doGenerate: unused,
    async doStream({ prompt }) {
      prompts.push(prompt)
      return {
        stream: ReadableStream.from([
          { type: 'stream-start' as const, warnings: [] },
          ...content(prompt),
          { type: 'finish' as const, finishReason: answered(prompt) ? 'stop' : 'tool-calls', usage } as const,
        ]),
      }
    },
  }
}

function v3Model(prompts: unknown[] = []): LanguageModelV3 {
  const usage = {
    inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: 5, text: 5, reasoning: undefined },
  }
  return {
    ...identity,
    specificationVersion: 'v3',
    doGenerate: unused,
    async doStream({ prompt }) {
      prompts.push(prompt)
      const unified = answered(prompt) ? ('stop' as const) : ('tool-calls' as const)
      return {
        stream: ReadableStream.from([
          { type: 'stream-start' as const, warnings: [] },
          ...content(prompt),
          { type: 'finish' as const, finishReason: { unified, raw: undefined }, usage },
        ]),
      }
    },
  }
}

/** A call first, then an answer: the same parts in V2 and V3. */
function content(prompt: readonly { role: string }[]) {
  if (answered(prompt)) {
    return [
      { type: 'text-start' as const, id: '1' },
      { type: 'text-delta' as const, id: '1', delta: 'It is ' },
      { type: 'text-delta' as const, id: '1', delta: '7.' },
      { type: 'text-end' as const, id: '1' },
    ]
  }
  return [{ type: 'tool-call' as const, toolCallId: 'call_1', toolName: 'add', input: '{"a":3,"b":4}' }]
}

function answered(prompt: readonly { role: string }[]): boolean {
  return prompt.at(-1)?.role === 'tool'
}
