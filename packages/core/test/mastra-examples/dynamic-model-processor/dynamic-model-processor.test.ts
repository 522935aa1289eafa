import { Agent, type Processor, tool } from '@millrace/core'
import { type Script, ScriptedModel, toolCall } from '@millrace/testing'
import { customProvider } from 'ai'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { variants } from '../variants.ts'
import { DynamicModelProcessor } from './annotated.ts'

const tools = {
  weather: tool({ inputSchema: z.object({ city: z.string() }), execute: ({ city }) => `Rain in ${city}` }),
}

afterEach(() => {
  vi.unstubAllGlobals()
})

describe.each(await variants('dynamic-model-processor', DynamicModelProcessor))(
  'DynamicModelProcessor, $version, by $way',
  ({ Example, run }) => {
    it('begins with the fast model and goes on with the powerful one after every tool call', async () => {
      const fast = scripted('fast', [toolCall('weather', { city: 'Oslo' })])
      const powerful = scripted('powerful', [toolCall('weather', { city: 'Bergen' })], 'Rain everywhere.')
      provide(fast, powerful)
      const own = new ScriptedModel([])
      const { result } = await run(
        new Agent({ model: own, tools, inputProcessors: [new Example()] }),
        'Where does it rain?',
      )

      expect(result.text).toBe('Rain everywhere.')
      expect(modelIds(result)).toEqual(['fast', 'powerful', 'powerful'])
      expect([fast, powerful, own].map(({ callCount }) => callCount)).toEqual([1, 2, 0])
      expect(powerful.lastPrompt.map(({ role }) => role)).toEqual([
        'user',
        'assistant',
        'tool',
        'assistant',
        'tool',
      ])
    })

    it('leaves other steps to the model of the agent, and forbids tools after five of them', async () => {
      const fast = scripted('fast', 'Answer 0.')
      const powerful = scripted('powerful')
      provide(fast, powerful)
      const own = scripted('own', ...[1, 2, 3, 4, 5, 6, 7].map((step) => `Answer ${step}.`))
      const keepGoing: Processor = {
        id: 'keep-going',
        processOutputStep: ({ stepNumber }) => (stepNumber < 7 ? { continue: 'Go on.' } : undefined),
      }
      const { result, delivered } = await run(
        new Agent({ model: own, tools, processors: [new Example(), keepGoing] }),
        'Count.',
      )

      expect(modelIds(result)).toEqual(['fast', ...Array<string>(7).fill('own')])
      expect(result.text).toBe('Answer 7.')
      expect(delivered).toMatch(/^(Answer \d\.){8}$/)
      expect([...fast.calls, ...own.calls].map(({ toolChoice }) => toolChoice?.type)).toEqual([
        ...Array<undefined>(6).fill(undefined),
        'none',
        'none',
      ])
    })
  },
)

/** Makes the two ids of the example resolve to these models. */
function provide(fast: ScriptedModel, powerful: ScriptedModel): void {
  const languageModels = { 'openai/gpt-4o-mini': fast, 'openai/gpt-4o': powerful }
  vi.stubGlobal('AI_SDK_DEFAULT_PROVIDER', customProvider({ languageModels }))
}

function scripted(modelId: string, ...script: Extract<Script, readonly unknown[]>): ScriptedModel {
  return new ScriptedModel(script, { modelId })
}

function modelIds(result: { steps: readonly { request: { modelId: string } }[] }): string[] {
  return result.steps.map(({ request }) => request.modelId)
}
