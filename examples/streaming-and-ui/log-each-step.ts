/** Logs the tokens and the tool calls of each step from a processor. */
import assert from 'node:assert/strict'
import { Agent, type Processor, tool } from '@millrace/core'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { z } from 'zod'

const lines: string[] = []
const metrics: Processor = {
  id: 'metrics',
  processOutputStep({ stepNumber, usage, toolCalls, finishReason }) {
    lines.push(`step ${stepNumber}: ${usage.totalTokens} tokens, ${toolCalls.length} calls, ${finishReason}`)
  },
}

const agent = new Agent({
  // A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
  model: new ScriptedModel([toolCall('search', {}), 'Found it.']),
  tools: { search: tool({ inputSchema: z.object({}), execute: () => 'a result' }) },
  processors: [metrics],
})
await agent.generate('Find it.')
console.log(lines)
assert.deepEqual(lines, ['step 0: 15 tokens, 1 calls, tool-calls', 'step 1: 15 tokens, 0 calls, stop'])
