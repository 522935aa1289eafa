/** Assembles the instructions from named sections. */
import assert from 'node:assert/strict'
import { CoreInstructions } from '@millrace/context/core-instructions'
import { Agent, RequestContext } from '@millrace/core'
import { ScriptedModel } from '@millrace/testing'

// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const model = new ScriptedModel(['Guten Tag.'])
const agent = new Agent({
  model,
  processors: [
    new CoreInstructions({
      sections: [
        { name: 'role', text: 'You are a miller.' },
        { name: 'language', text: (context) => `Answer in ${context.get('language') ?? 'English'}.` },
      ],
    }),
  ],
})
await agent.generate('Hello!', { requestContext: new RequestContext({ language: 'German' }) })
console.log(model.lastPrompt[0]?.content)
assert.equal(
  model.lastPrompt[0]?.content,
  '<role>\nYou are a miller.\n</role>\n\n<language>\nAnswer in German.\n</language>',
)
