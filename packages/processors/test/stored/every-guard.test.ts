import type { Processor, RunOptions } from '@millrace/core'
import type { Memory } from '@millrace/memory'
import { collect, ScriptedModel } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { GUARDS, type Guarded } from './guards.ts'
import { besidesCalls, storedMessages } from './messages.ts'
import { recordSpans, Scene } from './scene.ts'
import { type Place, placesOf } from './surfaces.ts'

expect.extend(matchers)

beforeAll(recordSpans)

let scene: Scene
beforeEach(() => {
  scene = new Scene()
})
afterEach(() => scene.remove())

const ways = [
  { how: 'generate', persist: 'turn' },
  { how: 'generate', persist: 'step' },
  { how: 'live', persist: 'turn' },
  { how: 'step', persist: 'step' },
] as const
type Way = (typeof ways)[number]

/** All ways where tests are thorough, else one for each place, in turn. */
function chosenWays(index: number): readonly Way[] {
  const way = ways[index % ways.length]
  return process.env.MILLRACE_THOROUGH === '1' || way === undefined ? ways : [way]
}

test.each(GUARDS)('what $name removes is stored nowhere', async (guarded) => {
  const memories = { turn: scene.memory({ persist: 'turn' }), step: scene.memory() }
  // One instance serves all runs.
  const guard = guarded.make()
  for (const [index, place] of placesOf(guarded.said).entries()) {
    if (!guarded.surfaces.includes(place.surface)) continue
    if (guarded.isLate && place.turns.length > 1) continue
    for (const way of chosenWays(index))
      await play(guarded, place, { way, guard, memory: memories[way.persist] })
  }
  await scene.expectClean(guarded.needles)
})

/** One run, and what its caller, the model and the thread get of it. */
async function play(
  { needles, outcome, isLate = false }: Guarded,
  { name, surface, turns, input, output, adds, tools }: Place,
  { way: { how, persist }, guard, memory }: { way: Way; guard: Processor; memory: Memory },
): Promise<void> {
  const thread = { threadId: `${name}, ${how}, ${persist}`, resourceId: 'ada' }
  const says = (value: unknown) => expect(value, thread.threadId)
  const model = new ScriptedModel(turns)
  const agent = scene.agent({ model, tools, processors: [guard, ...(adds ? [adds] : []), memory] })
  const options: RunOptions = { ...thread, ...(output && { output }), emit: how === 'step' ? 'step' : 'live' }
  const stream = how === 'generate' ? undefined : agent.stream(input, options)
  const chunks = stream ? await collect(stream.fullStream).catch((error: unknown) => error) : []
  const result = await (stream?.result ?? agent.generate(input, options)).catch((error: unknown) => ({
    error,
  }))
  await agent.close()
  says(result).toLeakNothingOf(needles)
  if (!isLate) says(chunks).toLeakNothingOf(needles)
  const own = turns.length > 1 && surface === 'tool-input' ? ['never'] : needles
  says(model.calls.map(({ prompt }) => prompt)).toLeakNothingOf(own)
  const stored = await storedMessages(memory, thread)
  const expected = outcome(surface)
  if (expected === 'rejects') {
    says(result).toHaveProperty('error')
    says(stored).toHaveLength(persist === 'step' ? 1 : 0)
    return
  }
  says(result).toMatchObject({ status: expected, warnings: [] })
  if (expected === 'completed') says(stored.length).toBeGreaterThan(0)
  else if (stored.some(({ role }) => role === 'assistant')) says(besidesCalls(stored)).toEqual([])
  else says(stored).toEqual([])
}
