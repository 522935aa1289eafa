/** Warns a model that repeats the same tool call, then ends the run. */
import assert from 'node:assert/strict'
import { Agent, tool } from '@millrace/core'
import { LoopDetector } from '@millrace/steering/loop-detector'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { z } from 'zod'

const agent = new Agent({
  // A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
  model: new ScriptedModel([toolCall('read', { page: 1 })], { repeat: 'last' }),
  tools: { read: tool({ inputSchema: z.object({ page: z.number() }), execute: () => 'page 1' }) },
  processors: [
    new LoopDetector({ onLoop: ({ action, times, toolNames }) => console.log(action, times, toolNames) }),
  ],
})

const { status, text, steps } = await agent.generate('Read the book.')
console.log(status, text) // halted I stopped because I kept repeating myself without getting any further.
assert.equal(status, 'halted')
assert.equal(steps.length, 5)
