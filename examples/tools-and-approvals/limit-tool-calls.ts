/** Limits the tool calls of one response. */
import assert from 'node:assert/strict'
import { Agent, tool } from '@millrace/core'
import { MaxToolCallsGuard } from '@millrace/steering/max-tool-calls-guard'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { z } from 'zod'

const pages: number[] = []
const agent = new Agent({
  // A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
  model: new ScriptedModel([[1, 2, 3, 4, 5].map((page) => toolCall('read', { page })), 'Read.']),
  tools: {
    read: tool({ inputSchema: z.object({ page: z.number() }), execute: ({ page }) => pages.push(page) }),
  },
  processors: [new MaxToolCallsGuard(2)],
})

const { text } = await agent.generate('Read the book.')
console.log(text, pages) // Read. [ 1, 2 ]
assert.deepEqual(pages, [1, 2])
