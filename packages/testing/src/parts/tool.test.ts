import { describe, expect, it } from 'vitest'
import { ScriptedModel, toolCall, toolResult } from '../index.ts'
import { finishOf, generate, hello, partsOf } from '../played-turn.ts'

describe('tool calls', () => {
  it('streams the input before the call', async () => {
    expect(await partsOf(toolCall('weather', { city: 'Oslo' }, { chunkSize: 8 }))).toEqual([
      { type: 'tool-input-start', id: 'call-1', toolName: 'weather' },
      { type: 'tool-input-delta', id: 'call-1', delta: '{"city":' },
      { type: 'tool-input-delta', id: 'call-1', delta: '"Oslo"}' },
      { type: 'tool-input-end', id: 'call-1' },
      { type: 'tool-call', toolCallId: 'call-1', toolName: 'weather', input: '{"city":"Oslo"}' },
    ])
  })

  it('counts ids over all calls of the model', async () => {
    const model = new ScriptedModel([[toolCall('a'), toolCall('b', {}, { id: 'mine' })], toolCall('c')])
    const ids = []
    for (let call = 0; call < 2; call++) {
      const { content } = await model.doGenerate(hello)
      ids.push(...content.map((part) => part.type === 'tool-call' && part.toolCallId))
    }
    expect(ids).toEqual(['call-1', 'mine', 'call-2'])
  })

  it('sends broken JSON, explicit chunks and flags as given', async () => {
    const broken = toolCall('weather', undefined, {
      rawInput: '{"city":',
      chunks: ['{"ci', 'ty":'],
      dynamic: true,
    })
    expect(await partsOf(broken)).toEqual([
      { type: 'tool-input-start', id: 'call-1', toolName: 'weather', dynamic: true },
      { type: 'tool-input-delta', id: 'call-1', delta: '{"ci' },
      { type: 'tool-input-delta', id: 'call-1', delta: 'ty":' },
      { type: 'tool-input-end', id: 'call-1' },
      { type: 'tool-call', toolCallId: 'call-1', toolName: 'weather', input: '{"city":', dynamic: true },
    ])
  })

  it('leaves the input parts out with streamInput: false', async () => {
    const providerMetadata = { acme: { signature: 'abc' } }
    expect(await partsOf(toolCall('now', {}, { streamInput: false, providerMetadata }))).toEqual([
      { type: 'tool-call', toolCallId: 'call-1', toolName: 'now', input: '{}', providerMetadata },
    ])
  })

  it('streams a text input unencoded and ends with it as JSON', async () => {
    expect(await partsOf(toolCall('run', 'print("a")', { inputEncoding: 'text' }))).toEqual([
      { type: 'tool-input-start', id: 'call-1', toolName: 'run', inputEncoding: 'text' },
      { type: 'tool-input-delta', id: 'call-1', delta: 'print("a")' },
      { type: 'tool-input-end', id: 'call-1' },
      { type: 'tool-call', toolCallId: 'call-1', toolName: 'run', input: '"print(\\"a\\")"' },
    ])
  })

  it('rejects input that is not JSON, and chunks that are not the input', () => {
    expect(() => toolCall('a', () => 1)).toThrow(
      "The input of toolCall('a') is not JSON. For broken JSON use { rawInput",
    )
    expect(() => toolCall('a', {}, { chunks: ['{'] })).toThrow(
      "The chunks of toolCall('a'), joined, are not its input",
    )
  })

  it('adds the result of a provider-executed call', async () => {
    const turn = [
      toolCall('search', { q: 'x' }, { providerExecuted: true }),
      toolResult('search', { hits: 0 }, { preliminary: true }),
      toolResult('search', { hits: 2 }),
      toolResult('earlier', 'late', { id: 'call-0', isError: true }),
    ]
    expect((await generate(turn)).content).toEqual([
      {
        type: 'tool-call',
        toolCallId: 'call-1',
        toolName: 'search',
        input: '{"q":"x"}',
        providerExecuted: true,
      },
      {
        type: 'tool-result',
        toolCallId: 'call-1',
        toolName: 'search',
        result: { hits: 0 },
        preliminary: true,
      },
      { type: 'tool-result', toolCallId: 'call-1', toolName: 'search', result: { hits: 2 } },
      { type: 'tool-result', toolCallId: 'call-0', toolName: 'earlier', result: 'late', isError: true },
    ])
    expect(await finishOf(turn)).toMatchObject({ finishReason: { unified: 'stop' } })
  })

  it('rejects a result without a call', () => {
    expect(() => new ScriptedModel(['ok', toolResult('search', 1)])).toThrow(
      "Turn 2 of the script has a toolResult('search') without a call before it.",
    )
  })
})
