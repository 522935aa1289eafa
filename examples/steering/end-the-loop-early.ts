/** Ends the loop when a tool has found what was searched. */
import assert from 'node:assert/strict'
import { Agent, hasToolCall, type Processor, tool } from '@millrace/core'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { z } from 'zod'

/** Ends the loop when a search was successful. */
const foundIsEnough: Processor = {
  id: 'found-is-enough',
  processToolStep({ toolResults }) {
    const found = toolResults.some((result) => result.status === 'success' && result.output === 'found')
    return found ? { finish: true, text: 'Found.' } : undefined
  },
}

const search = tool({
  inputSchema: z.object({ page: z.number() }),
  execute: ({ page }) => (page === 2 ? 'found' : 'nothing'),
})
// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const model = () => new ScriptedModel((_, page) => toolCall('search', { page }))

const { text, steps } = await new Agent({
  model: model(),
  tools: { search },
  processors: [foundIsEnough],
}).generate('Search.')
console.log(text, steps.length) // Found. 3
assert.equal(steps.length, 3)

/** The same with a condition of the agent, which gets the steps so far. */
const { steps: one } = await new Agent({
  model: model(),
  tools: { search },
  stopWhen: hasToolCall('search'),
}).generate('Search.')
assert.equal(one.length, 1)
