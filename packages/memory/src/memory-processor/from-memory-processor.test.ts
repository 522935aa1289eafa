import { Agent } from '@millrace/core'
import { InMemoryStore } from '@millrace/core/storage'
import { ScriptedModel } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { beforeEach, expect, test } from 'vitest'
import { answeredCall, lines, saidByAssistant, saidByUser } from '../../test/texts.ts'
import { Memory } from '../memory.ts'
import { fromMemoryProcessor } from './from-memory-processor.ts'
import type { LegacyMessage, MemoryProcessor, MemoryProcessorOptions } from './memory-processor.ts'

expect.extend(matchers)

/** As Mastra's documentation has it: leaves out calls of tools, and their results. */
class ToolCallFilter implements MemoryProcessor {
  readonly exclude: string[]

  constructor({ exclude }: { exclude: string[] }) {
    this.exclude = exclude
  }

  process(messages: LegacyMessage[]): LegacyMessage[] {
    const excluded = new Set<string>()
    return messages.flatMap((message) => {
      if (!Array.isArray(message.content)) return [message]
      const content = message.content.filter(({ type, toolName, toolCallId }) => {
        if (type === 'tool-call' && this.exclude.includes(toolName)) excluded.add(toolCallId)
        return !excluded.has(toolCallId)
      })
      if (content.length === message.content.length) return [message]
      return content.length === 0 ? [] : [{ ...message, content }]
    })
  }
}

/** Keeps the last messages, in the older form. */
class LastLines implements MemoryProcessor {
  readonly seen: MemoryProcessorOptions[] = []
  readonly count: number

  constructor(count: number) {
    this.count = count
  }

  process(messages: LegacyMessage[], options: MemoryProcessorOptions): LegacyMessage[] {
    this.seen.push(options)
    return messages.slice(-this.count)
  }
}

let storage: InMemoryStore
let model: ScriptedModel

beforeEach(async () => {
  storage = new InMemoryStore()
  model = new ScriptedModel(['Fine'])
  const answer = saidByAssistant('Let me look.', 'a1')
  answer.content.parts = [
    { type: 'step-start' },
    ...answer.content.parts,
    answeredCall('call-1', 'Rain'),
    { type: 'step-start' },
    { type: 'text', text: 'It rains.' },
  ]
  await storage.saveMessages({ threadId: 't', messages: [saidByUser('Rain?', 'u1'), answer] })
})

async function ask(processors: MemoryProcessor[]): Promise<void> {
  const memory = new Memory({ storage, processors })
  const agent = new Agent({ model, memory, instructions: 'Be brief.' })
  const result = await agent.generate('And now?', { threadId: 't' })
  expect(result).toBeCompleted()
}

test('a processor that changes nothing leaves the prompt unchanged', async () => {
  await ask([{ process: (messages) => messages }])
  expect(model.lastPrompt.map(({ role }) => role)).toEqual([
    'system',
    'user',
    'assistant',
    'tool',
    'assistant',
    'user',
  ])
})

test('a tool call filter works as in Mastra, and the store keeps the calls', async () => {
  await ask([new ToolCallFilter({ exclude: ['weather'] })])
  expect(model.lastPrompt.map(({ role }) => role)).toEqual([
    'system',
    'user',
    'assistant',
    'assistant',
    'user',
  ])
  expect(JSON.stringify(model.lastPrompt)).not.toContain('call-1')
  const { items } = await storage.listMessages({ threadId: 't' })
  expect(items[1]?.message.content.parts).toContainEqual(answeredCall('call-1', 'Rain'))
})

test('a call and its result are kept or removed together', async () => {
  for (let count = 0; count <= 4; count++) {
    model = new ScriptedModel(['Fine'])
    await ask([new LastLines(count)])
    expect(model.lastPrompt).toPairEveryToolCall()
    await storage.deleteMessages({ threadId: 't', messageIds: await idsAfter('a1') })
  }
})

test('receives the instructions and the new user messages', async () => {
  const last = new LastLines(1)
  await ask([last])
  expect(last.seen).toEqual([
    {
      systemMessage: 'Be brief.',
      newMessages: [{ id: expect.any(String), role: 'user', content: 'And now?' }],
    },
  ])
})

test('messages that it adds exist for this run only', async () => {
  const shout = (message: LegacyMessage): LegacyMessage =>
    typeof message.content === 'string' ? { ...message, content: message.content.toUpperCase() } : message
  await ask([
    { process: (messages) => [{ role: 'user', content: 'A note' }, ...messages.map(shout)] },
    { process: async (messages) => messages },
  ])
  const prompt = JSON.stringify(model.lastPrompt)
  expect(prompt).toContain('RAIN?')
  expect(prompt).toContain('A note')
  const { items } = await storage.listMessages({ threadId: 't' })
  expect(lines(items.map(({ message }) => message))).toEqual([
    'user: Rain?',
    'assistant: Let me look.It rains.',
    'user: And now?',
    'assistant: Fine',
  ])
})

test('an error fails the run, because the processor may hide content from the model', async () => {
  const faulty: MemoryProcessor = {
    process: () => {
      throw new Error('Broken')
    },
  }
  const failure = { code: 'PROCESSOR_FAILED' }
  await expect(ask([faulty])).rejects.toMatchObject(failure)
  const alone = new Agent({ model, processors: [fromMemoryProcessor(faulty)] })
  await expect(alone.generate('Hello')).rejects.toMatchObject(failure)
  const lenient = new Agent({ model, memory: new Memory({ processors: [faulty], onError: 'skip' }) })
  expect((await lenient.generate('Hello')).warnings).toHaveLength(1)
})

async function idsAfter(id: string): Promise<string[]> {
  const { items } = await storage.listMessages({ threadId: 't' })
  const ids = items.map(({ message }) => message.id)
  return ids.slice(ids.indexOf(id) + 1)
}
