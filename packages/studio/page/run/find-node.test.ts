import { expect, test } from 'vitest'
import type { Outcome, ProcessorNode, RunDetail } from '../../src/wire.ts'
import { findNode, hasActed, mostNotable } from './find-node.ts'

function node(id: string, outcome: Outcome, more: Partial<ProcessorNode> = {}): ProcessorNode {
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

test('finds a node with its step, or without one outside of steps', () => {
  const run = runOf([node('first', 'passed')], [node('second', 'passed')])
  expect(findNode(run, 'second')?.step?.stepNumber).toBe(0)
  expect(findNode(run, 'first')).toEqual({ node: node('first', 'passed') })
  expect(findNode(run, 'nobody')).toBeUndefined()
})

test('selects the end of the run, else a block, else the first change', () => {
  const changed = node('pii', 'changed', { changes: [change] })
  expect(mostNotable(runOf([changed], [node('moderation', 'blocked')]))).toBe('moderation')
  expect(
    mostNotable(
      runOf([changed], [node('moderation', 'blocked'), node('last', 'halted')], {
        end: { reason: '', processorId: 'last' },
      }),
    ),
  ).toBe('last')
  expect(mostNotable(runOf([node('unicode', 'passed'), changed], []))).toBe('pii')
  expect(mostNotable(runOf([node('unicode', 'passed')], []))).toBeUndefined()
})

test('a guard that only reports has acted', () => {
  expect(hasActed(node('pii', 'passed'))).toBe(false)
  expect(hasActed(node('pii', 'passed', { findings: [{ kind: 'email', source: 'guard' }] }))).toBe(true)
  expect(hasActed(node('pii', 'held'))).toBe(true)
})
