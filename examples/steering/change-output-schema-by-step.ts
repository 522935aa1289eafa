/** Asks for another form of the answer after a tool has failed. */
import assert from 'node:assert/strict'
import { Agent, type Processor, tool } from '@millrace/core'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { z } from 'zod'

const offer = z.object({ price: z.number() })
const apology = z.object({ apology: z.string() })

/** If the price is unknown, the answer has another schema. */
const apologise: Processor = {
  id: 'apologise',
  processInputStep({ steps }) {
    const failed = steps.at(-1)?.toolResults.some(({ status }) => status === 'error')
    return failed ? { structuredOutput: { schema: apology } } : undefined
  },
}

// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const model = new ScriptedModel([toolCall('price', {}), '{"apology":"We do not have the price."}'])
const agent = new Agent({
  model,
  tools: {
    price: tool({
      inputSchema: z.object({}),
      execute: () => {
        throw new Error('The price list is gone.')
      },
    }),
  },
  processors: [apologise],
})

const { object } = await agent.generate('What does it cost?', { output: offer })
console.log(object) // { apology: 'We do not have the price.' }
assert.deepEqual(object, { apology: 'We do not have the price.' })
