/** Adds the time, the folder, the git branch and a list of files. */
import assert from 'node:assert/strict'
import { DirectoryContext } from '@millrace/context/directory-context'
import { EnvironmentContext } from '@millrace/context/environment-context'
import { Agent } from '@millrace/core'
import { ScriptedModel } from '@millrace/testing'

const root = import.meta.dirname
// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const model = new ScriptedModel(['add-time-and-folder.ts adds it.'])
const agent = new Agent({
  model,
  processors: [
    new EnvironmentContext({ root, fields: ['time', 'cwd', 'gitBranch'] }),
    new DirectoryContext({ root, maxDepth: 1 }),
  ],
})
await agent.generate('Which file adds the context?')
console.log(model.lastPrompt.map(({ role }) => role)) // [ 'user', 'user', 'user' ]
assert.match(JSON.stringify(model.lastPrompt[0]), /time: \d{4}-\d\d-\d\d/)
assert.match(JSON.stringify(model.lastPrompt[1]), /add-time-and-folder\.ts/)
