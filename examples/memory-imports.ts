/**
 * Pulls in `@memory:` references.
 */
import assert from 'node:assert/strict'
import { Agent, type Processor, textOfParts, userMessage } from '@millrace/core'
import { ScriptedModel } from '@millrace/testing'

const memories: Record<string, string> = { style: 'Short sentences. No adjectives.' }

const imports: Processor = {
  id: 'imports',
  processInput({ messages, messageList }) {
    const text = messages.map(({ content }) => textOfParts(content.parts)).join('\n')
    const names = [...text.matchAll(/@memory:(\w+)/g)].map(([, name = '']) => name)
    const found = names.filter((name) => Object.hasOwn(memories, name))
    messageList.add(
      found.map((name) => userMessage(`${name}: ${memories[name]}`)),
      'context',
    )
    return messageList
  },
}

const model = new ScriptedModel(['The wheel turns.'])
await new Agent({ model, processors: [imports] }).generate('Describe the mill in @memory:style.')
console.log(model.lastPrompt[0]?.content)
assert.match(JSON.stringify(model.lastPrompt[0]), /No adjectives/)
