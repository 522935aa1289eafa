/** Shows the model the first rows of a long table. */
import assert from 'node:assert/strict'
import { Agent, type Processor, tool } from '@millrace/core'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { z } from 'zod'

/** Gives the model the first rows of a table, and the total number of rows. */
const firstRows = (count: number): Processor => ({
  id: 'first-rows',
  processToolResult({ output }) {
    if (!Array.isArray(output) || output.length <= count) return undefined
    return { output: { rows: output.slice(0, count), total: output.length } }
  },
})

const agent = new Agent({
  // A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
  model: new ScriptedModel([toolCall('query', {}), 'There are 1,000 customers.']),
  tools: {
    query: tool({ inputSchema: z.object({}), execute: () => Array.from({ length: 1_000 }, (_, row) => row) }),
  },
  processors: [firstRows(2)],
})
const { steps } = await agent.generate('How many customers are there?')
const [result] = steps[0]?.toolResults ?? []
assert(result?.status === 'success')
console.log(result.output) // { rows: [ 0, 1 ], total: 1000 }
assert.deepEqual(result.output, { rows: [0, 1], total: 1_000 })
