/**
 * Resolving @file mentions.
 * Resolves @file references to contents.
 */
import assert from 'node:assert/strict'
import { FileMentions } from '@millrace/context/file-mentions'
import { Agent } from '@millrace/core'
import { ScriptedModel } from '@millrace/testing'

const model = new ScriptedModel(['One for each use case.'])
const agent = new Agent({ model, processors: [new FileMentions({ root: import.meta.dirname })] })
await agent.generate('What is in @README.md, and in @../package.json?')
console.log(model.lastPrompt[0]?.content)
assert.match(JSON.stringify(model.lastPrompt[0]), /One short file for each use case/)
assert.match(JSON.stringify(model.lastPrompt[1]), /package\.json: It is outside the folder that may be read/)
