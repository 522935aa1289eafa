import { describe, expect } from 'vitest'
import { z } from 'zod'
import { holds, streams } from '../../../test/providers/loopback-server.ts'
import { providers, test } from '../../../test/providers/providers.ts'
import { Agent } from '../../agent/agent.ts'
import type { Chunk } from '../../results/chunk.ts'

describe.each(providers)('an answer of $name', ({ name, wire, model }) => {
  test('is streamed in the pieces in which it arrives', async ({ server }) => {
    const reply = { responseId: 'reply-1', text: ['Snow', ' in', ' Oslo'] }
    const events = wire.reply(reply)
    const begun = wire.opening({ ...reply, text: ['Snow'] })
    server.answer(holds(begun))
    const stream = new Agent({ model: model(server.url) }).stream('What is the weather?')
    const chunks: Chunk[] = []
    for await (const chunk of stream.fullStream) {
      chunks.push(chunk)
      // The rest exists only once the first piece has been read.
      if (chunk.type === 'text-delta' && chunk.textDelta === 'Snow')
        server.exchanges[0]?.send(events.slice(begun.length)).end()
    }
    const deltas = chunks.flatMap((chunk) => (chunk.type === 'text-delta' ? [chunk.textDelta] : []))
    expect(deltas).toEqual(['Snow', ' in', ' Oslo'])
    expect(chunks.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['start', 'step-start', 'text-start', 'text-end', 'step-finish', 'finish']),
    )
    expect(await stream.result).toMatchObject({ status: 'completed', text: 'Snow in Oslo' })
  })

  test('comes with its usage, finish reason, ids and headers', async ({ server }) => {
    server.answer(
      streams(wire.reply({ responseId: 'reply-1', text: ['Snow'] }), { 'x-request-id': 'request-1' }),
    )
    const result = await new Agent({ model: model(server.url) }).generate('What is the weather?')
    expect(result).toMatchObject({
      status: 'completed',
      text: 'Snow',
      finishReason: 'stop',
      usage: {
        inputTokens: 100,
        outputTokens: 20,
        totalTokens: 120,
        inputTokenDetails: { noCacheTokens: 60, cacheReadTokens: 40 },
        outputTokenDetails: { textTokens: 12, reasoningTokens: 8 },
      },
      warnings: [],
    })
    expect(result.steps).toHaveLength(1)
    expect(result.steps[0]?.response).toMatchObject({
      id: 'reply-1',
      modelId: { openai: 'responses-1', anthropic: 'claude-1' }[name as string] ?? 'chat-1',
      headers: { 'x-request-id': 'request-1' },
    })
    expect(result.steps[0]?.providerMetadata).toBeDefined()
  })

  test('that reaches the output limit has that finish reason, and its calls do not run', async ({
    server,
  }) => {
    const reply = { responseId: 'reply-1', text: ['Let me see'], cutOff: true }
    server.answer(
      streams(wire.reply({ ...reply, calls: [{ id: 'call_1', name: 'look', input: { city: 'Oslo' } }] })),
    )
    let ran = false
    const look = {
      inputSchema: z.object({ city: z.string() }),
      execute: () => {
        ran = true
      },
    }
    const agent = new Agent({ model: model(server.url), tools: { look } })
    const result = await agent.generate('What is the weather?')
    expect(result).toMatchObject({ status: 'completed', text: 'Let me see', finishReason: 'length' })
    expect(result.steps[0]?.toolResults).toMatchObject([{ toolCallId: 'call_1', status: 'error' }])
    expect(ran).toBe(false)
    expect(server.exchanges).toHaveLength(1)
  })

  test("with a schema is requested in the provider's format, parsed and typed", async ({ server }) => {
    const weather = z.object({ city: z.string(), degrees: z.number() })
    server.answer(streams(wire.reply({ responseId: 'reply-1', text: ['{"city":"Os', 'lo","degrees":-3}'] })))
    const { object } = await new Agent({ model: model(server.url) }).generate('What is the weather?', {
      output: weather,
    })
    const degrees: number | undefined = object?.degrees
    expect(degrees).toBe(-3)
    expect(object).toEqual({ city: 'Oslo', degrees: -3 })
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' }, degrees: { type: 'number' } },
      required: ['city', 'degrees'],
      additionalProperties: false,
    }
    const strict = { name: 'response', strict: true, schema }
    const chatFormat = { response_format: { type: 'json_schema', json_schema: strict } }
    expect(server.bodies).toMatchObject([
      {
        openai: { text: { format: { type: 'json_schema', ...strict } } },
        'openai.chat': chatFormat,
        'openai-compatible': chatFormat,
        anthropic: { output_config: { format: { type: 'json_schema', schema } } },
      }[name],
    ])
  })
})
