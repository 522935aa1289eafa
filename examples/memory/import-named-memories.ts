/** Replaces `@memory:name` with a stored text of the user. */
import assert from 'node:assert/strict'
import { MemoryImports } from '@millrace/context/memory-imports'
import { Agent } from '@millrace/core'
import { ScriptedModel } from '@millrace/testing'

/** Memories of each user, by name. */
const memories = new Map([['ada', new Map([['style', 'Short sentences. No adjectives.']])]])

// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const model = new ScriptedModel(['The wheel turns.'])
const agent = new Agent({
  model,
  processors: [
    new MemoryImports({ resolve: (name, { resourceId = '' }) => memories.get(resourceId)?.get(name) }),
  ],
})
await agent.generate('Describe the mill in @memory:style.', { resourceId: 'ada', threadId: 'thread-1' })
console.log(model.lastPrompt[0]?.content)
assert.match(JSON.stringify(model.lastPrompt[0]), /No adjectives/)
