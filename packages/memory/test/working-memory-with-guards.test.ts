// The plan's tests of working memory with others, under its names: see docs/tests-of-the-plan.md for what each is adapted to.
import { Agent } from '@millrace/core'
import { PromptInjectionDetector } from '@millrace/guards/prompt-injection'
import { PIIDetector } from '@millrace/pii'
import { ScriptedModel } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { describe, expect, test } from 'vitest'
import { Memory } from '../src/index.ts'
import { INJECTION } from './said.ts'
import { lines } from './texts.ts'
import { watchStore } from './watched-store.ts'

expect.extend(matchers)

describe('WorkingMemory with other processors', () => {
  test('working memory injected after input validation', async () => {
    const { storage, calls } = watchStore()
    const memory = new Memory({ storage, workingMemory: { template: 'User preferences: {{preferences}}' } })
    const agent = new Agent({
      model: new ScriptedModel(['Never said']),
      inputProcessors: [new PromptInjectionDetector({ strategy: 'block' }), memory],
    })
    const result = await agent.generate(INJECTION)
    expect(result.tripwire).toBe(true)
    expect(calls).toEqual([])
  })

  test('working memory extraction happens on cleaned output', async () => {
    const notes = notesOf((text) => ({ email: /[\w*]+@[\w*.]+/.exec(text)?.[0] }))
    const memory = new Memory({ workingMemory: { template: 'User email: {{email}}', model: notes } })
    const agent = new Agent({
      model: new ScriptedModel(['I have noted john@example.com']),
      outputProcessors: [new PIIDetector({ strategy: 'redact' }), memory],
    })
    await agent.generate('My email is john@example.com')
    await agent.close() // the model takes notes in the background
    const wm = await memory.getWorkingMemory()
    expect(wm.email).toBe('***@***.***')
    expect(wm.email).not.toBe('john@example.com')
    expect(notes.calls).toLeakNothingOf('john@example.com')
  })

  test('working memory persisted with message history', async () => {
    const notes = notesOf((text) => ({ topic: /talk about ([a-z ]+)/.exec(text)?.[1] }))
    const memory = new Memory({ workingMemory: { template: 'Topic: {{topic}}', model: notes } })
    const agent = new Agent({ model: new ScriptedModel(['Gladly.']), memory })
    await agent.generate("Let's talk about quantum computing")
    await agent.close()
    const wm = await memory.getWorkingMemory()
    expect(wm.topic).toContain('quantum computing')
    expect(lines(await memory.getMessages())).toEqual([
      "user: Let's talk about quantum computing",
      'assistant: Gladly.',
    ])
  })

  test('working memory with semantic recall coordination', async () => {
    const notes = notesOf((text) => ({ context: /timeline/.exec(text)?.[0] }))
    const memory = new Memory({
      lastMessages: false,
      semanticRecall: true,
      workingMemory: { template: 'Context: {{context}}', model: notes },
    })
    await memory.saveMessages([
      { role: 'user', content: 'Project deadline is Friday' },
      { role: 'assistant', content: 'Noted the Friday deadline' },
    ])
    const agent = new Agent({ model: new ScriptedModel(['Friday.', 'Still Friday.']), memory })
    await agent.generate("What's the timeline until the deadline?")
    const first = agent.getLastMessages().map((message) => JSON.stringify(message))
    expect(first.find((message) => message.includes('recalled-messages'))).toContain('Friday deadline')
    await agent.close()
    const wm = await memory.getWorkingMemory()
    expect(wm.context).toContain('timeline')

    await agent.generate('Remind me of the deadline.')
    const second = agent.getLastMessages().map((message) => JSON.stringify(message))
    expect(second.find((message) => message.includes('working-memory'))).toContain('timeline')
    expect(second.find((message) => message.includes('recalled-messages'))).toContain('Friday deadline')
  })
})

/** A model that takes notes of the last message it is shown, by a rule. */
function notesOf(rule: (text: string) => Record<string, string | undefined>): ScriptedModel {
  return new ScriptedModel(({ prompt }) => JSON.stringify(rule(JSON.stringify(prompt.at(-1)))))
}
