/**
 * Injects the core system prompt.
 */
import assert from 'node:assert/strict'
import { Agent, RequestContext } from '@millrace/core'
import { ScriptedModel } from '@millrace/testing'

const model = new ScriptedModel(['Guten Tag.'])
const agent = new Agent({
  model,
  instructions: (context) => `You are a miller. Answer in ${context.get('language') ?? 'English'}.`,
})
await agent.generate('Hello!', { requestContext: new RequestContext({ language: 'German' }) })
console.log(model.lastPrompt[0]) // { role: 'system', content: 'You are a miller. Answer in German.' }
assert.deepEqual(model.lastPrompt[0], { role: 'system', content: 'You are a miller. Answer in German.' })
