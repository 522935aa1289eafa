import { tool } from '@millrace/core'
import { ScriptedModel, text, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import fc from 'fast-check'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { CHOSEN_GUARDS, GUARDS, PERSONAL } from './guards.ts'
import { recordSpans, Scene } from './scene.ts'

expect.extend(matchers)

beforeAll(recordSpans)

let scene: Scene
beforeEach(() => {
  scene = new Scene()
})
afterEach(() => scene.remove())

const runs = process.env.MILLRACE_THOROUGH === '1' ? 200 : 4

const redacting = GUARDS.find(({ name }) => name === 'PIIDetector, mask')!

test('personal data cut at any position, in answer and tool input, is stored nowhere', async () => {
  const { said, needles } = PERSONAL
  const memory = scene.memory({ persist: 'step', lastMessages: false })
  const detector = redacting.make()
  const echo = tool({ inputSchema: z.any(), execute: (input) => input })
  const input = JSON.stringify({ note: said })
  for (let at = 1; at < said.length; at++) {
    const model = new ScriptedModel([
      [
        text([said.slice(0, at), said.slice(at)]),
        toolCall('echo', { note: said }, { chunks: [input.slice(0, at), input.slice(at)] }),
      ],
      [text([said.slice(0, at), said.slice(at)])],
    ])
    const agent = scene.agent({ model, tools: { echo }, processors: [detector, memory] })
    const stream = agent.stream('Hello', { threadId: 'cut', resourceId: 'ada' })
    let out = ''
    for await (const chunk of stream.fullStream) {
      if (chunk.type === 'text-delta') out += chunk.textDelta
      if (chunk.type === 'tool-input-delta') out += chunk.inputTextDelta
      expect(out).toLeakNothingOf(needles)
    }
    expect((await stream.result).status).toBe('completed')
  }
  await scene.expectClean(needles)
})

const streamed = CHOSEN_GUARDS.filter(({ surfaces, isLate }) => surfaces.includes('answer') && !isLate)

test.each(streamed)(
  '$name keeps an answer out of the store, however it is cut',
  async ({ make, said, needles, outcome }) => {
    const memory = scene.memory()
    const guard = make()
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(said.length), { maxLength: 12 }), async (places) => {
        const cuts = [0, ...places.sort((a, b) => a - b), said.length]
        const model = new ScriptedModel([
          [text(cuts.slice(1).map((end, index) => said.slice(cuts[index], end)))],
        ])
        const agent = scene.agent({ model, processors: [guard, memory] })
        const stream = agent.stream('Hello', { threadId: 'cut', resourceId: 'ada' })
        let out = ''
        for await (const chunk of stream.fullStream) {
          if (chunk.type === 'text-delta') out += chunk.textDelta
        }
        expect(out).toLeakNothingOf(needles)
        expect(await stream.result).toLeakNothingOf(needles)
        expect((await stream.result).status).toBe(outcome('answer'))
      }),
      { numRuns: runs },
    )
    await scene.expectClean(needles)
  },
)
