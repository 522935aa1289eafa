import { type Processor, Suspend, tool } from '@millrace/core'
import { InMemoryRunStore } from '@millrace/core/storage'
import { KeywordGuard } from '@millrace/guards/keyword-guard'
import { ScriptedModel, text, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { storedMessages } from './messages.ts'
import { recordSpans, Scene } from './scene.ts'

expect.extend(matchers)

beforeAll(recordSpans)

let scene: Scene
beforeEach(() => {
  scene = new Scene()
})
afterEach(() => scene.remove())

const value = 'operation zqxharbour'
const thread = { threadId: 't', resourceId: 'ada' }

function guard(strategy: 'redact' | 'filter' | 'block' | 'halt'): Processor {
  return new KeywordGuard({ keywords: [value], strategy })
}

/** The text of a thread, by role, joined. */
async function textOf(role: 'user' | 'assistant', memory: ReturnType<Scene['memory']>): Promise<string> {
  const messages = await storedMessages(memory, thread)
  return messages
    .filter((message) => message.role === role)
    .flatMap(({ content }) => content.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])))
    .join('')
}

describe.each(['redact', 'filter', 'block', 'halt'] as const)('with %s', (strategy) => {
  test.each(['turn', 'step'] as const)(
    'no store that saves by %s has a complete value that two runs say',
    async (persist) => {
      const memory = scene.memory({ persist })
      const processors = [memory, guard(strategy)]
      const first = scene.agent({ model: new ScriptedModel([text(['So it is operation zqx'])]), processors })
      await first.generate('It is about operation zqx', thread)
      const second = scene.agent({ model: new ScriptedModel([text(['harbour, you know.'])]), processors })
      const result = await second.generate('harbour, is it not?', thread)
      expect(result).toLeakNothingOf(value)
      expect(await textOf('user', memory)).not.toContain(value)
      expect(await textOf('assistant', memory)).not.toContain(value)
      await scene.expectClean([value])
    },
  )

  test('no store has a complete value that a run says before and after its suspension', async () => {
    const ask = tool({
      inputSchema: z.object({}),
      execute: (_, { resumeData }) => {
        if (resumeData === undefined) throw new Suspend()
        return 'yes'
      },
    })
    const storage = new InMemoryRunStore()
    const model = new ScriptedModel([
      [text(['So it is operation zqx']), toolCall('ask', {})],
      [text(['harbour, you know.'])],
    ])
    const agent = scene.agent({ model, tools: { ask }, storage, processors: [guard(strategy)] })
    const waiting = await agent.generate('Hi')
    expect(waiting.status).toBe('suspended')
    const resumed = await agent.resume(waiting.runId, true).result
    expect(resumed.steps.map(({ text }) => text).join('')).not.toContain(value)
    expect([waiting, resumed]).toLeakNothingOf(value)
    expect(resumed.status).toBe({ block: 'tripwire', halt: 'halted' }[strategy as string] ?? 'completed')
  })
})
