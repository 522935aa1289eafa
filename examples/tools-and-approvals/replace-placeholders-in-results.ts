/** Replaces known placeholders in the results of tools. */
import assert from 'node:assert/strict'
import { Agent, type Processor, tool } from '@millrace/core'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { z } from 'zod'

/** Known names only: the output of a tool must not decide what is replaced. */
const values: Record<string, string> = { HOME: '/home/ada', USER: 'ada' }

const placeholders: Processor = {
  id: 'placeholders',
  processToolResult({ output }) {
    if (typeof output !== 'string') return undefined
    return { output: output.replace(/\$(\w+)/g, (whole, name: string) => values[name] ?? whole) }
  },
}

const agent = new Agent({
  // A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
  model: new ScriptedModel([toolCall('read', {}), 'It is in the home folder.']),
  tools: { read: tool({ inputSchema: z.object({}), execute: () => '$HOME/notes of $USER, $SECRET' }) },
  processors: [placeholders],
})
const { steps } = await agent.generate('Where is it?')
const [result] = steps[0]?.toolResults ?? []
assert(result?.status === 'success')
console.log(result.output)
assert.equal(result.output, '/home/ada/notes of ada, $SECRET')
