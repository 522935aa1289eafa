import { describe, expect } from 'vitest'
import { z } from 'zod'
import { streams } from '../../../test/providers/loopback-server.ts'
import { type Provider, providers, test } from '../../../test/providers/providers.ts'
import { type Call, transcriptOf } from '../../../test/providers/wire.ts'
import { Agent } from '../../agent/agent.ts'
import { tool } from '../../tools/tool.ts'

const oslo: Call = { id: 'call_1', name: 'weather', input: { city: 'Oslo' } }
const rome: Call = { id: 'call_2', name: 'weather', input: { city: 'Rome' } }
const compare: Call = { id: 'call_3', name: 'compare', input: { degrees: [-3, 21] } }

const tools = {
  weather: tool({
    description: 'The weather in a city',
    inputSchema: z.object({ city: z.string() }),
    execute: ({ city }) => ({ degrees: city === 'Oslo' ? -3 : 21 }),
  }),
  compare: tool({
    description: 'The difference',
    inputSchema: z.object({ degrees: z.array(z.number()) }),
    execute: ({ degrees: [a = 0, b = 0] }) => `${b - a} degrees`,
  }),
}

/** Two steps with calls, as the third request repeats them. */
const transcripts: Record<Provider['name'], object[]> = {
  openai: [
    { role: 'user', content: [{ type: 'input_text', text: 'Compare Oslo and Rome.' }] },
    { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{"city":"Oslo"}' },
    { type: 'function_call', call_id: 'call_2', name: 'weather', arguments: '{"city":"Rome"}' },
    { type: 'function_call_output', call_id: 'call_1', output: '{"degrees":-3}' },
    { type: 'function_call_output', call_id: 'call_2', output: '{"degrees":21}' },
    { type: 'function_call', call_id: 'call_3', name: 'compare', arguments: '{"degrees":[-3,21]}' },
    { type: 'function_call_output', call_id: 'call_3', output: '24 degrees' },
  ],
  'openai.chat': chatTranscript(),
  'openai-compatible': chatTranscript(),
  anthropic: [
    { role: 'user', content: [{ type: 'text', text: 'Compare Oslo and Rome.' }] },
    {
      role: 'assistant',
      content: [
        { type: 'tool_use', id: 'call_1', name: 'weather', input: { city: 'Oslo' } },
        { type: 'tool_use', id: 'call_2', name: 'weather', input: { city: 'Rome' } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'call_1', content: '{"degrees":-3}' },
        { type: 'tool_result', tool_use_id: 'call_2', content: '{"degrees":21}' },
      ],
    },
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'call_3', name: 'compare', input: { degrees: [-3, 21] } }],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_3', content: '24 degrees' }] },
  ],
}

function chatTranscript(): object[] {
  const call = ({ id, name, input }: Call): object => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  })
  return [
    { role: 'user', content: 'Compare Oslo and Rome.' },
    { role: 'assistant', content: null, tool_calls: [call(oslo), call(rome)] },
    { role: 'tool', tool_call_id: 'call_1', content: '{"degrees":-3}' },
    { role: 'tool', tool_call_id: 'call_2', content: '{"degrees":21}' },
    { role: 'assistant', content: null, tool_calls: [call(compare)] },
    { role: 'tool', tool_call_id: 'call_3', content: '24 degrees' },
  ]
}

describe.each(providers)('tool calls of $name', ({ name, wire, model }) => {
  test('are sent back over two steps, each with exactly its result', async ({ server }) => {
    server.answer(
      streams(wire.reply({ responseId: 'reply-1', calls: [oslo, rome] })),
      streams(wire.reply({ responseId: 'reply-2', calls: [compare] })),
      streams(wire.reply({ responseId: 'reply-3', text: ['Rome is warmer.'] })),
    )
    const agent = new Agent({ model: model(server.url), tools })
    const result = await agent.generate('Compare Oslo and Rome.')

    expect(result).toMatchObject({ status: 'completed', text: 'Rome is warmer.', finishReason: 'stop' })
    expect(result.steps.map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'tool-calls', 'stop'])
    expect(result.steps.map(({ toolResults }) => toolResults)).toMatchObject([
      [
        { toolCallId: 'call_1', output: { degrees: -3 } },
        { toolCallId: 'call_2', output: { degrees: 21 } },
      ],
      [{ toolCallId: 'call_3', output: '24 degrees' }],
      [],
    ])

    const [first, second, third] = server.bodies.map(transcriptOf)
    expect(server.exchanges).toHaveLength(3)
    expect(first).toEqual(transcripts[name].slice(0, 1))
    // All but the call of the second step and its result.
    expect(second).toEqual(transcripts[name].slice(0, -2))
    expect(third).toEqual(transcripts[name])
  })

  test('add up the usage of all steps', async ({ server }) => {
    server.answer(
      streams(wire.reply({ responseId: 'reply-1', calls: [oslo] })),
      streams(wire.reply({ responseId: 'reply-2', text: ['Cold.'] })),
    )
    const { usage } = await new Agent({ model: model(server.url), tools }).generate('How cold is Oslo?')
    expect(usage).toMatchObject({
      inputTokens: 200,
      outputTokens: 40,
      totalTokens: 240,
      inputTokenDetails: { noCacheTokens: 120, cacheReadTokens: 80 },
      outputTokenDetails: { textTokens: 24, reasoningTokens: 16 },
    })
  })

  test('get unique ids if a server numbers them again in every response', async ({ server }) => {
    server.answer(
      streams(wire.reply({ responseId: 'reply-1', calls: [oslo] })),
      streams(wire.reply({ responseId: 'reply-2', calls: [{ ...rome, id: oslo.id }] })),
      streams(wire.reply({ responseId: 'reply-3', text: ['Done.'] })),
    )
    const { steps } = await new Agent({ model: model(server.url), tools }).generate('Look.')
    expect(steps.map(({ toolResults }) => toolResults)).toMatchObject([
      [{ toolCallId: 'call_1', output: { degrees: -3 } }],
      [{ toolCallId: 'call_1-2', output: { degrees: 21 } }],
      [],
    ])
    const ids = JSON.stringify(transcriptOf(server.bodies[2])).match(/call_1(-2)?(?=")/g)
    expect(ids).toEqual(['call_1', 'call_1', 'call_1-2', 'call_1-2'])
  })

  test('are streamed with their input, and without arguments become an empty object', async ({ server }) => {
    server.answer(
      streams(wire.reply({ responseId: 'reply-1', calls: [{ ...oslo, input: {} }] })),
      streams(wire.reply({ responseId: 'reply-2', text: ['Done.'] })),
    )
    const inputs: unknown[] = []
    const weather = {
      inputSchema: z.object({}),
      execute: (input: unknown) => {
        inputs.push(input)
        return 'ok'
      },
    }
    const stream = new Agent({ model: model(server.url), tools: { weather } }).stream('Look.')
    let streamed = ''
    for await (const chunk of stream.fullStream)
      if (chunk.type === 'tool-input-delta') streamed += chunk.inputTextDelta
    expect(streamed).toBe('{}')
    expect(inputs).toEqual([{}])
  })
})
