/** Allows tools by the role of the user. */
import assert from 'node:assert/strict'
import { Agent, RequestContext, tool } from '@millrace/core'
import { ToolAllowList } from '@millrace/steering/tool-allow-list'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { z } from 'zod'

const path = z.object({ path: z.string() })
const agent = new Agent({
  // A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
  model: new ScriptedModel((_, index) => (index % 2 === 0 ? toolCall('remove', { path: 'a.md' }) : 'Well.')),
  tools: {
    read: tool({ inputSchema: path, execute: () => 'text' }),
    remove: tool({ inputSchema: path, execute: () => 'removed' }),
  },
  processors: [
    new ToolAllowList({
      allow: (context) => (context.get('role') === 'editor' ? ['read', 'remove'] : ['read']),
    }),
  ],
})

const outcome = async (role: string) => {
  const { steps } = await agent.generate('Remove a.md.', { requestContext: new RequestContext({ role }) })
  return [steps[0]?.request.tools, steps[0]?.toolResults[0]?.status]
}
console.log(await outcome('reader')) // [ [ 'read' ], 'error' ]: to a reader there is no such tool
assert.deepEqual(await outcome('reader'), [['read'], 'error'])
assert.deepEqual(await outcome('editor'), [['read', 'remove'], 'success'])
