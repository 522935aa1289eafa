/**
 * Adding environment or directory context.
 * Adds cwd, git branch, time. Adds directory listing.
 */
import assert from 'node:assert/strict'
import { DirectoryContext } from '@millrace/context/directory-context'
import { EnvironmentContext } from '@millrace/context/environment-context'
import { Agent } from '@millrace/core'
import { ScriptedModel } from '@millrace/testing'

const root = import.meta.dirname
const model = new ScriptedModel(['environment-context.ts adds it.'])
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
assert.match(JSON.stringify(model.lastPrompt[1]), /environment-context\.ts/)
