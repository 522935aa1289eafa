/** Includes the files that a user mentions as `@path`, and refuses files outside the folder. */
import assert from 'node:assert/strict'
import { FileMentions } from '@millrace/context/file-mentions'
import { Agent } from '@millrace/core'
import { ScriptedModel } from '@millrace/testing'

// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const model = new ScriptedModel(['A window over a history.'])
const agent = new Agent({ model, processors: [new FileMentions({ root: import.meta.dirname })] })
await agent.generate('What is in @keep-the-newest-messages.ts, and in @../README.md?')
console.log(model.lastPrompt[0]?.content)
assert.match(JSON.stringify(model.lastPrompt[0]), /new HistoryWindow/)
assert.match(JSON.stringify(model.lastPrompt[1]), /README\.md: It is outside the folder that may be read/)
