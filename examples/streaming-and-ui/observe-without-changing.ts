/** Counts messages and chunks, and changes nothing. */
import assert from 'node:assert/strict'
import { Agent, type Processor } from '@millrace/core'
import { ScriptedModel } from '@millrace/testing'

const counts = { messages: 0, chunks: 0 }
const metrics: Processor = {
  id: 'metrics',
  processInputStep({ messages }) {
    counts.messages += messages.length
  },
  processOutputStream({ part }) {
    counts.chunks++
    return part // The stream hook drops what it does not return.
  },
}

const { processors } = await new Agent({
  // A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
  model: new ScriptedModel(['It turns.']),
  processors: [metrics],
}).generate('Does it turn?')
console.log(
  counts.messages,
  processors.map(({ action }) => action),
) // 1 [ 'passed', 'passed' ]
assert(processors.every(({ action }) => action === 'passed'))
