/** Adds a tool once the conversation is about its topic. */
import assert from 'node:assert/strict'
import { Agent, type Processor, textOfParts, tool } from '@millrace/core'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { z } from 'zod'

const refund = tool({
  inputSchema: z.object({ order: z.string() }),
  execute: ({ order }) => `refunded ${order}`,
})

/** Adds the refund tool when a message is about refunds. */
const refunds: Processor = {
  id: 'refunds',
  processInputStep({ messages, tools }) {
    const isAboutRefunds = messages.some(({ content }) => /refund/i.test(textOfParts(content.parts)))
    return isAboutRefunds ? { tools: { ...tools, refund } } : undefined
  },
}

// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const model = new ScriptedModel(['Good morning.', toolCall('refund', { order: 'A-17' }), 'You get it back.'])
const agent = new Agent({ model, processors: [refunds] })

const small = await agent.generate('Good morning!')
assert.deepEqual(small.steps[0]?.request.tools, [])

const { steps, text } = await agent.generate('I want a refund for A-17.')
console.log(steps[0]?.request.tools, text) // [ 'refund' ] You get it back.
assert.equal(steps[0]?.toolResults[0]?.status, 'success')
