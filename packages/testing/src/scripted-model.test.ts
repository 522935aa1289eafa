import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { describe, expect, it } from 'vitest'
import { collect, type Script, ScriptError, ScriptedModel, text, textOf, tokens, toolCall } from './index.ts'
import { hello } from './played-turn.ts'

describe('the model', () => {
  it('implements the V4 contract', () => {
    const model: LanguageModelV4 = new ScriptedModel(['Hi'])
    expect(model).toMatchObject({
      specificationVersion: 'v4',
      provider: 'scripted',
      modelId: 'scripted-model',
      supportedUrls: {},
    })
  })

  it('takes its name and the URLs it supports from the options', async () => {
    const supportedUrls = { 'image/*': [/^https:/] }
    const model = new ScriptedModel(['Hi'], { provider: 'acme', modelId: 'acme-1', supportedUrls })
    const { stream } = await model.doStream(hello)
    expect(model).toMatchObject({ provider: 'acme', modelId: 'acme-1', supportedUrls })
    expect(await collect(stream)).toContainEqual(
      expect.objectContaining({ type: 'response-metadata', modelId: 'acme-1' }),
    )
  })

  it('streams a string as a whole answer', async () => {
    const { stream } = await new ScriptedModel(['Hello there']).doStream(hello)
    expect(await collect(stream)).toEqual([
      { type: 'stream-start', warnings: [] },
      { type: 'response-metadata', id: 'response-1', modelId: 'scripted-model', timestamp: new Date(0) },
      { type: 'text-start', id: 'text-1' },
      { type: 'text-delta', id: 'text-1', delta: 'Hello ' },
      { type: 'text-delta', id: 'text-1', delta: 'there' },
      { type: 'text-end', id: 'text-1' },
      { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage: tokens() },
    ])
  })

  it('plays one turn per call, whichever method is called', async () => {
    const model = new ScriptedModel(['one', 'two', ['thr', 'ee']])
    expect((await model.doGenerate(hello)).content).toEqual([{ type: 'text', text: 'one' }])
    expect(textOf(await collect((await model.doStream(hello)).stream))).toBe('two')
    expect(textOf(await collect((await model.doStream(hello)).stream))).toBe('three')
    expect(model.streams.map((stream) => stream.method)).toEqual(['doGenerate', 'doStream', 'doStream'])
  })

  it('rejects when the script has run out, naming the call and the remedy', async () => {
    const model = new ScriptedModel(['one'])
    await model.doStream(hello)
    await expect(model.doStream(hello)).rejects.toThrow(
      "The script has 1 turn, and this is call 2 of the model. Add a turn, pass { repeat: 'last' } as option, " +
        'or give a function as the script.',
    )
    await expect(model.doGenerate(hello)).rejects.toBeInstanceOf(ScriptError)
    expect(model.callCount).toBe(3)
    expect(model.lastStream.outcome).toBe('refused')
  })

  it("repeats the last turn with { repeat: 'last' }, with new tool call ids", async () => {
    const model = new ScriptedModel(['one', toolCall('next')], { repeat: 'last' })
    for (let call = 0; call < 3; call++) await model.doStream(hello)
    const { content } = await model.doGenerate(hello)
    expect(content).toEqual([expect.objectContaining({ type: 'tool-call', toolCallId: 'call-3' })])
  })

  it.each<[string, Script]>([
    ['as the script', (call, index) => `${index}: ${call.prompt.length} message`],
    ['as a turn', [async (call, index) => [text(`${index}: ${call.prompt.length} message`)]]],
  ])('takes a function %s', async (_, script) => {
    expect((await new ScriptedModel(script).doGenerate(hello)).content).toEqual([
      { type: 'text', text: '0: 1 message' },
    ])
  })

  it('records copies of calls, which later changes do not affect', async () => {
    const image = Buffer.from([1, 2, 3])
    const content = [
      { type: 'text' as const, text: 'Hello' },
      { type: 'file' as const, mediaType: 'image/png', data: { type: 'data' as const, data: image } },
    ]
    const prompt: LanguageModelV4CallOptions['prompt'] = [{ role: 'user', content }]
    const { signal } = new AbortController()
    const model = new ScriptedModel(['Hi'])
    await model.doStream({ prompt, abortSignal: signal, temperature: 0 })
    content[0] = { type: 'text', text: 'changed' }
    image.fill(0)
    prompt.push({ role: 'system', content: 'later' })
    expect(model.callCount).toBe(1)
    expect(model.calls[0]).toBe(model.lastCall)
    expect(model.lastCall).toMatchObject({ temperature: 0, abortSignal: signal })
    expect(model.lastPrompt).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hello' },
          { type: 'file', mediaType: 'image/png', data: { type: 'data', data: Buffer.from([1, 2, 3]) } },
        ],
      },
    ])
  })

  it('throws when it has not been called', () => {
    expect(() => new ScriptedModel([]).lastPrompt).toThrow('The scripted model has not been called.')
  })

  it('ignores later changes of the list of turns', async () => {
    const turns = ['one']
    const model = new ScriptedModel(turns)
    turns[0] = 'changed'
    expect((await model.doGenerate(hello)).content).toEqual([{ type: 'text', text: 'one' }])
  })
})
