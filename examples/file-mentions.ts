/**
 * Resolving @file mentions.
 * Resolves @file references to contents.
 */
import assert from 'node:assert/strict'
import { Agent, type MessagePart, type Processor } from '@millrace/core'
import { ScriptedModel } from '@millrace/testing'

/** Files that may be mentioned. Reading from a disk, check that the path stays within the project. */
const files: Record<string, string> = { 'notes.md': 'Buy flour.' }

const mentions: Processor = {
  id: 'mentions',
  processInput: ({ messages }) =>
    messages.map((message) => {
      const parts = message.content.parts.flatMap((part): MessagePart[] => {
        if (part.type !== 'text') return [part]
        const named = [...part.text.matchAll(/@([\w.-]+)/g)].map(([, name = '']) => name)
        const found = named.filter((name) => Object.hasOwn(files, name))
        return [
          part,
          ...found.map((name): MessagePart => ({ type: 'text', text: `${name}:\n${files[name]}` })),
        ]
      })
      return { ...message, content: { ...message.content, parts } }
    }),
}

const model = new ScriptedModel(['Flour.'])
await new Agent({ model, processors: [mentions] }).generate('What do I need, by @notes.md?')
console.log(model.lastPrompt[0]?.content)
assert.match(JSON.stringify(model.lastPrompt), /Buy flour\./)
