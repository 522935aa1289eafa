/** Keeps the prompt of a run with thirty tool calls small. */
import assert from 'node:assert/strict'
import { Summarization } from '@millrace/context/summarization'
import { ToolOutputLimit } from '@millrace/context/tool-output-limit'
import { Agent, tool } from '@millrace/core'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { z } from 'zod'

const log = 'The gate is open, and the wheel turns. '.repeat(5_000)
const limit = new ToolOutputLimit()
// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const model = new ScriptedModel((_, step) => (step < 30 ? toolCall('read_log', { page: step }) : 'It turns.'))
const agent = new Agent({
  model,
  tools: {
    ...limit.tools, // reads what was cut
    read_log: tool({ inputSchema: z.object({ page: z.number() }), execute: () => log }),
  },
  contextWindow: 8_000,
  maxSteps: 40,
  processors: [
    limit, // cuts long outputs
    new Summarization({ model: new ScriptedModel(['Pages say: it turns.'], { repeat: 'last' }) }),
  ],
})
const { text, steps } = await agent.generate('Does the wheel turn?')

console.log(text, steps.length, model.lastPrompt.length) // It turns. 31, with a handful of messages in the prompt
assert.equal(text, 'It turns.')
assert(model.lastPrompt.length < 12)
assert.match(JSON.stringify(model.lastPrompt[0]), /Pages say: it turns/)
assert.match(JSON.stringify(model.lastPrompt[1]), /Does the wheel turn/)
