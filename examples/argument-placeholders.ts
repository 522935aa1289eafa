/**
 * Substitutes `{arg}`-style placeholders.
 */
import assert from 'node:assert/strict'
import { Agent, type Processor, RequestContext } from '@millrace/core'
import { ScriptedModel } from '@millrace/testing'

const substitute: Processor = {
  id: 'substitute',
  processInput: ({ messages, requestContext }) =>
    messages.map((message) => ({
      ...message,
      content: {
        ...message.content,
        parts: message.content.parts.map((part) =>
          part.type === 'text'
            ? {
                ...part,
                text: part.text.replace(/\{(\w+)\}/g, (whole, name) =>
                  String(requestContext.get(name) ?? whole),
                ),
              }
            : part,
        ),
      },
    })),
}

const model = new ScriptedModel(['It is fine.'])
const requestContext = new RequestContext({ branch: 'main' })
await new Agent({ model, processors: [substitute] }).generate('Review {branch} for {nobody}.', {
  requestContext,
})
console.log(model.lastPrompt[0]?.content) // [ { type: 'text', text: 'Review main for {nobody}.' } ]
assert.match(JSON.stringify(model.lastPrompt), /Review main for \{nobody\}\./)
