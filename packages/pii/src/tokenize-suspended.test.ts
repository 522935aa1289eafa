import { Agent, Suspend, tool } from '@millrace/core'
import { InMemoryRunStore } from '@millrace/core/storage'
import { ScriptedModel, text, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { PIIDetector } from './pii-detector.ts'

expect.extend(matchers)

const address = 'jo@example.com'

/** Waits once, and says what it was resumed with. */
const ask = tool({
  inputSchema: z.object({}),
  execute: (_, { resumeData }) => {
    if (resumeData === undefined) throw new Suspend({ question: 'Which?' })
    return String(resumeData)
  },
})

describe.each([{}, { threadId: 'a thread' }, { resourceId: 'jo' }])(
  'a run of %o that waits in a tool',
  (ids) => {
    test('is stored without originals, and has them again when it is resumed', async () => {
      const storage = new InMemoryRunStore()
      const model = new ScriptedModel(({ prompt }, index) =>
        index === 0
          ? [toolCall('ask', {})]
          : [text(`Sent to ${/\[EMAIL_\w+\]/.exec(JSON.stringify(prompt))?.[0]}`, { chunkSize: 3 })],
      )
      const processors = [new PIIDetector({ redaction: 'tokenize' })]
      const agent = new Agent({ name: 'a', model, tools: { ask }, storage, processors })
      const waiting = await agent.generate(`I am ${address}`, ids)
      expect(waiting.status).toBe('suspended')
      const stored = await storage.getRun(waiting.runId, ids)
      expect(JSON.stringify(stored)).toContain('[EMAIL_')
      expect(JSON.stringify(stored)).not.toMatch(/jo@|@example/)

      const resumed = await agent.resume(waiting.runId, 'the first', ids).result
      expect(resumed.text).toBe(`Sent to ${address}`)
      expect(model.calls.map(({ prompt }) => prompt)).toLeakNothingOf(address)
    })
  },
)

test.each([
  ['by mask', {}],
  ['as a type', { redaction: 'type' as const }],
])('a suspended run holds what the user said redacted %s', async (_, options) => {
  const storage = new InMemoryRunStore()
  const model = new ScriptedModel([[toolCall('ask', { note: address })]])
  const agent = new Agent({ model, tools: { ask }, storage, processors: [new PIIDetector(options)] })
  const waiting = await agent.generate(`I am ${address}`)
  expect(waiting.status).toBe('suspended')
  expect(JSON.stringify(await storage.getRun(waiting.runId))).not.toMatch(/jo@|@example/)
})
