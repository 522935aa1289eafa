/** Retracts text that a reader has seen, because a check of the whole answer rejects it. */
import assert from 'node:assert/strict'
import { Agent, type Processor } from '@millrace/core'
import { ScriptedModel } from '@millrace/testing'

/** Checks the whole answer, after it was streamed. */
const noPromises: Processor = {
  id: 'no-promises',
  processOutputStep({ text, abort }) {
    if (/\bguarantee\b/i.test(text)) abort('Do not promise anything.', { retry: true })
  },
}

// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const model = new ScriptedModel(['We guarantee delivery tomorrow.', 'It usually arrives tomorrow.'])
const agent = new Agent({ model, processors: [noPromises] })

// Your page does the same; `useChat` does it for you.
const run = agent.stream('When does it arrive?')
let shown = ''
let retracted = 0
for await (const chunk of run.fullStream) {
  if (chunk.type === 'text-delta') shown += chunk.textDelta
  if (chunk.type === 'step-discarded') {
    retracted++
    shown = ''
  }
}
console.log(shown) // It usually arrives tomorrow.
assert.equal(retracted, 1)
assert.equal(shown, 'It usually arrives tomorrow.')
assert.equal((await run.result).text, shown)
