import { Agent, tool } from '@millrace/core'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { variants } from '../variants.ts'
import { QualityGuardrail } from './annotated.ts'

expect.extend(matchers)

const question = 'Do I need an umbrella in Oslo?'
const poor = 'Yes, certainly.'
const good = 'Yes: rain is coming in from the fjord and will stay until tonight.'
const feedback = 'Response quality too low. Please provide more detail.'

const weather = tool({
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => `Rain in ${city}`,
})

describe.each(await variants('quality-guardrail', QualityGuardrail))(
  'QualityGuardrail, $version, by $way',
  ({ Example, run }) => {
    it('lets the model try again, with its reason as feedback', async () => {
      const model = new ScriptedModel([poor, good])
      const { result, delivered } = await run(
        new Agent({ model, outputProcessors: [new Example()] }),
        question,
      )

      expect(result).toBeCompleted()
      expect(result).toHaveText(good)
      expect(delivered).toBe(good)
      expect(model.calls.map(({ prompt }) => prompt)).toEqual([
        [userSays(question)],
        [userSays(question), userSays(feedback)],
      ])
      expect(result.steps).toHaveLength(1)
      expect(result.steps[0]?.discarded).toMatchObject([
        { reason: feedback, processorId: 'quality-guardrail' },
      ])
      expect(result).toLeakNothingOf(poor)
    })

    it('asks three times and then blocks the answer', async () => {
      const model = new ScriptedModel([poor], { repeat: 'last' })
      const { result, delivered, chunks } = await run(
        new Agent({ model, outputProcessors: [new Example()] }),
        question,
      )

      expect(result).toHaveTripped({
        processorId: 'quality-guardrail',
        hook: 'processOutputStep',
        reason: 'Response quality too low after multiple attempts.',
        retryCount: 3,
      })
      expect(result.tripwire).toBe(true)
      expect(delivered).toBe('')
      expect(result).toLeakNothingOf(poor)
      expect(chunks.filter(({ type }) => type === 'tripwire')).toHaveLength(chunks.length > 0 ? 1 : 0)
      const first = [userSays(question)]
      const again = [userSays(question), userSays(feedback)]
      expect(model.calls.map(({ prompt }) => prompt)).toEqual([first, again, again, again])
    })

    it('gives its metadata to the caller when the agent allows no more retries', async () => {
      const model = new ScriptedModel([poor], { repeat: 'last' })
      const { result } = await run(
        new Agent({ model, outputProcessors: [new Example()], maxProcessorRetries: 1 }),
        question,
      )
      expect(result).toHaveTripped({
        reason: feedback,
        metadata: { qualityScore: 0.2 },
        retryCount: 1,
      })
      expect(model.callCount).toBe(2)
    })

    it('loses nothing of a good answer, although it returns no messages', async () => {
      const script = [[good, toolCall('weather', { city: 'Oslo' })], good]
      const tools = { weather }
      const guarded = new ScriptedModel(script)
      const free = new ScriptedModel(script)
      const { result, delivered } = await run(
        new Agent({ model: guarded, tools, outputProcessors: [new Example()] }),
        question,
      )
      const { result: unguarded } = await run(new Agent({ model: free, tools }), question)

      expect(result).toBeCompleted()
      expect(delivered).toBe(good + good)
      expect(result.messages.map(({ content }) => content)).toEqual([
        {
          parts: [
            { type: 'step-start' },
            expect.objectContaining({ type: 'text', text: good }),
            expect.objectContaining({ type: 'tool-weather', output: 'Rain in Oslo' }),
            { type: 'step-start' },
            expect.objectContaining({ type: 'text', text: good }),
          ],
        },
      ])
      expect(result.messages.map(({ content }) => content)).toEqual(
        unguarded.messages.map(({ content }) => content),
      )
      expect(guarded.calls.map(({ prompt }) => prompt)).toEqual(free.calls.map(({ prompt }) => prompt))
      expect(guarded.lastPrompt).toPairEveryToolCall()
    })
  },
)

function userSays(text: string) {
  return { role: 'user', content: [{ type: 'text', text }] }
}
