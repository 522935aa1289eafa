import { Agent, type Processor } from '@millrace/core'
import { InMemoryStore } from '@millrace/core/storage'
import { gate, ScriptedModel } from '@millrace/testing'
import { expect, test } from 'vitest'
import { Memory } from '../src/index.ts'

const ids = { threadId: 't', resourceId: 'ada' }

const redactor: Processor = {
  id: 'redactor',
  processOutputStep: ({ messages }) =>
    messages.slice(-1).map((message) => ({
      ...message,
      content: {
        parts: message.content.parts.map((part) =>
          part.type === 'text' ? { ...part, text: part.text.replaceAll('SECRET', '[R]') } : part,
        ),
      },
    })),
}

test.each(['turn', 'step'] as const)('is no reason to hold a stream (persist: %s)', async (persist) => {
  const rest = gate()
  const model = new ScriptedModel([['Hello ', rest, 'Ada.']])
  const memory = new Memory({ storage: new InMemoryStore(), persist })
  let said = ''
  for await (const piece of new Agent({ model, memory }).stream('Hi', ids).textStream) {
    said += piece
    if (said === 'Hello ') rest.open()
  }
  expect(said).toBe('Hello Ada.')
})

test.each(['turn', 'step'] as const)('stores what textStream yielded (persist: %s)', async (persist) => {
  const memory = new Memory({ storage: new InMemoryStore(), persist })
  const model = new ScriptedModel(['It is SECRET.'])
  const agent = new Agent({ model, memory, processors: [redactor] })
  let said = ''
  for await (const piece of agent.stream('Hi', ids).textStream) said += piece
  expect(said).toBe('It is [R].')
  const [, answer] = await memory.getMessages(ids)
  expect(answer?.content.parts).toMatchObject([{ type: 'step-start' }, { type: 'text', text: said }])
})
