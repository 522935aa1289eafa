/** Makes the model answer without tools after two steps. */
import assert from 'node:assert/strict'
import { Agent, type Processor, tool } from '@millrace/core'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { z } from 'zod'

const answerAfter = (steps: number): Processor => ({
  id: 'answer-after',
  processInputStep: ({ stepNumber }) => (stepNumber >= steps ? { toolChoice: 'none' } : undefined),
})

// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const model = new ScriptedModel(({ toolChoice }, index) =>
  toolChoice?.type === 'none' ? 'Two pages are enough.' : toolCall('read', { page: index }),
)
const agent = new Agent({
  model,
  tools: {
    read: tool({ inputSchema: z.object({ page: z.number() }), execute: ({ page }) => `page ${page}` }),
  },
  processors: [answerAfter(2)],
})

const { text, steps } = await agent.generate('Read the book.')
console.log(steps.length, text) // 3 Two pages are enough.
assert.equal(steps.length, 3)
assert.equal(text, 'Two pages are enough.')
