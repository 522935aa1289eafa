import { Agent, isToolPart, type Processor, textOfParts, tool } from '@millrace/core'
import { collect, ScriptedModel, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Memory } from '../src/index.ts'

expect.extend(matchers)

const ids = { threadId: 'thread-1', resourceId: 'ada' }
const ANSWER = 'Your invoice is 20 euros.'

function agents({ memory, processors = [] }: { memory: Memory; processors?: Processor[] }) {
  const innerMemory = new Memory({ storage: memory.storage })
  const inner = new Agent({
    name: 'billing',
    model: new ScriptedModel([['Let me look. ', toolCall('look')], ANSWER], { repeat: 'last' }),
    tools: { look: tool({ inputSchema: z.object({}), execute: () => 'a row of the database' }) },
    memory: innerMemory,
  })
  const model = new ScriptedModel([toolCall('transfer', { prompt: 'The invoice?' }), 'Anything else?'])
  const agent = new Agent({
    name: 'support',
    model,
    tools: { transfer: inner.asTool({ handoff: true }) },
    processors,
    memory,
  })
  return { agent, model, innerMemory }
}

async function stored(memory: Memory, threadId: string) {
  const messages = await memory.getMessages({ ...ids, threadId })
  return messages.map(({ role, content }) => [role, textOfParts(content.parts)])
}

describe('after a handoff', () => {
  test.each(['generate', 'stream'] as const)(
    'the thread has the turn as it was streamed, and the agent has its own thread: %s',
    async (way) => {
      const memory = new Memory({})
      const { agent, model, innerMemory } = agents({ memory })
      if (way === 'generate') await agent.generate('What do I owe?', ids)
      else await collect(agent.stream('What do I owe?', ids).fullStream)
      expect(await stored(memory, 'thread-1')).toEqual([
        ['user', 'What do I owe?'],
        ['assistant', `Let me look. ${ANSWER}`],
      ])
      const [, answer] = await memory.getMessages(ids)
      const calls = answer?.content.parts.filter(isToolPart) ?? []
      expect(calls).toMatchObject([
        { type: 'tool-transfer', output: "Handed off to the agent 'billing', who answers next." },
      ])
      expect(JSON.stringify(answer)).not.toContain('database')
      expect((await stored(innerMemory, 'thread-1:billing')).at(-1)).toEqual([
        'assistant',
        `Let me look. ${ANSWER}`,
      ])

      expect(await agent.generate('Thanks.', ids)).toHaveText('Anything else?')
      expect(model.lastPrompt).toPairEveryToolCall()
      expect(JSON.stringify(model.lastPrompt).split(ANSWER)).toHaveLength(2)
    },
  )

  test('the thread has only the answer, as output processors left it', async () => {
    const memory = new Memory({})
    const redact: Processor = {
      id: 'redact',
      processOutputResult: ({ messages }) => {
        for (const { content } of messages) {
          for (const part of content.parts)
            if (part.type === 'text') part.text = part.text.replace('20', 'XX')
        }
      },
    }
    await agents({ memory, processors: [redact] }).agent.generate('What do I owe?', ids)
    const messages = await memory.getMessages(ids)
    expect(JSON.stringify(messages)).toContain('XX euros')
    expect(JSON.stringify(messages)).not.toContain('20 euros')
  })

  test('if it was rejected, the thread has no part of the answer', async () => {
    const memory = new Memory({})
    const guard: Processor = {
      id: 'guard',
      processOutputStep: ({ text, abort }) => {
        if (text.includes('euros')) abort('No prices.')
      },
    }
    const { agent } = agents({ memory, processors: [guard] })
    expect(await agent.generate('What do I owe?', ids)).toHaveStatus('tripwire')
    expect(JSON.stringify(await memory.getMessages(ids))).not.toContain('euros')
  })
})
