import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { Agent, type Message, tool } from '@millrace/core'
import { tokens } from '@millrace/testing'
import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { z } from 'zod'
import { ARGUMENTS, after, hostileOutput, IDS, NAMES } from './hostile-outputs.ts'
import type { LoopbackServer } from './loopback-server.ts'
import { test } from './providers.ts'
import { sdkBodies } from './sdk-bodies.ts'
import { strictProviders } from './strict-providers.ts'

const look = tool({ inputSchema: z.object({ q: z.string() }), execute: ({ q }) => `It is in ${q}.` })

type Name = keyof typeof sdkBodies

describe.each([
  ['openai', 'gpt-5-mini'],
  ['openai.chat', 'gpt-4.1-mini'],
  ['anthropic', 'claude-sonnet-4-6'],
  ['google', 'gemini-2.5-flash'],
  ['google', 'gemini-3-pro'],
] as const)('%s, %s', (name, modelId) => {
  test.for(Object.keys(ARGUMENTS))(
    'is called again after arguments that are %s',
    async (what, { server }) => {
      const input = ARGUMENTS[what] as string
      const call = { type: 'tool-call', toolCallId: 'call_1', toolName: 'look', input } as const
      await converse({ name, modelId, server }, [call, finish])
    },
  )

  test.for(Object.keys(IDS))('is called again after two calls whose id is %s', async (what, { server }) => {
    const toolCallId = IDS[what] as string
    const call = { type: 'tool-call', toolCallId, toolName: 'look', input: '{"q":"Oslo"}' } as const
    await converse({ name, modelId, server }, [call, call, finish])
  })

  test.for(Object.keys(NAMES))('is called again after a call whose name is %s', async (what, { server }) => {
    const toolName = NAMES[what] as string
    const call = { type: 'tool-call', toolCallId: 'call_1', toolName, input: '{"q":"Oslo"}' } as const
    await converse({ name, modelId, server }, [call, finish])
  })

  test('calls the provider again after any output of the model', async ({ server }) => {
    const property = fc.asyncProperty(hostileOutput, (output) => converse({ name, modelId, server }, output))
    await fc.assert(property, { numRuns: process.env.MILLRACE_THOROUGH === '1' ? 5_000 : 150 })
  })
})

const finish: LanguageModelV4StreamPart = {
  type: 'finish',
  finishReason: { unified: 'tool-calls', raw: 'tool_use' },
  usage: tokens(),
}

/** Two turns with a model whose first response is given. Every request fits the types of the provider's client. */
async function converse(
  { name, modelId, server }: { name: Name; modelId: string; server: LoopbackServer },
  output: readonly LanguageModelV4StreamPart[],
): Promise<void> {
  const { model, answer } = strictProviders[name]
  const real = model(server.url, modelId)
  const seen = server.bodies.length
  server.answer(answer, answer)
  const first = await new Agent({ model: after(output, real), tools: { look } }).generate('Hi')
  const next: Message = {
    id: 'next',
    role: 'user',
    content: { parts: [{ type: 'text', text: 'And?' }] },
    createdAt: new Date(0),
  }
  const stored = (JSON.parse(JSON.stringify(first.messages)) as Message[]).map((message) => ({
    ...message,
    createdAt: new Date(0),
  }))
  const second = await new Agent({ model: real, tools: { look } }).generate([...stored, next], {
    trusted: true,
  })
  expect(second).toMatchObject({ status: 'completed', text: 'Hello' })
  const bodies = server.bodies.slice(seen)
  expect(bodies.length).toBeGreaterThan(0)
  for (const body of bodies) expect(sdkBodies[name].safeParse(body).error?.message).toBeUndefined()
}
