import { Agent, RequestContext, tool } from '@millrace/core'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { countTokens } from '@millrace/tokens'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { type ModelRoute, ModelRouter } from './model-router.ts'

const models = Object.fromEntries(
  ['usual', 'fast', 'large', 'thorough'].map((modelId) => [
    modelId,
    new ScriptedModel(() => (turn++ < 2 ? toolCall('look', {}) : 'Answer'), { modelId }),
  ]),
) as Record<string, ScriptedModel>
let turn = 0

/** The models that answered the three steps of a run. */
async function answered(routes: readonly ModelRoute[], input = 'Go', values: object = {}) {
  turn = 0
  const agent = new Agent({
    model: models.usual as ScriptedModel,
    tools: { look: tool({ inputSchema: z.object({}), execute: () => 'seen '.repeat(60) }) },
    processors: [new ModelRouter({ routes })],
  })
  const { steps } = await agent.generate(input, { requestContext: new RequestContext(values) })
  return steps.map(({ request }) => request.modelId)
}
const { fast, large, thorough } = models as Record<'fast' | 'large' | 'thorough', ScriptedModel>

test('chooses by the number of the step', async () => {
  expect(await answered([{ model: fast, toStep: 0 }])).toEqual(['fast', 'usual', 'usual'])
  expect(await answered([{ model: thorough, fromStep: 1 }])).toEqual(['usual', 'thorough', 'thorough'])
  expect(await answered([{ model: large, fromStep: 1, toStep: 1 }])).toEqual(['usual', 'large', 'usual'])
})

test('chooses by the tokens of the prompt, which grows with tool results', async () => {
  const input = 'word '.repeat(100)
  expect(await countTokens(input)).toBeGreaterThan(90)
  expect(await answered([{ model: large, fromTokens: 90 }], input)).toEqual(['large', 'large', 'large'])
  expect(await answered([{ model: large, fromTokens: 150 }], input)).toEqual(['usual', 'large', 'large'])
  expect(await answered([{ model: large, fromTokens: 9_000 }], input)).toEqual(['usual', 'usual', 'usual'])
})

test('chooses by the request and by earlier steps, with the first matching route', async () => {
  const routes: ModelRoute[] = [
    { model: thorough, when: async ({ requestContext }) => requestContext.get('plan') === 'paid' },
    { model: fast, fromStep: 1, when: ({ steps }) => steps.at(-1)?.toolCalls.length === 1 },
    { model: large },
  ]
  expect(await answered(routes, 'Go', { plan: 'paid' })).toEqual(['thorough', 'thorough', 'thorough'])
  expect(await answered(routes)).toEqual(['large', 'fast', 'fast'])
})

test('accepts model ids', async () => {
  const before = globalThis.AI_SDK_DEFAULT_PROVIDER
  globalThis.AI_SDK_DEFAULT_PROVIDER = { languageModel: (id: string) => models[id] } as never
  try {
    expect(await answered([{ model: 'fast' }])).toEqual(['fast', 'fast', 'fast'])
  } finally {
    globalThis.AI_SDK_DEFAULT_PROVIDER = before
  }
})

test('rejects invalid routes', () => {
  expect(() => new ModelRouter({ routes: [] })).toThrow('ModelRouter has no routes.')
  expect(() => new ModelRouter({ routes: [{ model: fast, fromStep: -1 }] })).toThrow(
    'routes[0].fromStep is -1.',
  )
  expect(() => new ModelRouter({ routes: [{} as never] })).toThrow("needs a value for 'routes[0].model'")
})
