import { expect, test } from 'vitest'
import type { Outcome, ProcessorNode, RunDetail } from '../../src/wire.ts'
import { findNode, hasActed, mostNotable } from './find-node.ts'

function gate(id: string, outcome: Outcome, more: Partial<ProcessorNode> = {}): ProcessorNode {
  return {
    kind: 'processor',
    id,
    processorId: id,
    hook: 'processInput',
    outcome,
    atMs: 0,
    durationMs: 0,
    calls: 1,
    changes: [],
    findings: [],
    models: [],
    ...more,
  }
}

function runOf(before: ProcessorNode[], pipeline: ProcessorNode[], more: Partial<RunDetail> = {}): RunDetail {
  return { before, after: [], steps: [{ stepNumber: 0, pipeline }], ...more } as unknown as RunDetail
}

const change = { place: 'text', before: { text: 'a' }, after: { text: 'b' }, difference: [] }

test('a node is found with its step, and one outside of steps without', () => {
  const run = runOf([gate('first', 'passed')], [gate('second', 'passed')])
  expect(findNode(run, 'second')?.step?.stepNumber).toBe(0)
  expect(findNode(run, 'first')).toEqual({ node: gate('first', 'passed') })
  expect(findNode(run, 'nobody')).toBeUndefined()
})

test('what ended the run is the most notable, then a block, then the first change', () => {
  const changed = gate('pii', 'changed', { changes: [change] })
  expect(mostNotable(runOf([changed], [gate('moderation', 'blocked')]))).toBe('moderation')
  expect(
    mostNotable(
      runOf([changed], [gate('moderation', 'blocked'), gate('last', 'halted')], {
        end: { reason: '', processorId: 'last' },
      }),
    ),
  ).toBe('last')
  expect(mostNotable(runOf([gate('unicode', 'passed'), changed], []))).toBe('pii')
  expect(mostNotable(runOf([gate('unicode', 'passed')], []))).toBeUndefined()
})

test('a guard that only reports has acted', () => {
  expect(hasActed(gate('pii', 'passed'))).toBe(false)
  expect(hasActed(gate('pii', 'passed', { findings: [{ kind: 'email', source: 'guard' }] }))).toBe(true)
  expect(hasActed(gate('pii', 'held'))).toBe(true)
})
