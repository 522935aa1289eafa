/** Adds metadata for the application to an answer. The model does not see it. */
import assert from 'node:assert/strict'
import { Agent, type Processor, tool } from '@millrace/core'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { z } from 'zod'

/** Adds the names of the called tools to the answer, for the application. Metadata is never sent to the model. */
const annotate: Processor = {
  id: 'annotate',
  processOutputStep({ messages, toolCalls }) {
    const answer = messages.at(-1)
    if (!answer || toolCalls.length === 0) return undefined
    const metadata = { ...answer.content.metadata, tools: toolCalls.map(({ toolName }) => toolName) }
    return [{ ...answer, content: { ...answer.content, metadata } }]
  },
}

const agent = new Agent({
  // A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
  model: new ScriptedModel([toolCall('search', {}), 'Found it.']),
  tools: { search: tool({ inputSchema: z.object({}), execute: () => 'a result' }) },
  processors: [annotate],
})
const { messages } = await agent.generate('Find it.')
console.log(messages[0]?.content.metadata) // { tools: [ 'search' ] }
assert.deepEqual(messages[0]?.content.metadata, { tools: ['search'] })
