/** Waits for the approval of a person before a dangerous tool runs. The person may correct its input. */
import assert from 'node:assert/strict'
import { Agent, tool } from '@millrace/core'
import { ApprovalGate } from '@millrace/steering/approval-gate'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { z } from 'zod'

const paid: number[] = []
const pay = tool({
  inputSchema: z.object({ amount: z.number() }),
  metadata: { dangerous: true },
  execute: ({ amount }) => paid.push(amount),
})
const agent = new Agent({
  // A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
  model: new ScriptedModel([toolCall('pay', { amount: 200 }), 'Paid.']),
  tools: { pay },
  processors: [new ApprovalGate({ timeLimit: 15 * 60 * 1_000 })],
})

await agent.generate('Pay Northwind.', { threadId: 'thread-1' })
const [waiting] = await agent.suspendedRuns({ threadId: 'thread-1' })
assert(waiting)
assert.deepEqual(paid, [])

// A person reads `waiting.payload` and corrects the amount.
const { text } = await agent.resume(waiting.runId, { approved: true, input: { amount: 20 } })
console.log(text, paid) // Paid. [ 20 ]
assert.deepEqual(paid, [20])
