import { expect, test } from 'vitest'
import type { RunSummary, RunsPage } from '../../src/wire.ts'
import type { RunsFilter } from './queries.ts'
import { withChanges } from './run-pages.ts'

function summary(id: string, startedAt: number, more: Partial<RunSummary> = {}): RunSummary {
  return {
    id,
    agentName: 'support',
    state: 'running',
    startedAt,
    models: [],
    stepCount: 0,
    toolCallCount: 0,
    usage: {},
    acted: [],
    findings: [],
    retractions: 0,
    ...more,
  }
}

const withRun = (known: RunsPage[], data: RunSummary, filter: RunsFilter) =>
  withChanges(known, [{ name: 'run', data }], filter)
const withoutRun = (known: RunsPage[], runId: string) =>
  withChanges(known, [{ name: 'deleted', data: { runId } }], {})

const pages: RunsPage[] = [
  { runs: [summary('d', 40), summary('c', 30)], next: '2' },
  { runs: [summary('b', 20), summary('a', 10)] },
]
const ids = (found: readonly RunsPage[]): string[][] => found.map(({ runs }) => runs.map(({ id }) => id))

test('a known run is replaced in its place, on any page', () => {
  const after = withRun(pages, summary('b', 20, { state: 'completed' }), {})
  expect(ids(after)).toEqual(ids(pages))
  expect(after[1]?.runs[0]?.state).toBe('completed')
  expect(after[0]).toBe(pages[0])
})

test('a new run goes first, and a late one after those that started later', () => {
  expect(ids(withRun(pages, summary('e', 50), {}))).toEqual([
    ['e', 'd', 'c'],
    ['b', 'a'],
  ])
  expect(ids(withRun(pages, summary('x', 35), {}))).toEqual([
    ['d', 'x', 'c'],
    ['b', 'a'],
  ])
})

test.each([
  [{ state: 'completed,failed' }, false],
  [{ state: 'running' }, true],
  [{ agent: 'other' }, false],
  [{ processor: 'pii' }, true],
  [{ processor: 'secrets' }, false],
  [{ search: 'REFUND' }, true],
  [{ search: 'chain' }, false],
  [{ threadId: 'one' }, true],
  [{ resourceId: 'ada' }, false],
])('a new run is listed only if it matches %o', (filter, isListed) => {
  const run = summary('e', 50, {
    input: 'Please refund it',
    threadId: 'one',
    acted: [{ processorId: 'pii', outcome: 'changed' }],
  })
  expect(withRun(pages, run, filter)[0]?.runs[0]?.id === 'e').toBe(isListed)
})

test('a run that no longer matches the filter is removed', () => {
  const after = withRun(pages, summary('c', 30, { state: 'completed' }), { state: 'running' })
  expect(ids(after)).toEqual([['d'], ['b', 'a']])
})

test('a deleted run is removed, and an unknown one changes nothing', () => {
  expect(ids(withoutRun(pages, 'a'))).toEqual([['d', 'c'], ['b']])
  expect(withoutRun(pages, 'nobody')).toBe(pages)
})

test('the last of several changes of a run counts', () => {
  const changes = [
    { name: 'run', data: summary('e', 50) },
    { name: 'run', data: summary('f', 60) },
    { name: 'deleted', data: { runId: 'e' } },
    { name: 'run', data: summary('f', 60, { state: 'completed' }) },
  ] as const
  const after = withChanges(pages, changes, {})
  expect(ids(after)).toEqual([
    ['f', 'd', 'c'],
    ['b', 'a'],
  ])
  expect(after[0]?.runs[0]?.state).toBe('completed')
})
