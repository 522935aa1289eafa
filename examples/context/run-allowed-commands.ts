/** Replaces `$(command)` with the output of an allowed command. Other commands do not run. */
import assert from 'node:assert/strict'
import { ShellCommands } from '@millrace/context/shell-commands'
import { Agent } from '@millrace/core'
import { ScriptedModel } from '@millrace/testing'

// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const model = new ScriptedModel(['It is new enough.'])
const agent = new Agent({
  model,
  processors: [new ShellCommands({ commands: { node: { file: process.execPath, args: [['--version']] } } })],
})
await agent.generate('I have $(node --version), and $(rm -rf .). Is it new enough?')
console.log(model.lastPrompt[0]?.content)
assert.match(JSON.stringify(model.lastPrompt[0]), /v\d+\./)
assert.match(JSON.stringify(model.lastPrompt[1]), /rm -rf \.: It was not run: this command is not allowed/)
