/** Adds the open file, the selection and the cursor of an editor. */
import assert from 'node:assert/strict'
import { EditorContext, type EditorState } from '@millrace/context/editor-context'
import { Agent, RequestContext } from '@millrace/core'
import { ScriptedModel } from '@millrace/testing'

// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const model = new ScriptedModel(['It adds two numbers.'])
const agent = new Agent({
  model,
  processors: [new EditorContext({ from: (context) => context.get('editor') as EditorState | undefined })],
})
const editor: EditorState = { activeFile: 'sum.ts', cursor: { line: 3 }, selection: { text: 'a + b' } }
await agent.generate('What does this do?', { requestContext: new RequestContext({ editor }) })
console.log(model.lastPrompt[0]?.content)
assert.match(JSON.stringify(model.lastPrompt[0]), /active file: sum\.ts.*cursor: line 3.*a \+ b/)
