/** Replaces the input of a tool call with the identity of the user. */
import assert from 'node:assert/strict'
import { Agent, type Processor, tool } from '@millrace/core'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { z } from 'zod'

/** Sets the customer to that of the request, not the one the model asks for. The new input is validated again. */
const ownOrders: Processor = {
  id: 'own-orders',
  processToolCall: ({ toolCall, requestContext }) => ({
    input: { ...(toolCall.input as object), customer: requestContext.resourceId },
  }),
}

const orders = tool({
  inputSchema: z.object({ customer: z.string() }),
  execute: ({ customer }) => `orders of ${customer}`,
})
// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const model = new ScriptedModel([toolCall('orders', { customer: 'somebody-else' }), 'Here they are.'])
const agent = new Agent({ model, tools: { orders }, processors: [ownOrders] })
const { steps } = await agent.generate('My orders?', { resourceId: 'customer-1' })
const [result] = steps[0]?.toolResults ?? []
assert(result?.status === 'success')
console.log(result.output) // orders of customer-1
assert.equal(result.output, 'orders of customer-1')
