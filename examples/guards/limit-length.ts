/** Blocks input that is too long, and cuts a long answer. */
import assert from 'node:assert/strict'
import { Agent } from '@millrace/core'
import { ContentGuard } from '@millrace/guards/content-guard'
import { ScriptedModel } from '@millrace/testing'

const agent = new Agent({
  // A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
  model: new ScriptedModel(['It turns and turns and turns.']),
  processors: [
    new ContentGuard({ id: 'input-length', maxInputLength: 40 }),
    new ContentGuard({ id: 'output-length', maxOutputLength: 8, strategy: 'truncate' }),
  ],
})

const tooLong = await agent.generate('Tell me everything there is to know about the wheel of the mill.')
console.log(tooLong.status) // tripwire
assert.equal(tooLong.status, 'tripwire')

const { text } = await agent.generate('What does the wheel do?')
console.log(text) // It turns
assert.equal(text, 'It turns')
