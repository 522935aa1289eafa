import { ScriptedModel, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { Agent } from '../../agent/agent.ts'
import { isToolPart } from '../../messages/message.ts'
import type { Processor } from '../../processors/processor.ts'
import type { RunResult } from '../../results/result.ts'
import { Halt, Suspend } from '../../signals.ts'
import { InMemoryRunStore } from '../../storage/in-memory-run-store.ts'
import { type Tool, tool } from '../../tools/tool.ts'
import { waitingCallsOf } from '../../tools/waiting-calls.ts'

expect.extend(matchers)

/** What becomes of a call, by the name of the tool it calls. */
const FATES = [
  'works',
  'fails',
  'streams',
  'waits',
  'invalid',
  'unknown',
  'denied',
  'answered',
  'rewritten',
  'asked-before',
  'asked-after',
  'asked-twice',
  'approved',
  'rejected',
  'at-client',
] as const

type Fate = (typeof FATES)[number]

const STATUS: Record<Fate, 'success' | 'error' | 'denied'> = {
  works: 'success',
  fails: 'error',
  streams: 'success',
  waits: 'success',
  invalid: 'error',
  unknown: 'error',
  denied: 'denied',
  answered: 'success',
  rewritten: 'success',
  'asked-before': 'success',
  'asked-after': 'success',
  'asked-twice': 'success',
  approved: 'success',
  rejected: 'denied',
  'at-client': 'success',
}

/** Fates whose tool runs here, to its end, exactly once. */
const RUNS: ReadonlySet<Fate> = new Set(
  FATES.filter(
    (fate) => !['invalid', 'unknown', 'denied', 'answered', 'rejected', 'at-client'].includes(fate),
  ),
)

interface Call {
  fate: Fate
  /** Microtasks until its tool ends. */
  delay: number
}

interface Scene {
  calls: Call[]
  toolConcurrency: number
  emit: 'live' | 'step'
  /** Answers only the first of those that wait for the same thing, and leaves the rest for later. */
  stingy: boolean
}

const scenes: fc.Arbitrary<Scene> = fc.record({
  calls: fc.array(fc.record({ fate: fc.constantFrom(...FATES), delay: fc.nat(12) }), {
    minLength: 1,
    maxLength: 7,
  }),
  toolConcurrency: fc.integer({ min: 1, max: 4 }),
  emit: fc.constantFrom('live', 'step'),
  stingy: fc.boolean(),
})

async function ticks(count: number): Promise<void> {
  for (let tick = 0; tick < count; tick++) await Promise.resolve()
}

/** An agent for a scene, and what its tools have done. */
function build({ calls, toolConcurrency, emit }: Scene, storage: InMemoryRunStore, finished: string[]) {
  const inputSchema = z.object({ delay: z.number() })
  const work = tool({
    inputSchema,
    execute: async ({ delay }, { toolCallId }) => {
      await ticks(delay)
      finished.push(toolCallId)
      return `${toolCallId} done`
    },
  })
  const tools: Partial<Record<Fate, Tool>> = Object.fromEntries(
    FATES.filter((fate) => fate !== 'unknown').map((fate) => [fate, work]),
  )
  tools.fails = tool({
    inputSchema,
    execute: async (input, options) => {
      await work.execute(input, options)
      throw new Error('broken')
    },
  })
  tools.streams = tool({
    inputSchema,
    async *execute(input, options) {
      yield 'a part'
      await ticks(input.delay)
      yield await work.execute(input, options)
    },
  })
  tools.waits = tool({
    inputSchema,
    execute: async (input, options) => {
      await ticks(input.delay)
      if (options.resumeData === undefined) throw new Suspend({ type: 'waits' })
      return work.execute(input, options)
    },
  })
  tools.approved = { ...work, needsApproval: true }
  tools.rejected = { ...work, needsApproval: true }
  tools['at-client'] = { inputSchema }
  const overseer: Processor = {
    id: 'overseer',
    processToolCall: async ({ toolCall, resumeData, suspend }) => {
      const { delay } = toolCall.input as { delay: number }
      await ticks(delay % 3)
      switch (toolCall.toolName as Fate) {
        case 'denied':
          return { deny: 'no' }
        case 'answered':
          return { output: 'from the cache' }
        case 'rewritten':
          return { input: { delay: delay + 1 } }
        case 'asked-before':
        case 'asked-twice':
          return resumeData === undefined ? suspend({ type: 'asks' }) : undefined
        default:
          return undefined
      }
    },
    processToolResult: async ({ toolCall, preliminary, resumeData, suspend }) => {
      await ticks((toolCall.input as { delay: number }).delay % 2)
      const asks = toolCall.toolName === 'asked-after' || toolCall.toolName === 'asked-twice'
      if (asks && !preliminary && resumeData === undefined) suspend({ type: 'asks' })
    },
  }
  return new Agent({
    model: new ScriptedModel(({ prompt }) =>
      prompt.some(({ role }) => role === 'tool')
        ? 'Done.'
        : [
            'All at once. ',
            ...calls.map(({ fate, delay }) => toolCall(fate, { delay: fate === 'invalid' ? 'soon' : delay })),
          ],
    ),
    storage,
    tools: tools as Record<string, Tool>,
    toolConcurrency,
    emit,
    processors: [overseer],
  })
}

/** Answers what a suspended run waits for. */
function answer({ payload }: { payload: unknown }, stingy: boolean): unknown {
  const calls = waitingCallsOf(payload)
  if (calls.length === 0) return 'go on'
  const answered = stingy ? calls.slice(0, 1) : calls
  return Object.fromEntries(
    answered.map(({ toolCallId, toolName, waitsFor }) => [
      toolCallId,
      waitsFor === 'approval'
        ? { approved: toolName === 'approved' }
        : waitsFor === 'output'
          ? 'from the client'
          : 'go on',
    ]),
  )
}

/** Runs a scene to its end: every suspension goes through JSON to an agent built anew. */
async function play(scene: Scene): Promise<{ result: RunResult; finished: string[] }> {
  const finished: string[] = []
  let storage = new InMemoryRunStore()
  let result: RunResult = await build(scene, storage, finished).generate('Go')
  for (let count = 0; result.status === 'suspended'; count++) {
    expect(count).toBeLessThan(40)
    const found = await storage.getRun(result.runId)
    if (found?.state !== 'suspended') throw new Error('The run is not suspended.')
    storage = new InMemoryRunStore()
    await storage.saveRun(JSON.parse(JSON.stringify(found.run)))
    const data = answer(result.suspension, scene.stingy)
    result = await build(scene, storage, finished).resume(result.runId, data)
  }
  return { result, finished }
}

const ids = (calls: readonly Call[]) => calls.map((_, index) => `call-${index + 1}`)

test('each call has exactly one result, in call order, and no tool runs twice, whatever happens', async () => {
  await fc.assert(
    fc.asyncProperty(scenes, async (scene) => {
      const { result, finished } = await play(scene)
      expect(result).toHaveText('Done.')
      expect(result.messages).toPairEveryToolCall()
      const parts = result.messages.flatMap(({ content }) => content.parts).filter(isToolPart)
      expect(parts.map(({ toolCallId }) => toolCallId)).toEqual(ids(scene.calls))
      expect(result.steps[0]?.toolResults.map(({ toolCallId, status }) => [toolCallId, status])).toEqual(
        scene.calls.map(({ fate }, index) => [`call-${index + 1}`, STATUS[fate]]),
      )
      const expected = ids(scene.calls).filter((_, index) => RUNS.has((scene.calls[index] as Call).fate))
      expect(finished.toSorted()).toEqual(expected.toSorted())
    }),
  )
})

test('wherever a halt comes from, each call has exactly one result, in call order', async () => {
  await fc.assert(
    fc.asyncProperty(
      scenes.map((scene) => ({
        ...scene,
        calls: scene.calls.map((call) => ({
          ...call,
          fate: RUNS.has(call.fate) ? ('works' as const) : call.fate,
        })),
      })),
      fc.constantFrom('processToolCall', 'processToolResult'),
      fc.nat(6),
      async (scene, place, position) => {
        const at = `call-${(position % scene.calls.length) + 1}`
        const agent = build(scene, new InMemoryRunStore(), [])
        const stop = ({ toolCall }: { toolCall: { toolCallId: string } }): void => {
          if (toolCall.toolCallId === at) throw new Halt('Stop.')
        }
        const halter: Processor =
          place === 'processToolCall'
            ? { id: 'halter', processToolCall: stop }
            : { id: 'halter', processToolResult: stop }
        let result: RunResult = await agent.generate('Go', { processors: [halter] })
        for (let count = 0; result.status === 'suspended' && count < 40; count++) {
          result = await result.suspension.resume(answer(result.suspension, scene.stingy))
        }
        expect(result.messages).toPairEveryToolCall()
        const parts = result.messages.flatMap(({ content }) => content.parts).filter(isToolPart)
        expect(parts.map(({ toolCallId }) => toolCallId)).toEqual(ids(scene.calls))
      },
    ),
  )
})
