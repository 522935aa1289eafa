/**
 * Handles `$(cmd)` shell substitution.
 */
import assert from 'node:assert/strict'
import { Agent, type Processor } from '@millrace/core'
import { ScriptedModel } from '@millrace/testing'

/** Commands by name, each a function: nothing that a user or a tool wrote is ever run. */
const commands: Record<string, () => string> = { 'node --version': () => process.version }

const shell: Processor = {
  id: 'shell',
  processInput: ({ messages }) =>
    messages.map((message) => ({
      ...message,
      content: {
        ...message.content,
        parts: message.content.parts.map((part) =>
          part.type === 'text'
            ? {
                ...part,
                text: part.text.replace(/\$\(([^()]{1,80})\)/g, (whole, name) => run(name) ?? whole),
              }
            : part,
        ),
      },
    })),
}

function run(name: string): string | undefined {
  return Object.hasOwn(commands, name) ? commands[name]?.() : undefined
}

const model = new ScriptedModel(['It is new enough.'])
await new Agent({ model, processors: [shell] }).generate(
  'I have $(node --version), and $(rm -rf .). Is it new enough?',
)
console.log(model.lastPrompt[0]?.content)
assert.match(JSON.stringify(model.lastPrompt), /I have v\d+.*and \$\(rm -rf \.\)/)
