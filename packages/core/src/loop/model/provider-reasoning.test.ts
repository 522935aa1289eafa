import { describe, expect } from 'vitest'
import { z } from 'zod'
import { type LoopbackServer, streams } from '../../../test/providers/loopback-server.ts'
import { type Provider, providers, test } from '../../../test/providers/providers.ts'
import { transcriptOf } from '../../../test/providers/wire.ts'
import { Agent } from '../../agent/agent.ts'
import type { RunOptions } from '../../agent/agent-options.ts'
import { tool } from '../../tools/tool.ts'

const weather = tool({ inputSchema: z.object({ city: z.string() }), execute: () => 'Snow' })
const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }

describe('reasoning before a tool call is sent back', () => {
  test('to OpenAI by reference, as its text', async ({ server }) => {
    expect(await secondTranscript(server, 'openai')).toMatchObject([
      { role: 'user' },
      { type: 'item_reference', id: 'rs_seal-1' },
      { type: 'item_reference', id: 'msg_1' },
      { type: 'function_call', call_id: 'call_1' },
      { type: 'function_call_output', call_id: 'call_1' },
    ])
  })

  test('to OpenAI encrypted, if it stores nothing', async ({ server }) => {
    const options = { providerOptions: { openai: { store: false } } }
    expect(await secondTranscript(server, 'openai', { options })).toMatchObject([
      { role: 'user' },
      {
        type: 'reasoning',
        encrypted_content: 'seal-1',
        summary: [{ type: 'summary_text', text: 'I need the weather.' }],
      },
      { role: 'assistant', content: 'One moment.' },
      { type: 'function_call', call_id: 'call_1' },
      { type: 'function_call_output', call_id: 'call_1' },
    ])
  })

  test('to compatible servers as text', async ({ server }) => {
    expect(await secondTranscript(server, 'openai-compatible')).toMatchObject([
      { role: 'user' },
      { content: 'One moment.', reasoning_content: 'I need the weather.', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1' },
    ])
  })

  // Without its signature Anthropic refuses what it thought; some models show none of the text.
  test.for(['I need the weather.', ''])('to Anthropic with its signature: %j', async (text, { server }) => {
    expect(await secondTranscript(server, 'anthropic', { text })).toMatchObject([
      { role: 'user' },
      {
        content: [
          { type: 'thinking', thinking: text, signature: 'seal-1' },
          { type: 'text', text: 'One moment.' },
          { type: 'tool_use', id: 'call_1' },
        ],
      },
      { content: [{ type: 'tool_result', tool_use_id: 'call_1' }] },
    ])
  })
})

/** The conversation in the second request, after a reply that reasoned, spoke and called a tool. */
async function secondTranscript(
  server: LoopbackServer,
  name: Provider['name'],
  { text = 'I need the weather.', options = {} }: { text?: string; options?: RunOptions } = {},
): Promise<object[]> {
  const { wire, model } = providers.find((provider) => provider.name === name) as Provider
  const calls = [{ id: 'call_1', name: 'weather', input: { city: 'Oslo' } }]
  const reasoning = { text, seal: 'seal-1' }
  server.answer(
    streams(wire.reply({ responseId: 'reply-1', reasoning, text: ['One moment.'], calls })),
    streams(wire.reply({ responseId: 'reply-2', text: ['Cold.'] })),
  )
  const agent = new Agent({ model: model(server.url), tools: { weather } })
  const { steps } = await agent.generate('How cold is Oslo?', options)
  expect(steps[0]?.reasoningText).toBe(text)
  expect(server.exchanges).toHaveLength(2)
  return transcriptOf(server.bodies[1])
}
