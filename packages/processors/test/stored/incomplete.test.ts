import { isToolPart, type Message, type Processor, textOfParts, tool } from '@millrace/core'
import { TURN_MARK } from '@millrace/memory'
import { fail, reasoning, ScriptedModel, text, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import fc from 'fast-check'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { runsOf } from '../runs.ts'
import { CHOSEN_GUARDS } from './guards.ts'
import { storedMessages } from './messages.ts'
import { recordSpans, Scene } from './scene.ts'

expect.extend(matchers)

beforeAll(recordSpans)

let scene: Scene
beforeEach(() => {
  scene = new Scene()
})
afterEach(() => scene.remove())

const markOf = ({ content }: Message): unknown => content.metadata?.[TURN_MARK]

/** Where an answer is interrupted: at a chunk that its reader takes, or at a position of the model's text. */
const end = fc.record({
  how: fc.constantFrom('stopped' as const, 'failed' as const),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  chunkSize: fc.integer({ min: 1, max: 9 }),
  persist: fc.constantFrom('turn' as const, 'step' as const),
  emit: fc.constantFrom('live' as const, 'step' as const),
})

test.each(CHOSEN_GUARDS.filter(({ surfaces }) => surfaces.includes('answer')))(
  '$name: what it removes is stored nowhere, wherever the answer is stopped or fails',
  async ({ make, said, needles, surfaces }) => {
    const guard = make()
    const thinks = surfaces.includes('reasoning') ? said : 'Hm.'
    const memories = { turn: scene.memory({ persist: 'turn' }), step: scene.memory() }
    let count = 0
    await fc.assert(
      fc.asyncProperty(end, async ({ how, at, chunkSize, persist, emit }) => {
        const answer = `Well, she says. ${said}`
        const place = Math.round(at * answer.length)
        const model = new ScriptedModel([
          how === 'stopped'
            ? [reasoning(thinks, { chunkSize }), text(answer, { chunkSize })]
            : [
                reasoning(thinks.slice(0, place), { chunkSize }),
                text(answer.slice(0, place), { chunkSize }),
                fail(new Error('down')),
              ],
        ])
        const memory = memories[persist]
        const thread = { threadId: `${count++}`, resourceId: 'ada' }
        const abort = new AbortController()
        const agent = scene.agent({
          model,
          processors: [guard, memory],
          emit,
          modelSettings: { maxRetries: 0 },
        })
        const stream = agent.stream('Hello', { ...thread, abortSignal: abort.signal })
        let left = Math.round(at * (answer.length / chunkSize) * 2)
        for await (const _ of stream.fullStream) if (how === 'stopped' && left-- === 0) abort.abort()
        await stream.result.catch(() => undefined)
        const stored = await storedMessages(memory, thread)
        expect(stored).toLeakNothingOf(needles)
        expect(stored.length).toBeLessThanOrEqual(2)
        if (stored.length === 2) expect([undefined, how]).toContain(markOf(stored[1] as Message))
      }),
      { numRuns: runsOf(12, 300) },
    )
    await scene.expectClean(needles)
  },
)

/** Holds every text until the step is complete, as a guard does with a possible match. */
function holding(length: number): Processor {
  return {
    id: 'holding',
    processOutputStream({ part, state }) {
      if (part.type === 'step-start') state.held = ''
      if (part.type === 'text-delta') {
        const all = (state.held as string) + part.textDelta
        const out = all.slice(0, Math.max(0, all.length - length))
        state.held = all.slice(out.length)
        return out === '' ? [] : { ...part, textDelta: out }
      }
      if (part.type !== 'text-end' || state.held === '') return part
      const rest = state.held as string
      state.held = ''
      return [{ type: 'text-delta', id: part.id, textDelta: rest }, part]
    },
  }
}

describe('an incomplete answer', () => {
  test('is stored as far as it was emitted, and the next turn continues from it', async () => {
    const execute = (input: unknown) => ({ input })
    const tools = {
      echo: tool({ inputSchema: z.any(), execute }),
      slow: tool({ inputSchema: z.any(), execute: (): Promise<never> => new Promise(() => {}) }),
    }
    const script = [
      [reasoning('Hm. Let me see.'), text('First I look it up. '), toolCall('echo', { at: 'shelf' })],
      [text('Then I ask a colleague, which takes its time. '), toolCall('slow', { who: 'Brian' })],
    ]
    const memories = { turn: scene.memory({ persist: 'turn' }), step: scene.memory() }
    let count = 0
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          at: fc.nat(40),
          persist: fc.constantFrom('turn' as const, 'step' as const),
          hold: fc.nat(20),
        }),
        async ({ at, persist, hold }) => {
          const memory = memories[persist]
          const thread = { threadId: `${count++}`, resourceId: 'ada' }
          const abort = new AbortController()
          const options = { tools, processors: [holding(hold), memory] }
          const stream = scene
            .agent({ model: new ScriptedModel(script), ...options })
            .stream('Where is it?', { ...thread, abortSignal: abort.signal })
          let out = ''
          let left = at
          for await (const chunk of stream.fullStream) {
            if (chunk.type === 'text-delta') out += chunk.textDelta
            // The last call never ends: the run is stopped then, too.
            const hangs = chunk.type === 'tool-call' && chunk.toolName === 'slow'
            if (left-- === 0 || hangs) abort.abort()
          }
          expect((await stream.result).status).toBe('aborted')

          const stored = await storedMessages(memory, thread)
          const [, answer] = stored
          const text = answer ? textOfParts(answer.content.parts) : ''
          // The reader is a few chunks behind the guards, never ahead of them.
          expect(text.startsWith(out)).toBe(true)
          expect(script.length).toBe(2)
          if (answer) expect(stored.map(markOf)).toEqual(['stopped', 'stopped'])
          for (const part of answer?.content.parts ?? []) {
            if (isToolPart(part)) expect(part.state).toMatch(/^output-(?:available|error)$/)
            if ('state' in part) expect(part.state).not.toBe('streaming')
          }

          const model = new ScriptedModel(['Thank you.'])
          const next = await scene.agent({ model, ...options }).generate('Go on.', thread)
          expect(next).toMatchObject({ status: 'completed', warnings: [] })
          expect(model.lastPrompt).toPairEveryToolCall()
          if (text.trim() !== '') expect(JSON.stringify(model.lastPrompt)).toContain(text.slice(0, 10))
        },
      ),
      { numRuns: runsOf(40, 2_000) },
    )
  })

  test('is stored without reasoning and response ids, which a provider would refuse', async () => {
    const memory = scene.memory()
    const model = new ScriptedModel([
      [
        reasoning('Hm.', { providerMetadata: { anthropic: { signature: 'sig' } } } as never),
        text('Half an ', { providerMetadata: { openai: { itemId: 'msg_1' } } } as never),
        fail(new Error('down')),
      ],
    ])
    const thread = { threadId: 'one', resourceId: 'ada' }
    const agent = scene.agent({ model, processors: [memory], modelSettings: { maxRetries: 0 } })
    await expect(agent.generate('Hello', thread)).rejects.toThrow()
    const [, answer] = await storedMessages(memory, thread)
    expect(answer?.content.parts).toEqual([
      { type: 'step-start' },
      { type: 'text', text: 'Half an ', state: 'done' },
    ])
  })

  test('is not stored if a processor failed, whose changes are unknown', async () => {
    const memory = scene.memory()
    const broken: Processor = {
      id: 'broken',
      processOutputStream: ({ part }) => {
        if (part.type === 'text-end') throw new Error('broken')
        return part
      },
    }
    const agent = scene.agent({ model: new ScriptedModel(['Hello']), processors: [broken, memory] })
    const thread = { threadId: 'one', resourceId: 'ada' }
    await expect(agent.generate('Hi', thread)).rejects.toThrow()
    expect((await storedMessages(memory, thread)).map(({ role }) => role)).toEqual(['user'])
  })

  test.each(['processOutputStep', 'processOutputResult'] as const)(
    'is not stored if %s ends the run because of it, and is stored with the edits of the hook',
    async (hook) => {
      for (const abort of [true, false]) {
        const memory = scene.memory()
        const seen: unknown[] = []
        const guard: Processor = {
          id: 'guard',
          [hook]: (args: Parameters<NonNullable<Processor['processOutputResult']>>[0]) => {
            seen.push(args.incomplete, args.abortSignal.aborted)
            if (abort) args.abort('No.')
            const part = args.messageList.last?.content.parts.at(-1)
            if (part?.type === 'text') part.text = 'Edited'
          },
        }
        const model = new ScriptedModel([['Half an ', fail(new Error('down'))]])
        const thread = { threadId: `${abort}`, resourceId: 'ada' }
        const agent = scene.agent({ model, processors: [guard, memory], modelSettings: { maxRetries: 0 } })
        await expect(agent.generate('Hello', thread)).rejects.toThrow()
        expect(seen).toEqual(['failed', false])
        const stored = await storedMessages(memory, thread)
        expect(stored.map(({ content }) => textOfParts(content.parts))).toEqual(
          abort ? ['Hello'] : ['Hello', 'Edited'],
        )
      }
    },
  )

  test('is passed to no processor if nothing stores it', async () => {
    let calls = 0
    const guard: Processor = { id: 'guard', processOutputResult: () => void calls++ }
    const model = new ScriptedModel([['Half an ', fail(new Error('down'))]])
    const agent = scene.agent({ model, processors: [guard], modelSettings: { maxRetries: 0 } })
    await expect(agent.generate('Hello')).rejects.toThrow()
    await agent.close()
    expect(calls).toBe(0)
  })
})
