/** Shows the reasoning of one provider to another as text. */
import assert from 'node:assert/strict'
import { Agent, type MessagePart, type Processor, userMessage } from '@millrace/core'
import { reasoning, ScriptedModel } from '@millrace/testing'

/** Another provider does not accept this reasoning, but it can read it as text. */
const reasoningAsText: Processor = {
  id: 'reasoning-as-text',
  processInputStep: ({ messages }) =>
    messages.map((message) => ({
      ...message,
      content: {
        ...message.content,
        parts: message.content.parts.map(
          (part): MessagePart =>
            part.type === 'reasoning' ? { type: 'text', text: `(${part.text})` } : part,
        ),
      },
    })),
}

// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const first = new ScriptedModel([[reasoning('Seven times eight.'), '56.']])
const { messages } = await new Agent({ model: first }).generate('What is 7 × 8?')

const second = new ScriptedModel(['By multiplying.'])
const agent = new Agent({ model: second, processors: [reasoningAsText] })
await agent.generate([...messages, userMessage('How do you know?')], { trusted: true }) // the application sends all of them, so they are trusted

const [answer] = second.lastPrompt
console.log(answer?.content) // [ { type: 'text', text: '(Seven times eight.)' }, { type: 'text', text: '56.' } ]
assert.deepEqual(answer?.content, [
  { type: 'text', text: '(Seven times eight.)' },
  { type: 'text', text: '56.' },
])
