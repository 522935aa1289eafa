import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { Agent, type Message, ProcessorPipeline, type ToolPart, tool } from '@millrace/core'
import { InMemoryStore } from '@millrace/core/storage'
import { collect, ScriptedModel, type ScriptedModelOptions, toolCall } from '@millrace/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

const BROKEN = ['{"q": "Os', '[1]', '"x"', 'null', '{}{}']
const GOOGLE: ScriptedModelOptions = { provider: 'google.generative-ai', modelId: 'gemini-2.5-pro' }

const look = tool({ inputSchema: z.object({ q: z.string() }), execute: () => 'It rains.' })
const question = (text: string): Message => ({
  id: text,
  role: 'user',
  content: { parts: [{ type: 'text', text }] },
  createdAt: new Date(0),
})

/** The inputs of all calls in the last prompt of a model. */
function inputsIn(prompt: LanguageModelV4Prompt): unknown[] {
  return prompt.flatMap(({ role, content }) =>
    role === 'assistant' ? content.flatMap((part) => (part.type === 'tool-call' ? [part.input] : [])) : [],
  )
}

describe.each(BROKEN)('arguments that are %s', (rawInput) => {
  const broken = toolCall('look', undefined, { rawInput })

  test('sends an empty object for broken arguments, and keeps them in the record and in the error', async () => {
    const model = new ScriptedModel([broken, 'Sorry.'], GOOGLE)
    const result = await new Agent({ model, tools: { look } }).generate('Hi')
    expect(inputsIn(model.lastPrompt)).toEqual([{}])
    const part = result.messages.at(-1)?.content.parts.find(({ type }) => type === 'tool-look') as ToolPart
    const wrote = ['{"q": "Os', '{}{}'].includes(rawInput) ? rawInput : JSON.parse(rawInput)
    expect(part).toMatchObject({ state: 'output-error', input: wrote })
    expect(result.steps[0]?.toolCalls[0]?.input).toEqual(wrote)
    const raw = typeof wrote === 'string' ? wrote : rawInput
    expect(part).toMatchObject({ errorText: expect.stringContaining(`The input was: ${raw}`) })
    expect(model.lastPrompt.at(-1)).toMatchObject({ content: [{ output: { type: 'error-text' } }] })
    expect(result.steps[1]?.request.mended).toContain('validJson')
  })

  test.each([undefined, false as const, { google: false as const }])(
    'are an empty object also with the rules %j',
    async (providerHistory) => {
      const model = new ScriptedModel([broken, 'Sorry.'], GOOGLE)
      await new Agent({
        model,
        tools: { look },
        ...(providerHistory !== undefined && { providerHistory }),
      }).generate('Hi')
      expect(inputsIn(model.lastPrompt)).toEqual([{}])
    },
  )

  test('sends an empty object for broken arguments of a stored thread', async () => {
    const input: unknown = rawInput
    const call = { type: 'tool-look', toolCallId: 'call_1', input } as const
    const states: ToolPart[] = [
      { ...call, state: 'output-error', errorText: 'It is not JSON.' },
      { ...call, state: 'output-available', output: 1 },
      { ...call, state: 'input-available' },
      { ...call, state: 'output-denied', approval: { id: '1', approved: false } },
      { ...call, type: 'dynamic-tool', toolName: 'look', state: 'output-error', errorText: 'No.' },
    ]
    const model = new ScriptedModel(['Hello.'], { ...GOOGLE, repeat: 'last' })
    for (const part of states) {
      const stored: Message = { ...question('stored'), role: 'assistant', content: { parts: [part] } }
      await new Agent({ model }).generate([question('a'), stored, question('b')], { trusted: true })
      expect(inputsIn(model.lastPrompt)).toEqual([{}])
    }
  })

  test('sends an empty object for broken arguments in a resumed run', async () => {
    const storage = new InMemoryStore()
    const model = new ScriptedModel([[broken, toolCall('look', { q: 'Oslo' })], 'Sorry.'], GOOGLE)
    const toolApproval = { look: 'user-approval' } as const
    const { runId, status } = await new Agent({ model, tools: { look }, toolApproval, storage }).generate(
      'Hi',
    )
    expect(status).toBe('suspended')
    await new Agent({ model, tools: { look }, toolApproval, storage }).resume(runId, { approved: true })
    expect(inputsIn(model.lastPrompt)).toEqual([{}, { q: 'Oslo' }])
  })

  test.each([false, true])(
    'are an empty object for another agent, which has the turn: %s',
    async (handoff) => {
      const innerModel = new ScriptedModel([broken, 'Sorry.'], GOOGLE)
      const inner = new Agent({ name: 'inner', model: innerModel, tools: { look } })
      const ask = inner.asTool({ handoff } as never)
      const model = new ScriptedModel(
        [broken, toolCall('ask', undefined, { rawInput }), askWith('Hi'), 'Done.'],
        GOOGLE,
      )
      await new Agent({ model, tools: { look, ask } }).generate('Hi')
      for (const { calls } of [model, innerModel])
        for (const { prompt } of calls)
          for (const input of inputsIn(prompt)) expect(input).toBeTypeOf('object')
      expect(inputsIn(model.lastPrompt).slice(0, 2)).toEqual([{}, {}])
      expect(inputsIn(innerModel.lastPrompt).at(-1)).toEqual({})
    },
  )

  test("sends a pipeline's model an empty object for broken arguments, and hands on what was written", async () => {
    const model = new ScriptedModel([broken], GOOGLE)
    const pipeline = new ProcessorPipeline([], { model, tools: { look } })
    const prompt: LanguageModelV4Prompt = [
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: 'call_1', toolName: 'look', input: rawInput }],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'call_1',
            toolName: 'look',
            output: { type: 'error-text', value: 'It is not JSON.' },
          },
        ],
      },
    ]
    const answer = pipeline.answer({ prompt, model, tools: { look } })
    const chunks = await collect(answer.chunks)
    await answer.end
    expect(inputsIn(model.lastPrompt)).toEqual([{}])
    expect(chunks).toContainEqual(expect.objectContaining({ type: 'tool-call', toolName: 'look' }))
  })
})

test.each([
  ['openai.responses', 'gpt-5', 'SELECT 1'],
  ['azure.responses', 'gpt-5', 'SELECT 1'],
  ['openai.chat', 'gpt-4.1', {}],
  ['anthropic.messages', 'claude-sonnet-4-6', {}],
  ['google.generative-ai', 'gemini-2.5-pro', {}],
])(
  'the text of a tool that takes text remains only where the provider has it: %s',
  async (provider, modelId, sent) => {
    const query = {
      ...look,
      type: 'provider',
      id: 'openai.custom',
      args: {},
      inputSchema: z.string(),
    } as never
    const model = new ScriptedModel([toolCall('query', undefined, { rawInput: '"SELECT 1"' }), 'Done.'], {
      provider,
      modelId,
    })
    await new Agent({ model, tools: { query } }).generate('Hi')
    expect(inputsIn(model.lastPrompt)).toEqual([sent])
  },
)

function askWith(prompt: string) {
  return toolCall('ask', { prompt })
}
