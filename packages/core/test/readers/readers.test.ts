import { collect, ScriptedModel, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import type { UIMessage } from 'ai'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Agent } from '../../src/agent/agent.ts'
import type { Chunk } from '../../src/results/chunk.ts'
import { InMemoryRunStore } from '../../src/storage/in-memory-run-store.ts'
import {
  acceptedText,
  begin,
  beginHandoff,
  fold,
  isWaitedFor,
  type Played,
  readAll,
  readAsClient,
  type Scene,
  SECRET,
  scenes,
  shownParts,
  textIn,
} from './scene.ts'

expect.extend(matchers)

const numRuns = process.env.MILLRACE_THOROUGH === '1' ? 5_000 : 100

type Begin = (scene: Scene) => Played

/** What the processors of the scene leave, without a reader. */
async function accepted(scene: Scene, begin: Begin): Promise<string> {
  const played = begin(scene)
  const result = await readAll(played, async (run) => void (await run.result))
  expect(result).toLeakNothingOf(SECRET)
  expect(played.stored).toLeakNothingOf(SECRET)
  expect(played.events).toLeakNothingOf(SECRET)
  if (scene.hook === 'processOutputStep') expect(played.prompts()).toLeakNothingOf(SECRET)
  return acceptedText(result)
}

describe.each<[string, Begin]>([
  ['an answer', begin],
  ['the answer of an agent that has the turn', beginHandoff],
])('what processors remove from %s', (_, begin) => {
  test('keeps removed text out of results, steps, stores, events and later prompts', async () => {
    await fc.assert(
      fc.asyncProperty(scenes, async (scene) => void (await accepted(scene, begin))),
      { numRuns },
    )
  })

  test('yields no removed text by a waiting textStream, and ends another with an error', async () => {
    await fc.assert(
      fc.asyncProperty(scenes, async (scene) => {
        let said = ''
        let error: unknown
        const reading = readAll(begin(scene), async (run) => {
          for await (const piece of run.textStream) said += piece
        })
        const result = await reading.catch((thrown: unknown) => {
          error = thrown
        })
        if (result) {
          expect(said).not.toContain(SECRET)
          expect(said).toBe(await accepted(scene, begin))
          return
        }
        expect(error).toMatchObject({ code: 'RUN_TEXT_RETRACTED' })
        expect(isWaitedFor(scene)).toBe(false)
      }),
      { numRuns },
    )
  })

  test('retracts removed text in fullStream, and does not emit it with emit: step', async () => {
    await fc.assert(
      fc.asyncProperty(scenes, async (scene) => {
        const chunks: Chunk[] = []
        await readAll(begin(scene), async (run) => void chunks.push(...(await collect(run.fullStream))))
        const { text, all } = fold(chunks)
        expect(all).not.toContain(SECRET)
        expect(text).toBe(await accepted(scene, begin))
        if (scene.emit === 'step' && scene.hook === 'processOutputStep')
          expect(chunks).toLeakNothingOf(SECRET)
      }),
      { numRuns },
    )
  })

  test('removes retracted text from the message of a chat client', async () => {
    await fc.assert(
      fc.asyncProperty(scenes, async (scene) => {
        let message: UIMessage | undefined
        await readAll(begin(scene), async (run) => {
          message = await readAsClient(run, message)
        })
        const parts = message ? shownParts(message) : []
        expect(parts).toLeakNothingOf(SECRET)
        expect(textIn(parts)).toBe(await accepted(scene, begin))
      }),
      { numRuns },
    )
  })
})

test('what processors remove from the answer of an agent that is a tool is in no report that follows', async () => {
  await fc.assert(
    fc.asyncProperty(scenes, async (scene) => {
      const { agent } = begin(scene)
      const outer = new Agent({
        model: new ScriptedModel([[toolCall('a', { prompt: 'Hi' })], 'Done.']),
        storage: new InMemoryRunStore(),
        tools: { a: agent.asTool() },
      })
      const chunks: Chunk[] = []
      const played = { ...begin(scene), agent: outer, run: outer.stream('Hi') }
      const result = await readAll(
        played,
        async (run) => void chunks.push(...(await collect(run.fullStream))),
      )
      const reports = chunks.filter(({ type }) => type === 'tool-result')
      expect(reports.slice(-2)).toLeakNothingOf(SECRET)
      expect(result).toLeakNothingOf(SECRET)
      if (scene.emit === 'step' && scene.hook === 'processOutputStep') expect(reports).toLeakNothingOf(SECRET)
    }),
    { numRuns },
  )
})
