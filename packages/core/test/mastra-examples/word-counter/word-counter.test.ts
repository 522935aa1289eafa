import { Agent, tool } from '@millrace/core'
import { ScriptedModel, text, toolCall } from '@millrace/testing'
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest'
import { z } from 'zod'
import { variants } from '../variants.ts'
import { WordCounter } from './annotated.ts'

const tools = {
  weather: tool({ inputSchema: z.object({ city: z.string() }), execute: ({ city }) => `Rain in ${city}` }),
}

let log: MockInstance<typeof console.log>

beforeEach(() => {
  log = vi.spyOn(console, 'log').mockImplementation(() => {})
})

afterEach(() => {
  log.mockRestore()
})

describe.each(await variants('word-counter', WordCounter))(
  'WordCounter, $version, by $way',
  ({ Example, run }) => {
    it('counts over the chunks of an answer and logs once, when the run is finished', async () => {
      const model = new ScriptedModel([text(['It ', 'rains in ', 'Oslo ', 'and elsewhere.'])])
      const { result, delivered } = await run(
        new Agent({ model, outputProcessors: [new Example()] }),
        'Where?',
      )

      expect(log.mock.calls).toEqual([['Total words: 6']])
      expect(result.text).toBe('It rains in Oslo and elsewhere.')
      expect(delivered).toBe('It rains in Oslo and elsewhere.')
    })

    it('counts over all steps of a run', async () => {
      const model = new ScriptedModel([['Let me look.', toolCall('weather', { city: 'Oslo' })], 'It rains.'])
      await run(new Agent({ model, tools, outputProcessors: [new Example()] }), 'Weather?')
      expect(log.mock.calls).toEqual([['Total words: 5']])
    })

    it('counts every run on its own, though one instance serves them all', async () => {
      const model = new ScriptedModel(['one two', 'three four five'])
      const agent = new Agent({ model, outputProcessors: [new Example()] })
      await run(agent, 'Count.')
      await run(agent, 'Go on.')
      expect(log.mock.calls).toEqual([['Total words: 2'], ['Total words: 3']])
    })
  },
)
