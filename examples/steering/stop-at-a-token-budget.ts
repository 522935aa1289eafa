/** Ends the run when its token budget is used up. */
import assert from 'node:assert/strict'
import { Agent, type Processor, tool } from '@millrace/core'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { z } from 'zod'

const budget = (tokens: number): Processor => ({
  id: 'budget',
  processInputStep({ steps, halt }) {
    const used = steps.reduce((sum, { usage }) => sum + (usage.totalTokens ?? 0), 0)
    if (used >= tokens) halt('I have used up my budget.', { reason: 'budget exceeded', metadata: { used } })
  },
})

const agent = new Agent({
  // A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
  model: new ScriptedModel((_, page) => toolCall('read', { page })),
  tools: { read: tool({ inputSchema: z.object({ page: z.number() }), execute: () => 'text' }) },
  processors: [budget(40)],
})
const { status, text, halt } = await agent.generate('Read the book.')
console.log(status, text, halt?.metadata) // halted I have used up my budget. { used: 45 }
assert.equal(status, 'halted')
assert.deepEqual(halt?.metadata, { used: 45 })
