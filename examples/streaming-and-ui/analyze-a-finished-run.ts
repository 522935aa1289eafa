/** Reads which agent ran, how long each step took and how many tokens it used. */
import assert from 'node:assert/strict'
import { Agent } from '@millrace/core'
import { ScriptedModel, toolCall } from '@millrace/testing'

// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const researcher = new Agent({ name: 'researcher', model: new ScriptedModel(['Example Ltd., 1851.']) })
const editor = new Agent({
  name: 'editor',
  model: new ScriptedModel([
    toolCall('research', { prompt: 'Who built it?' }),
    'Example Ltd. built it in 1851.',
  ]),
  tools: { research: researcher.asTool() },
})

const { steps, usage } = await editor.generate('Who built the mill?')
for (const { stepNumber, usage, durationMs, toolCalls } of steps) {
  console.log(
    stepNumber,
    toolCalls.map(({ toolName }) => toolName),
    usage.totalTokens,
    durationMs >= 0,
  )
}
assert.deepEqual(
  steps[0]?.toolCalls.map(({ toolName }) => toolName),
  ['research'],
)
assert.equal(usage.totalTokens, 45) // Two steps with 15 tokens each, and 15 of the agent that was called as a tool.
