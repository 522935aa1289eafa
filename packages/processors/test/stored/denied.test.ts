import { tool } from '@millrace/core'
import { PIIDetector } from '@millrace/pii'
import { collect, ScriptedModel, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { CHOSEN_GUARDS, PERSONAL } from './guards.ts'
import { recordSpans, Scene } from './scene.ts'

expect.extend(matchers)

beforeAll(recordSpans)

let scene: Scene
beforeEach(() => {
  scene = new Scene()
})
afterEach(() => scene.remove())

const looking = CHOSEN_GUARDS.filter(({ surfaces }) => surfaces.includes('tool-result'))
const tokens = {
  ...PERSONAL,
  name: 'PIIDetector, tokenize',
  make: () => new PIIDetector({ redaction: 'tokenize' }),
  outcome: () => 'completed' as const,
}

test.each([...looking, tokens])(
  '$name checks the reason with which a user denies a call',
  async ({ make, said, needles, outcome }) => {
    const mail = tool({ inputSchema: z.object({}), needsApproval: true, execute: () => 'Sent.' })
    const model = new ScriptedModel([toolCall('mail', {}), 'Then not.'])
    const memory = scene.memory({ persist: 'step' })
    const agent = scene.agent({ model, tools: { mail }, processors: [make(), memory] })
    const thread = { threadId: 'one', resourceId: 'ada' }
    const waiting = await agent.generate('Hello', thread)
    const stream = agent.resume(waiting.runId, { approved: false, reason: said }, thread)
    const chunks = await collect(stream.fullStream)
    const result = await stream.result
    expect(result).toMatchObject({ status: outcome('tool-result'), warnings: [] })
    if (make !== tokens.make) expect([chunks, result]).toLeakNothingOf(needles)
    expect(model.calls.map(({ prompt }) => prompt)).toLeakNothingOf(needles)
    await scene.expectClean(needles)
  },
)

test.each([...looking, tokens])(
  '$name checks the reason with which a user denies one of two calls, before the other is executed',
  async ({ make, said, needles, outcome }) => {
    const mail = tool({ inputSchema: z.object({}), needsApproval: true, execute: () => 'Sent.' })
    const model = new ScriptedModel([
      [toolCall('mail', {}, { id: 'one' }), toolCall('mail', {}, { id: 'two' })],
      'Then one alone.',
    ])
    const memory = scene.memory({ persist: 'step' })
    const agent = scene.agent({ model, tools: { mail }, processors: [make(), memory] })
    const thread = { threadId: 'one', resourceId: 'ada' }
    const waiting = await agent.generate('Hello', thread)
    const answers = { one: { approved: false, reason: said }, two: { approved: true } }
    const result = await agent.resume(waiting.runId, answers, thread)
    expect(result).toMatchObject({ status: outcome('tool-result'), warnings: [] })
    expect(model.calls.map(({ prompt }) => prompt)).toLeakNothingOf(needles)
    await scene.expectClean(needles)
  },
)
