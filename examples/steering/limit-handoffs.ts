/** Network: agents hand off to each other, up to a limit. */
import assert from 'node:assert/strict'
import { Agent, type ToolSet } from '@millrace/core'
import { ScriptedModel, toolCall } from '@millrace/testing'

/** Maximum depth of nested agents below the first one. */
const maxDepth = 3

/** A model that hands off to the other agent until a handoff fails. */
const unsure = (other: string) =>
  // A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
  new ScriptedModel(({ prompt }) =>
    JSON.stringify(prompt.at(-1)).includes('was not called')
      ? 'I do not know, and nobody else does: please write to help@example.com.'
      : toolCall(other, { prompt: 'Which tariff fits?' }),
  )

const toSupport: ToolSet = {}
const toSales: ToolSet = {}
const sales = new Agent({ name: 'sales', model: unsure('to_support'), tools: toSupport })
const support = new Agent({ name: 'support', model: unsure('to_sales'), tools: toSales })
toSales.to_sales = sales.asTool({ handoff: true, maxDepth })
toSupport.to_support = support.asTool({ handoff: true, maxDepth })

const errors: string[] = []
for (const agent of [sales, support]) {
  agent.on('run-finish', ({ result }) => {
    for (const { toolResults } of result.steps)
      for (const answer of toolResults) if (answer.status === 'error') errors.push(answer.error)
  })
}
const { text, status } = await support.generate('Which tariff fits?')
await Promise.all([sales.close(), support.close()])
console.log(status, text) // completed I do not know, …
console.log(errors[0]) // The agent 'support' was not called: agents already run 3 levels deep (support → sales → …
assert.equal(status, 'completed')
assert.match(text, /nobody else does/)
assert.equal(errors.length, 1)
