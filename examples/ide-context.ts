/**
 * Adds open file, selection, cursor.
 */
import assert from 'node:assert/strict'
import { Agent, type Processor, RequestContext } from '@millrace/core'
import { ScriptedModel } from '@millrace/testing'

interface Editor {
  file: string
  selection: string
}

/** What the editor knows comes with the request; each step sees it as it is then. */
const editor: Processor = {
  id: 'editor',
  processInputStep({ requestContext, systemMessages }) {
    const { file, selection } = requestContext.get('editor') as Editor
    const content = `Open: ${file}. Selected: ${selection}`
    return { systemMessages: [...systemMessages, { role: 'system', content }] }
  },
}

const model = new ScriptedModel(['It adds two numbers.'])
const requestContext = new RequestContext({ editor: { file: 'sum.ts', selection: 'a + b' } })
await new Agent({ model, processors: [editor] }).generate('What does this do?', { requestContext })
console.log(model.lastPrompt[0]?.content) // Open: sum.ts. Selected: a + b
assert.equal(model.lastPrompt[0]?.content, 'Open: sum.ts. Selected: a + b')
