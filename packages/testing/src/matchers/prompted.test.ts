import { describe, expect, it } from 'vitest'
import { matchers } from '../matchers.ts'
import { ScriptedModel } from '../scripted-model.ts'

expect.extend(matchers)

describe('toHaveBeenPrompted', () => {
  async function prompted() {
    const model = new ScriptedModel(['one', 'two'])
    await model.doGenerate({
      prompt: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
      ],
    })
    await model.doGenerate({
      prompt: [
        {
          role: 'assistant',
          content: [
            { type: 'reasoning', text: 'Thinking' },
            { type: 'tool-call', toolCallId: '1', toolName: 'weather', input: { city: 'Oslo' } },
          ],
        },
        {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              toolCallId: '1',
              toolName: 'weather',
              output: { type: 'text', value: 'Rain' },
            },
            {
              type: 'tool-result',
              toolCallId: '2',
              toolName: 'weather',
              output: { type: 'json', value: { mm: 3 } },
            },
            {
              type: 'tool-result',
              toolCallId: '3',
              toolName: 'weather',
              output: { type: 'execution-denied', reason: 'Not allowed' },
            },
            {
              type: 'tool-result',
              toolCallId: '4',
              toolName: 'weather',
              output: { type: 'content', value: [{ type: 'text', text: 'Sun' }] },
            },
          ],
        },
      ],
    })
    return model
  }

  it.each([
    'Be brief.',
    'Hello',
    'Thinking',
    '{"city":"Oslo"}',
    'Rain',
    '{"mm":3}',
    'Not allowed',
    'Sun',
    /^Hel/,
  ])('finds %s', async (expected) => {
    expect(await prompted()).toHaveBeenPrompted(expected)
  })

  it('finds messages, whole prompts and matches of asymmetric matchers', async () => {
    const model = await prompted()
    expect(model).toHaveBeenPrompted(expect.stringContaining('ell'))
    expect(model).toHaveBeenPrompted({ role: 'system', content: 'Be brief.' })
    expect(model).toHaveBeenPrompted(expect.objectContaining({ role: 'user' }), { call: 0 })
    expect(model).toHaveBeenPrompted(model.calls[1]?.prompt)
    expect(model).not.toHaveBeenPrompted('ell')
    expect(model).not.toHaveBeenPrompted('Hello', { call: 1 })
    expect(model).not.toHaveBeenPrompted('Hello', { role: 'system' })
  })

  it('shows the prompts', async () => {
    const model = await prompted()
    expect(() => expect(model).toHaveBeenPrompted('Bye', { role: 'user', call: 0 })).toThrow(
      'expected the model to have been prompted with "Bye" in a user message in call 0, but its prompts were\n' +
        '  call 0, system: "Be brief."\n  call 0, user: "Hello"\n  call 1, assistant: "Thinking"',
    )
    expect(() => expect(model).not.toHaveBeenPrompted(expect.stringContaining('Hell'))).toThrow(
      'expected the model not to have been prompted with StringContaining "Hell", but it was',
    )
    expect(() => expect(new ScriptedModel([])).toHaveBeenPrompted('Hello')).toThrow(
      'but it has not been called',
    )
    expect(() => expect({}).toHaveBeenPrompted('Hello')).toThrow('expected a model that records its calls')
  })
})
