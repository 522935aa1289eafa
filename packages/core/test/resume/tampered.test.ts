import { MillraceError, type StoredRun } from '@millrace/core'
import { InMemoryRunStore } from '@millrace/core/storage'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { answerTo, INPUT, type Stop, scenario } from './scenario.ts'

// A stored run that somebody, or a column that was too short, has changed: resuming it is refused by the place that is
// wrong, or ends as a run does, but fails nowhere within the machine.

const STOPS: Stop[] = [
  'processInput',
  'processInputStep',
  'wrapModelCall',
  'processModelError',
  'processOutputStep',
  'processToolCall',
  'approval',
  'execute',
  'client',
  'processToolResult',
  'processToolStep',
  'processOutputResult',
].flatMap((at) => [1, 2].map((visit) => ({ at, visit })))

const stored: { stop: Stop; run: StoredRun }[] = []

beforeAll(async () => {
  for (const stop of STOPS) {
    for (const emit of ['live', 'step'] as const) {
      const storage = new InMemoryRunStore()
      const result = await scenario({ storage, stop, emit }).agent.generate(INPUT)
      const found = await storage.getRun(result.runId)
      if (found?.state === 'suspended') stored.push({ stop, run: found.run })
    }
  }
})

interface Outcome {
  error?: Error
  isLeft: boolean
}

async function resume({ stop, run }: { stop: Stop; run: StoredRun }, snapshot: unknown): Promise<Outcome> {
  const storage = new InMemoryRunStore()
  await storage.saveRun({ ...run, snapshot: JSON.stringify(snapshot) })
  const { agent } = scenario({ storage, stop })
  const outcome: unknown = await agent
    .resume(run.runId, answerTo(run.payload))
    .catch((error: unknown) => error)
  const error = outcome instanceof Error ? { error: outcome } : {}
  return { ...error, isLeft: (await storage.getRun(run.runId))?.state === 'suspended' }
}

type Path = (string | number)[]

/** The way to every value in a value. */
function pathsIn(value: unknown, above: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [above]
  const within = Object.entries(value).flatMap(([key, item]) =>
    pathsIn(item, [...above, Array.isArray(value) ? Number(key) : key]),
  )
  return [above, ...within]
}

const REMOVED = Symbol('removed')

function changed(value: unknown, [key, ...rest]: Path, to: unknown): unknown {
  if (key === undefined) return to === REMOVED ? undefined : to
  const copy: unknown = Array.isArray(value) ? [...value] : { ...(value as object) }
  const next = changed((value as Record<string, unknown>)[key as string], rest, to)
  if (rest.length === 0 && to === REMOVED) {
    if (Array.isArray(copy)) copy.splice(Number(key), 1)
    else delete (copy as Record<string, unknown>)[key]
    return copy
  }
  Object.defineProperty(copy, key, { value: next, enumerable: true, configurable: true, writable: true })
  return copy
}

const replacement = fc.oneof(
  fc.constantFrom<unknown>(
    REMOVED,
    REMOVED,
    null,
    0,
    -1,
    1.5,
    true,
    '',
    'x',
    [],
    {},
    [null],
    [{}],
    { type: 'x' },
    'a',
  ),
  fc.jsonValue({ maxDepth: 1 }),
)

function isFaultOfTheMachine({ code, cause }: MillraceError): boolean {
  return (
    code === 'RUN_FAILED' ||
    (cause instanceof Error && !MillraceError.isInstance(cause) && cause instanceof RangeError)
  )
}

test('a run as it was stored is resumed', async () => {
  expect(stored.length).toBeGreaterThan(40)
  for (const one of stored) expect((await resume(one, JSON.parse(one.run.snapshot))).error).toBeUndefined()
})

describe('a run that was changed', () => {
  test('is refused, and stays unchanged, if it is invalid', async () => {
    const one = stored.find(({ stop }) => stop.at === 'processToolResult') as (typeof stored)[number]
    const snapshot = JSON.parse(one.run.snapshot)
    const changes: [Path, unknown, string][] = [
      [['messages', 0, 'message', 'content'], 'Hi', 'messages[0].message.content'],
      [['messages', 0, 'message', 'createdAt'], 'today', 'messages[0].message.createdAt'],
      [['messages', 0, 'origin'], 'trusted', 'messages[0].origin'],
      [['current', 'usage'], null, 'current.usage'],
      [['current', 'calls', 'a', 'decision'], { kind: 'allow' }, "current.calls['a'].decision.kind"],
      [['current', 'held'], REMOVED, 'current.held'],
      [['processors', 'editor'], 7, "processors['editor']"],
      [['systemMessages', 0, 'role'], 'user', 'systemMessages[0].role'],
    ]
    for (const [path, to, place] of changes) {
      const { error, isLeft } = await resume(one, changed(snapshot, path, to))
      expect(error).toMatchObject({
        code: 'RUN_INCOMPATIBLE',
        message: expect.stringContaining(`'${place}'`),
      })
      expect(isLeft).toBe(true)
    }
  })

  test('does not fail with an internal error', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(),
        fc.array(fc.tuple(fc.nat(), replacement), { minLength: 1, maxLength: 3 }),
        async (which, changes) => {
          const one = stored[which % stored.length] as (typeof stored)[number]
          let snapshot: unknown = JSON.parse(one.run.snapshot)
          for (const [place, to] of changes) {
            const paths = pathsIn(snapshot)
            snapshot = changed(snapshot, paths[place % paths.length] ?? [], to)
          }
          const { error, isLeft } = await resume(one, snapshot ?? null)
          if (error === undefined) return
          expect(MillraceError.isInstance(error)).toBe(true)
          const report = `${error.message} ${(error.cause as Error | undefined)?.stack}`
          expect(isFaultOfTheMachine(error as MillraceError), report).toBe(false)
          if ((error as MillraceError).code === 'RUN_INCOMPATIBLE') expect(isLeft).toBe(true)
        },
      ),
      { numRuns: 300 },
    )
  })
})
