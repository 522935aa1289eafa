/** Redacts personal data in the input, in tool results and in the answer. */
import assert from 'node:assert/strict'
import { Agent, tool } from '@millrace/core'
import { UnicodeNormalizer } from '@millrace/guards/unicode-normalizer'
import { PIIDetector } from '@millrace/pii'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { z } from 'zod'

const stages: string[] = []
// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const model = new ScriptedModel([toolCall('customer', {}), 'Her address is grace@example.com.'])
const agent = new Agent({
  model,
  tools: { customer: tool({ inputSchema: z.object({}), execute: () => ({ email: 'grace@example.com' }) }) },
  processors: [
    new UnicodeNormalizer(),
    new PIIDetector({ onDetection: ({ surface }) => stages.push(surface) }),
  ],
})

const { text } = await agent.generate('I am ada@example.com. Who is the customer?')
console.log(text, stages) // Her address is ***@***.***. [ 'input', 'tool-result', 'answer' ]
assert.equal(text, 'Her address is ***@***.***.')
assert.deepEqual(stages, ['input', 'tool-result', 'answer'])
assert.doesNotMatch(JSON.stringify(model.calls), /(?:ada|grace)@/)
