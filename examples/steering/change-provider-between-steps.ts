/** Changes the provider between two steps, and repairs the ids of tool calls for it. */
import assert from 'node:assert/strict'
import { Agent, tool } from '@millrace/core'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { z } from 'zod'

// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const claude = new ScriptedModel([toolCall('weather', { city: 'Oslo' }, { id: 'toolu_01' })], {
  provider: 'anthropic.messages',
  modelId: 'claude-sonnet-4-6',
})
const mistral = new ScriptedModel(['It snows.'], {
  provider: 'mistral.chat',
  modelId: 'mistral-large-latest',
})

const agent = new Agent({
  model: claude,
  tools: { weather: tool({ inputSchema: z.object({ city: z.string() }), execute: () => 'snow' }) },
  prepareStep: ({ stepNumber }) => (stepNumber === 1 ? { model: mistral } : {}),
})
const { messages, steps } = await agent.generate('How is the weather in Oslo?')

// Mistral accepts only ids in its own format. The call and its result get one.
const sent = JSON.stringify(mistral.calls[0]?.prompt)
console.log(steps[1]?.request.mended, sent) // [ 'toolCalls' ] …
assert.deepEqual(steps[1]?.request.mended, ['toolCalls'])
assert.ok(!sent.includes('toolu_01'))
// The transcript is not changed.
assert.ok(JSON.stringify(messages).includes('toolu_01'))
