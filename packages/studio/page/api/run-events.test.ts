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

test('text that has grown takes the place of what it was, and order is by number', () => {
  const entries = withEntries(
    [textEntry(0, 'He'), textEntry(1, 'x')],
    [textEntry(2, 'y'), textEntry(0, 'Hello')],
  )
  expect(entries).toEqual([textEntry(0, 'Hello'), textEntry(1, 'x'), textEntry(2, 'y')])
})

test('a step takes its place anew, also where they come out of order', () => {
  let live: RunDetail | undefined = run
  for (const data of [step(1, 'running'), step(0, 'done'), step(1, 'done')])
    live = applyRunEvent(live, { name: 'step', data })
  expect(live?.steps).toEqual([step(0, 'done'), step(1, 'done')])
})

test('a summary changes figures and keeps what is not in it', () => {
  const live = applyRunEvent(
    { ...run, steps: [step(0, 'done')] },
    { name: 'summary', data: { ...run, stepCount: 1, state: 'completed' } },
  )
  expect(live).toMatchObject({ state: 'completed', stepCount: 1 })
})

test('the first and the last event have all of the run', () => {
  expect(applyRunEvent(undefined, { name: 'run', data: run })).toBe(run)
  const end: RunDetail = { ...run, state: 'completed' }
  expect(applyRunEvent(run, { name: 'end', data: end })).toBe(end)
})

test('what comes before the run itself is left out', () => {
  expect(applyRunEvent(undefined, { name: 'step', data: step(0, 'done') })).toBeUndefined()
})
