import type { LanguageModelV4Middleware } from '@ai-sdk/provider'
import { Agent, tool } from '@millrace/core'
import { fail, ScriptedModel, text, toolCall } from '@millrace/testing'
import { defaultSettingsMiddleware, extractReasoningMiddleware, simulateStreamingMiddleware } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { modelMiddleware } from './model-middleware.ts'

const v4 = { specificationVersion: 'v4' } as const

describe("the AI SDK's own middleware", () => {
  test('changes the request', async () => {
    const model = new ScriptedModel(['Hello.'])
    const settings = defaultSettingsMiddleware({ settings: { temperature: 0.3 } })
    await new Agent({ model, processors: [modelMiddleware(settings)] }).generate('Hi')
    expect(model.lastCall.temperature).toBe(0.3)
  })

  test('extracts reasoning from text', async () => {
    const model = new ScriptedModel([text(['<think>Hm', '.</think>Hello.'])])
    const processors = [modelMiddleware(extractReasoningMiddleware({ tagName: 'think' }))]
    const result = await new Agent({ model, processors }).generate('Hi')
    expect(result).toMatchObject({ text: 'Hello.', reasoningText: 'Hm.' })
  })

  test('streams complete answers', async () => {
    const model = new ScriptedModel([[toolCall('add', { a: 1 })], 'Done.'])
    const add = tool({ inputSchema: z.object({ a: z.number() }), execute: ({ a }) => a + 1 })
    const agent = new Agent({
      model,
      tools: { add },
      processors: [modelMiddleware(simulateStreamingMiddleware())],
    })
    const result = await agent.generate('Hi')
    expect(result.text).toBe('Done.')
    expect(result.steps[0]?.toolResults).toMatchObject([{ output: 2 }])
    expect(result.usage.inputTokens).toBe(20)
  })
})

describe('a middleware', () => {
  test('with only wrapGenerate receives complete answers', async () => {
    const middleware: LanguageModelV4Middleware = {
      ...v4,
      async wrapGenerate({ doGenerate }) {
        const result = await doGenerate()
        const content = result.content.map((part) =>
          part.type === 'text' ? { ...part, text: part.text.toUpperCase() } : part,
        )
        return { ...result, content }
      },
    }
    const result = await new Agent({
      model: new ScriptedModel(['Hello.']),
      processors: [modelMiddleware(middleware)],
    }).generate('Hi')
    expect(result.text).toBe('HELLO.')
  })

  test('that throws fails the run without output', async () => {
    for (const hook of ['transformParams', 'wrapStream', 'wrapGenerate'] as const) {
      const model = new ScriptedModel(['secret'])
      const middleware = {
        ...v4,
        [hook]: () => {
          throw new Error('broken')
        },
      }
      const agent = new Agent({ model, processors: [modelMiddleware(middleware)] })
      await expect(agent.generate('Hi'), hook).rejects.toThrow()
      expect(model.callCount).toBe(0)
    }
  })

  test('wraps the processors after it, and cannot catch their signals', async () => {
    const catches: LanguageModelV4Middleware = {
      ...v4,
      async wrapStream({ doStream }) {
        const { stream } = await doStream()
        const reader = stream.getReader()
        return {
          stream: new ReadableStream({
            async pull(controller) {
              const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }))
              if (done || value === undefined) controller.close()
              else controller.enqueue(value)
            },
          }),
        }
      },
    }
    const stops = {
      id: 'stops',
      wrapModelCall: ({ abort }: { abort: (reason: string) => never }) => abort('No.'),
    }
    const agent = new Agent({
      model: new ScriptedModel(['x']),
      processors: [modelMiddleware(catches), stops],
    })
    expect(await agent.generate('Hi')).toMatchObject({ status: 'tripwire', rejection: { reason: 'No.' } })
  })

  test('keeps provider errors as they are', async () => {
    const model = new ScriptedModel([fail('down')])
    const agent = new Agent({
      model,
      processors: [modelMiddleware({ ...v4, wrapStream: ({ doStream }) => doStream() })],
    })
    await expect(agent.generate('Hi')).rejects.toMatchObject({ code: expect.stringMatching(/^MODEL_/) })
  })

  test('without a hook, or with an override, is rejected', () => {
    expect(() => modelMiddleware(v4)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }))
    expect(() =>
      modelMiddleware({ ...v4, wrapStream: ({ doStream }) => doStream(), overrideModelId: () => 'x' }),
    ).toThrow(/overrideModelId/)
  })
})
