import { Agent, textOfParts } from '@millrace/core'
import { ScriptedModel } from '@millrace/testing'
import { expect, test } from 'vitest'
import { Memory } from './memory.ts'

test('remembers', async () => {
  const model = new ScriptedModel(['Hello Ada', 'You are Ada'])
  const memory = new Memory({ semanticRecall: true })
  const agent = new Agent({ model, memory })
  await agent.generate('I am Ada')
  const r = await agent.generate('Who am I?')
  expect(r.warnings).toEqual([])
  expect(model.lastPrompt.length).toBe(3)
  expect((await memory.getMessages()).map((m) => textOfParts(m.content.parts))).toEqual(['I am Ada', 'Hello Ada', 'Who am I?', 'You are Ada'])
})
