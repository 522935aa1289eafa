import { Agent, type Message, type Processor, tool, userMessage } from '@millrace/core'
import { reasoning, ScriptedModel, toolCall } from '@millrace/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { variants } from '../variants.ts'
import { ReasoningTransformer } from './annotated.ts'

const tools = {
  weather: tool({ inputSchema: z.object({ city: z.string() }), execute: ({ city }) => `Rain in ${city}` }),
}
const signature = { acme: { signature: 'signed' } }

describe.each(await variants('reasoning-transformer', ReasoningTransformer))(
  'ReasoningTransformer, $version, by $way',
  ({ Example, run }) => {
    it('sends the reasoning of earlier steps out as reasoning, and keeps it as thinking', async () => {
      const model = new ScriptedModel([
        [reasoning('Look it up.', { providerMetadata: signature }), toolCall('weather', { city: 'Oslo' })],
        [reasoning('Now I know.'), 'It rains.'],
      ])
      const { result } = await run(
        new Agent({ model, tools, inputProcessors: [new Example()] }),
        'Does it rain in Oslo?',
      )

      expect(model.lastPrompt[1]).toEqual({
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'Look it up.', providerOptions: signature },
          expect.objectContaining({ type: 'tool-call', toolName: 'weather' }),
        ],
      })
      expect(result.messages.flatMap(({ content }) => content.parts)).toEqual([
        { type: 'step-start' },
        expect.objectContaining({ type: 'thinking', text: 'Look it up.', providerMetadata: signature }),
        expect.objectContaining({ type: 'tool-weather', output: 'Rain in Oslo' }),
        { type: 'step-start' },
        expect.objectContaining({ type: 'reasoning', text: 'Now I know.' }),
        expect.objectContaining({ type: 'text', text: 'It rains.' }),
      ])
      expect(result.steps.map(({ reasoningText }) => reasoningText)).toEqual(['Look it up.', 'Now I know.'])
    })

    it('does so for the reasoning in a conversation that was handed in', async () => {
      const earlier: Message = {
        ...userMessage(''),
        role: 'assistant',
        content: {
          parts: [
            { type: 'reasoning', text: 'A greeting.', providerMetadata: signature },
            { type: 'text', text: 'Hello!' },
          ],
        },
      }
      const model = new ScriptedModel(['Rain.'])
      let transcript: Message[] = []
      const observer: Processor = {
        id: 'observer',
        processOutputResult: ({ messageList }) => {
          transcript = messageList.get()
        },
      }
      const { result } = await run(
        new Agent({ model, processors: [new Example(), observer] }),
        [userMessage('Hi'), earlier, userMessage('Weather?')],
        { trusted: true },
      )

      expect(result.text).toBe('Rain.')
      expect(model.lastPrompt[1]).toEqual({
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'A greeting.', providerOptions: signature },
          { type: 'text', text: 'Hello!' },
        ],
      })
      expect(transcript[1]?.content.parts.map(({ type }) => type)).toEqual(['thinking', 'text'])
    })
  },
)
