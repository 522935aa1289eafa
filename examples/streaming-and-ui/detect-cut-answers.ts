/** Detects answers that were cut at the output limit. */
import assert from 'node:assert/strict'
import { Agent, type Processor } from '@millrace/core'
import { finish, ScriptedModel } from '@millrace/testing'

const cutShort: number[] = []
const inspect: Processor = {
  id: 'inspect',
  processOutputStep({ finishReason, stepNumber }) {
    if (finishReason === 'length') cutShort.push(stepNumber)
  },
}

// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const model = new ScriptedModel([['A long answer that', finish({ reason: 'length' })]])
await new Agent({ model, processors: [inspect] }).generate('Tell me everything.')
console.log(cutShort) // [ 0 ]
assert.deepEqual(cutShort, [0])
