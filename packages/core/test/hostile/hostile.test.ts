import type { HookName, Processor } from '@millrace/core'
import { describe, expect, test } from 'vitest'
import { explorer, type Place, vandal } from './places.ts'
import { Scene, type Seen, WAYS, type Way } from './scene.ts'

const isThorough = process.env.MILLRACE_THOROUGH === '1'

async function placesOf(way: Way): Promise<Place[]> {
  const { processor, places } = explorer()
  await new Scene(way).run([processor])
  return places
}

/** What the application holds: nothing a run is given may change. */
function held({ options, input }: Scene): string {
  const seen = new Set<object>()
  return JSON.stringify([options, input], (key, value) => {
    if (key === 'inputSchema' || key === 'model') return undefined
    if (typeof value === 'function') return String(value)
    if (typeof value !== 'object' || value === null) return value
    if (seen.has(value)) return 'again'
    seen.add(value)
    return value
  })
}

describe.each(WAYS)('by %s', (way) => {
  test('the arguments of every hook contain objects to change', async () => {
    const hooks = new Set((await placesOf(way)).map(({ hook }) => hook))
    expect(hooks.size).toBe(12)
  })

  test("changes of a hook to its arguments affect neither other runs nor the application's objects", async () => {
    const all = await placesOf(way)
    expect(all.length).toBeGreaterThan(300)
    // A ninth of the places each way, unless there is time for all.
    const places = isThorough ? all : all.filter((_, index) => index % 9 === WAYS.indexOf(way))
    const clean = await new Scene(way).run([explorer().processor])
    const scene = new Scene(way)
    const before = held(scene)
    for (let start = 0; start < places.length; start += BATCH) {
      const batch = places.slice(start, start + BATCH)
      for (const place of batch) {
        const { processor, reached } = vandal(place)
        await scene.run([processor]).catch(() => {})
        expect([nameOf(place), reached()]).toEqual([nameOf(place), true])
      }
      const after = await scene.run([explorer().processor]).catch((error) => error)
      expect(held(scene), `the application's objects after ${batch.map(nameOf).join(', ')}`).toBe(before)
      expect(after, `the run after ${batch.map(nameOf).join(', ')}`).toEqual(clean)
    }
  })
})

/** Runs that are vandalised one after the other, before a clean one is looked at. */
const BATCH = 20

function nameOf({ hook, call, path }: Place): string {
  return `${hook} ${call}: ${path.join('.')}`
}

/** What a call of the model is made from besides the transcript: of a step on its own. */
function settingsOf({ calls }: Seen, index: number): unknown {
  const { prompt, ...settings } = (calls.at(index) ?? {}) as { prompt?: { role: string }[] }
  return { ...settings, system: prompt?.filter(({ role }) => role === 'system') }
}

describe('within a run', () => {
  const ofOneStep: ReadonlySet<HookName> = new Set([
    'processInputStep',
    'wrapModelCall',
    'processModelError',
    'processOutputStep',
    'processToolCall',
    'processExecution',
    'processToolResult',
    'processToolStep',
  ])

  test('changes of a hook to the arguments of a step do not affect the settings of the next', async () => {
    const all = (await placesOf('stream')).filter(({ hook, call }) => ofOneStep.has(hook) && call === 0)
    const places = isThorough ? all : all.filter((_, index) => index % 3 === 0)
    const clean = await new Scene('stream').run([])
    const problems: string[] = []
    for (const place of places) {
      const scene = new Scene('stream')
      await scene.run([vandal(place).processor]).catch(() => {})
      // A run that the change has ended has no next step.
      if (scene.calls.length < clean.calls.length) continue
      const { calls } = scene
      const seen = JSON.parse(JSON.stringify({ calls })) as Seen
      const [now, then] = [settingsOf(seen, -1), settingsOf(clean, -1)]
      if (JSON.stringify(now) !== JSON.stringify(then)) {
        problems.push(`${place.hook}: ${place.path.join('.')} changed the next step`)
      }
    }
    expect(problems).toEqual([])
  })

  test('changes of a hook to a prompt do not affect the transcript or the next prompt', async () => {
    const places = (await placesOf('stream')).filter(
      ({ hook, call, path }) => hook === 'wrapModelCall' && call === 0 && path[1] === 'prompt',
    )
    const clean = await new Scene('stream').run([])
    expect(places.length).toBeGreaterThan(20)
    for (const place of places) {
      const { calls } = await new Scene('stream')
        .run([vandal(place).processor])
        .catch(() => ({ calls: clean.calls }))
      expect(calls.at(-1)).toEqual(clean.calls.at(-1))
    }
  })

  test.each<[string, (args: { steps: { text: string; toolResults: unknown[] }[] }) => void]>([
    ['its text', ({ steps }) => void (steps[0] && Object.assign(steps[0], { text: 'vandal' }))],
    ['its results', ({ steps }) => void steps[0]?.toolResults.splice(0)],
  ])('a step of which a hook changes %s is in the result as it was', async (_, change) => {
    const clean = await new Scene('generate').run([])
    const seen: string[] = []
    const hostile = {
      id: 'hostile',
      processInputStep: change,
      wrapModelCall: (args: never) => {
        change(args)
        const { next, request } = args as { next: (request: unknown) => never; request: unknown }
        return next(request)
      },
      processOutputResult: ({ result }: { result: never }) => void change(result),
    } as unknown as Processor
    const witness: Processor = {
      id: 'witness',
      processInputStep: ({ steps }) => void seen.push(JSON.stringify(steps)),
      processOutputResult: ({ result }) => void seen.push(JSON.stringify(result.steps)),
    }
    const { result } = await new Scene('generate').run([hostile, witness])
    expect(seen.length).toBeGreaterThan(2)
    expect(seen.join()).not.toContain('vandal')
    const steps = (value: unknown) =>
      (value as { steps: { text: string; toolResults: unknown[] }[] }).steps.map(({ text, toolResults }) => [
        text,
        toolResults,
      ])
    expect(steps(result)).toEqual(steps(clean.result))
  })
})
