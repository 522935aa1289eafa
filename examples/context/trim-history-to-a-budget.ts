/** Removes old tool calls and old turns until the prompt fits a token budget. */
import assert from 'node:assert/strict'
import { Agent, userMessage } from '@millrace/core'
import { ToolCallFilterProcessor } from '@millrace/steering/tool-call-filter'
import { ScriptedModel } from '@millrace/testing'
import { TokenLimiterProcessor } from '@millrace/tokens'

// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const model = new ScriptedModel(['Yes.'])
const agent = new Agent({
  model,
  // Removes old tool calls first, then the oldest turns.
  processors: [new ToolCallFilterProcessor(), new TokenLimiterProcessor({ inputLimit: 100 })],
})
const history = Array.from({ length: 30 }, (_, day) => userMessage(`On day ${day} the wheel turned.`))
await agent.generate([...history, userMessage('Does it turn?')])

console.log(model.lastPrompt.length) // Fewer than 31 messages.
assert(model.lastPrompt.length < 31)
assert.match(JSON.stringify(model.lastPrompt.at(-1)), /Does it turn/)
