/** Tells the model in each step how many tokens it has used. */
import assert from 'node:assert/strict'
import { Agent, type Processor, tool, userMessage } from '@millrace/core'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { z } from 'zod'

/** Adds the usage to the prompt of one call. The transcript does not get the note. */
const budgetNote: Processor = {
  id: 'budget-note',
  processInputStep({ messages, stepNumber, steps }) {
    if (stepNumber === 0) return undefined
    const used = steps.reduce((sum, { usage }) => sum + (usage.totalTokens ?? 0), 0)
    return { messages: [...messages, userMessage(`You have used ${used} tokens. Come to an end.`)] }
  },
}

// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const model = new ScriptedModel([toolCall('read', {}), 'In short: it ends well.'])
const agent = new Agent({
  model,
  tools: { read: tool({ inputSchema: z.object({}), execute: () => 'a long text' }) },
  processors: [budgetNote],
})

const { messages, text } = await agent.generate('Sum it up.')
console.log(model.lastPrompt.at(-1)?.content) // [ { type: 'text', text: 'You have used 15 tokens. Come to an end.' } ]
assert.equal(model.lastPrompt.at(-1)?.role, 'user')
assert.doesNotMatch(JSON.stringify(messages), /tokens/)
assert.equal(text, 'In short: it ends well.')
