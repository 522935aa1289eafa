/** Adds facts about the question to the prompt, without storing them. */
import assert from 'node:assert/strict'
import { Agent, type Processor, textOfParts, userMessage } from '@millrace/core'
import { ScriptedModel } from '@millrace/testing'

const facts = { close: 'The mill closes at five.', miller: 'The miller is called Ada.' }

/** Adds known facts about the question. It is context: sent with every step, never stored. */
const recall: Processor = {
  id: 'recall',
  processInput({ messages, messageList }) {
    const question = textOfParts(messages.at(-1)?.content.parts ?? [])
    const known = Object.entries(facts).filter(([word]) => question.includes(word))
    messageList.add(
      known.map(([, fact]) => userMessage(fact)),
      'context',
    )
    return messageList
  },
}

// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const model = new ScriptedModel(['At five.'])
const { messages } = await new Agent({ model, processors: [recall] }).generate('When does it close?')
console.log(model.lastPrompt.length, messages.length) // 2 1
assert.match(JSON.stringify(model.lastPrompt[0]), /closes at five/)
