import { expect, test } from 'vitest'
import type { ReaderEntry, RunDetail, StepView } from '../../src/wire.ts'
import { applyRunEvent, withEntries } from './run-events.ts'

function textEntry(seq: number, text: string): ReaderEntry {
  return { seq, atMs: seq, event: { type: 'text', text: { text }, chunks: 1 } }
}

function step(stepNumber: number, state: StepView['state']): StepView {
  return { stepNumber, state, startedAt: 0, usage: {}, pipeline: [], toolCalls: [], discarded: [] }
}

const run = {
  id: 'run',
  state: 'running',
  before: [],
  after: [],
  reader: [],
  steps: [],
} as unknown as RunDetail

test('grown text replaces the old text, and entries are ordered by number', () => {
  const entries = withEntries(
    [textEntry(0, 'He'), textEntry(1, 'x')],
    [textEntry(2, 'y'), textEntry(0, 'Hello')],
  )
  expect(entries).toEqual([textEntry(0, 'Hello'), textEntry(1, 'x'), textEntry(2, 'y')])
})

test('a step replaces the old one, also if steps arrive out of order', () => {
  let live: RunDetail | undefined = run
  for (const data of [step(1, 'running'), step(0, 'done'), step(1, 'done')])
    live = applyRunEvent(live, { name: 'step', data })
  expect(live?.steps).toEqual([step(0, 'done'), step(1, 'done')])
})

test('a summary updates its fields and keeps the others', () => {
  const live = applyRunEvent(
    { ...run, steps: [step(0, 'done')] },
    { name: 'summary', data: { ...run, stepCount: 1, state: 'completed' } },
  )
  expect(live).toMatchObject({ state: 'completed', stepCount: 1 })
})

test('the first and the last event replace the whole run', () => {
  expect(applyRunEvent(undefined, { name: 'run', data: run })).toBe(run)
  const end: RunDetail = { ...run, state: 'completed' }
  expect(applyRunEvent(run, { name: 'end', data: end })).toBe(end)
})

test('events before the run are ignored', () => {
  expect(applyRunEvent(undefined, { name: 'step', data: step(0, 'done') })).toBeUndefined()
})
