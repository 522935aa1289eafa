/** Blocks a harmful answer. */
import assert from 'node:assert/strict'
import { Agent } from '@millrace/core'
import { ModerationProcessor } from '@millrace/guards/moderation'
import { ScriptedModel } from '@millrace/testing'

const agent = new Agent({
  // A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
  model: new ScriptedModel(['I will kill you.']),
  outputProcessors: [new ModerationProcessor()],
})

const { status, text, rejection } = await agent.generate('How was your day?')
console.log(status, rejection?.reason)
assert.equal(status, 'tripwire')
assert.equal(text, '')
