import { Agent, type Message, userMessage } from '@millrace/core'
import { ScriptedModel } from '@millrace/testing'
import { describe, expect, it } from 'vitest'
import { variants } from '../variants.ts'
import { LowercaseProcessor } from './annotated.ts'

describe.each(await variants('lowercase-processor', LowercaseProcessor))(
  'LowercaseProcessor, $version, by $way',
  ({ Example, run }) => {
    it('changes what the model reads, and neither instructions nor answer', async () => {
      const model = new ScriptedModel(['RAIN'])
      const agent = new Agent({ model, instructions: 'Be BRIEF.', inputProcessors: [new Example()] })
      const { result, delivered } = await run(agent, 'Weather in OSLO?')

      expect(model.lastPrompt).toEqual([
        { role: 'system', content: 'Be BRIEF.' },
        { role: 'user', content: [{ type: 'text', text: 'weather in oslo?' }] },
      ])
      expect(result.text).toBe('RAIN')
      expect(delivered).toBe('RAIN')
    })

    it('changes every message, and of a message the text alone', async () => {
      const model = new ScriptedModel(['Yes.'])
      const url = 'https://example.com/Map.PNG'
      const withFile: Message = {
        ...userMessage('Is THIS Oslo?'),
        content: {
          parts: [
            { type: 'text', text: 'Is THIS Oslo?' },
            { type: 'file', mediaType: 'image/png', url, filename: 'Map.PNG' },
          ],
        },
      }
      const answer: Message = { ...userMessage('Show ME.'), role: 'assistant' }
      const agent = new Agent({ model, inputProcessors: [new Example()] })
      await run(agent, [userMessage('HELLO'), answer, withFile])

      expect(model.lastPrompt).toEqual([
        { role: 'user', content: [{ type: 'text', text: 'hello' }] },
        { role: 'assistant', content: [{ type: 'text', text: 'show me.' }] },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'is this oslo?' },
            expect.objectContaining({ type: 'file', filename: 'Map.PNG' }),
          ],
        },
      ])
      expect(JSON.stringify(model.lastPrompt)).toContain(url)
    })
  },
)
