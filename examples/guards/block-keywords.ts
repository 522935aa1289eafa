/** Blocks input with keywords or matches of a regular expression. */
import assert from 'node:assert/strict'
import { Agent } from '@millrace/core'
import { KeywordGuard } from '@millrace/guards/keyword-guard'
import { RegexFilter } from '@millrace/guards/regex-filter'
import { ScriptedModel } from '@millrace/testing'

const agent = new Agent({
  // A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
  model: new ScriptedModel(['Sure.']),
  inputProcessors: [
    new KeywordGuard({ keywords: ['trade secret'] }),
    new RegexFilter({ patterns: [/\bPROJECT-\d{3}\b/] }),
  ],
})

for (const question of ['What is the TRADE  secret?', 'What is PROJECT-042?']) {
  const { status, rejection } = await agent.generate(question)
  console.log(status, rejection?.processorId)
  assert.equal(status, 'tripwire')
}
assert.equal((await agent.generate('May I trade it?')).text, 'Sure.')
