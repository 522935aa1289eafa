/** Chooses the model by the number of the step and by the plan of the user. */
import assert from 'node:assert/strict'
import { Agent, RequestContext, tool } from '@millrace/core'
import { ModelRouter } from '@millrace/steering/model-router'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { z } from 'zod'

// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const fast = new ScriptedModel(() => toolCall('look_up', {}), { modelId: 'fast' })
const usual = new ScriptedModel(() => 'It is in stock.', { modelId: 'usual' })
const thorough = new ScriptedModel(() => 'It is in stock, and here is why.', { modelId: 'thorough' })

const agent = new Agent({
  model: usual,
  tools: { look_up: tool({ inputSchema: z.object({}), execute: () => 'in stock' }) },
  processors: [
    new ModelRouter({
      routes: [
        { model: thorough, when: ({ requestContext }) => requestContext.get('plan') === 'paid' },
        { model: fast, toStep: 0 },
      ],
    }),
  ],
})

const { steps } = await agent.generate('Is it in stock?')
console.log(steps.map(({ request }) => request.modelId)) // [ 'fast', 'usual' ]
assert.deepEqual(
  steps.map(({ request }) => request.modelId),
  ['fast', 'usual'],
)

const paid = await agent.generate('Is it in stock?', { requestContext: new RequestContext({ plan: 'paid' }) })
assert.equal(paid.text, 'It is in stock, and here is why.')
