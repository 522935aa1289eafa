/** Adds a signature to the final answer, and logs the usage. */
import assert from 'node:assert/strict'
import { Agent, type Processor } from '@millrace/core'
import { ScriptedModel } from '@millrace/testing'

const signed: Processor = {
  id: 'signed',
  processOutputResult({ messages, result }) {
    console.log(`${result.usage.totalTokens} tokens, ${result.steps.length} step`) // 15 tokens, 1 step
    const parts = messages.at(-1)?.content.parts
    parts?.push({ type: 'text', text: '\n— The miller' })
    return messages
  },
}

// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const agent = new Agent({ model: new ScriptedModel(['The wheel turns.']), processors: [signed] })
const { text } = await agent.generate('How is the mill?')
console.log(text)
assert.equal(text, 'The wheel turns.\n— The miller')
