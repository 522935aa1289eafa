import { type CounterStore, type Processor, tool } from '@millrace/core'
import { PIIDetector } from '@millrace/pii'
import { AuditLog } from '@millrace/steering/audit-log'
import { ResponseCache } from '@millrace/steering/response-cache'
import { StructuredOutput } from '@millrace/steering/structured-output'
import { collect, ScriptedModel, type TurnContent, text, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { PERSONAL } from './guards.ts'
import { storedMessages } from './messages.ts'
import { recordSpans, Scene } from './scene.ts'
import { placesOf } from './surfaces.ts'

expect.extend(matchers)

beforeAll(recordSpans)

let scene: Scene
beforeEach(() => {
  scene = new Scene()
})
afterEach(() => scene.remove())

const { said, needles } = PERSONAL
const detectors: [string, () => Processor][] = [
  ['redacts', () => new PIIDetector()],
  ['blocks', () => new PIIDetector({ strategy: 'block' })],
  ['tokenizes', () => new PIIDetector({ redaction: 'tokenize' })],
]

test.each(detectors)(
  'an audit log after a guard that %s records the text after treatment',
  async (_, make) => {
    const lines: string[] = []
    for (const { name, input, turns, output, adds, tools } of placesOf(said)) {
      const log = new AuditLog({ sink: { write: (batch) => void lines.push(...batch) } })
      const processors = [make(), ...(adds ? [adds] : []), log]
      const agent = scene.agent({
        model: new ScriptedModel(turns),
        tools,
        memory: scene.memory(),
        processors,
      })
      const options = { threadId: name, resourceId: 'ada', ...(output && { output }) }
      const stream = agent.stream(input, options)
      await collect(stream.fullStream)
      await agent.generate(input, { ...options, threadId: `${name} again` }).catch(() => {})
      await agent.close()
      await log.close()
    }
    expect(lines.length).toBeGreaterThan(40)
    expect(lines).toLeakNothingOf(needles)
    await scene.expectClean(needles)
  },
)

test.each(detectors)('a cache after a guard that %s stores the text after treatment', async (_, make) => {
  const turns: Record<string, TurnContent[]> = {
    answer: [text(said, { chunkSize: 3 })],
    tool: [[text(said), toolCall('echo', { note: said }, { chunkSize: 3 })], 'Fine.'],
  }
  const detector = make()
  const echo = tool({ inputSchema: z.any(), execute: (input) => ({ input }) })
  for (const [input, script] of Object.entries(turns)) {
    const store: CounterStore = scene.store()
    const seen: unknown[] = []
    for (const round of [0, 1]) {
      const events: string[] = []
      const cache = new ResponseCache({ store, onEvent: ({ type }) => events.push(type) })
      const model = new ScriptedModel(script)
      const agent = scene.agent({ model, tools: { echo }, processors: [detector, cache] })
      const result = await agent.generate(input, { resourceId: 'ada' })
      await agent.close()
      seen.push([
        result.status,
        result.text,
        result.steps.map(({ toolCalls }) => toolCalls.map(({ input }) => input)),
      ])
      if (result.status === 'completed')
        expect(new Set(events)).toEqual(new Set(round === 0 ? ['miss', 'stored'] : ['hit']))
      expect(model.callCount).toBe(
        round === 0 || result.status === 'tripwire' ? (result.status === 'tripwire' ? 1 : script.length) : 0,
      )
    }
    expect(seen[1]).toEqual(seen[0])
  }
  await scene.expectClean(needles)
})

test('an answer that does not match its schema is stored only if it was repaired', async () => {
  const output = z.object({ warm: z.number() })
  const memory = scene.memory()
  const thread = { threadId: 'one', resourceId: 'ada' }
  const script = ['{"warm": 3,}']
  const broken = scene.agent({ model: new ScriptedModel(script), memory })
  await expect(broken.generate('How warm?', { ...thread, output })).rejects.toThrow('does not match')
  expect((await storedMessages(memory, thread)).map(({ role }) => role)).toEqual(['user'])
  const mended = scene.agent({
    model: new ScriptedModel(script),
    memory,
    processors: [new StructuredOutput()],
  })
  expect((await mended.generate('How warm?', { ...thread, output })).object).toEqual({ warm: 3 })
  expect((await storedMessages(memory, thread)).map(({ role }) => role)).toEqual([
    'user',
    'user',
    'assistant',
  ])
})
