/** Blocks empty input, and adds the name of the user to the instructions. */
import assert from 'node:assert/strict'
import { Agent, type Processor, textOfParts } from '@millrace/core'
import { ScriptedModel } from '@millrace/testing'

const input: Processor = {
  id: 'input',
  processInput({ messages, systemMessages, requestContext, abort }) {
    const text = textOfParts(messages.at(-1)?.content.parts ?? []).trim()
    if (text === '') abort('Please write something.')
    const user = requestContext.resourceId ?? 'a guest'
    return { systemMessages: [...systemMessages, { role: 'system', content: `You talk to ${user}.` }] }
  },
}

// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const model = new ScriptedModel(['Hello, Ada.'])
const agent = new Agent({ model, processors: [input] })

const empty = await agent.generate('   ')
console.log(empty.status, empty.rejection?.reason) // tripwire Please write something.
assert.equal(empty.status, 'tripwire')

await agent.generate('Hello!', { resourceId: 'Ada' })
assert.equal(model.lastPrompt[0]?.content, 'You talk to Ada.')
