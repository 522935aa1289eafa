/** Denies a tool call by a rule for its input, and tells the model why. */
import assert from 'node:assert/strict'
import { posix } from 'node:path'
import { Agent, tool } from '@millrace/core'
import { ToolAllowList } from '@millrace/steering/tool-allow-list'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { z } from 'zod'

const isInside = (path: string) =>
  !posix.relative('workspace', posix.join('workspace', path)).startsWith('..')

// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const model = new ScriptedModel([toolCall('read', { path: '../secrets' }), 'I may not read that.'])
const agent = new Agent({
  model,
  tools: { read: tool({ inputSchema: z.object({ path: z.string() }), execute: () => 'text' }) },
  processors: [
    new ToolAllowList({ allow: { read: ({ path }) => isInside(path) || 'path outside workspace' } }),
  ],
})

const { text } = await agent.generate('Read ../secrets.')
const denial = model.lastPrompt.at(-1)
console.log(JSON.stringify(denial?.content)) // … {"type":"execution-denied","reason":"path outside workspace"} …
assert.match(JSON.stringify(denial), /"execution-denied","reason":"path outside workspace"/)
assert.equal(text, 'I may not read that.')
