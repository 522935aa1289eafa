/** Fills in placeholders such as `{branch}`. */
import assert from 'node:assert/strict'
import { PromptArguments } from '@millrace/context/prompt-arguments'
import { Agent, RequestContext } from '@millrace/core'
import { ScriptedModel } from '@millrace/testing'

// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const model = new ScriptedModel(['It is fine.'])
const agent = new Agent({
  model,
  processors: [
    new PromptArguments({ arguments: (context) => ({ branch: context.get('branch') as string }) }),
  ],
})
const requestContext = new RequestContext({ branch: 'main' })
await agent.generate('Review {branch} for {nobody}.', { requestContext })
console.log(model.lastPrompt[0]?.content) // [ { type: 'text', text: 'Review main for {nobody}.' } ]
assert.match(JSON.stringify(model.lastPrompt), /Review main for \{nobody\}\./)
