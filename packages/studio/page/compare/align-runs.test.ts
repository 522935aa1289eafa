import { expect, test } from 'vitest'
import type { Outcome, ProcessorNode, RunDetail, StepView } from '../../src/wire.ts'
import { alignRuns, isSame } from './align-runs.ts'

let count = 0

function gate(processorId: string, hook: string, outcome: Outcome = 'passed'): ProcessorNode {
  return {
    kind: 'processor',
    id: `${count++}`,
    processorId,
    hook,
    outcome,
    atMs: 0,
    durationMs: 0,
    calls: 1,
    changes: [],
    findings: [],
    models: [],
  }
}

function runOf(before: ProcessorNode[], ...steps: ProcessorNode[][]): RunDetail {
  return {
    before,
    after: [],
    steps: steps.map((pipeline, stepNumber) => ({ stepNumber, pipeline }) as unknown as StepView),
  } as unknown as RunDetail
}

test('gates of one name stand beside each other, and one that is missing is seen', () => {
  const left = runOf([gate('pii', 'processInput', 'changed'), gate('secrets', 'processInput')])
  const right = runOf([gate('secrets', 'processInput'), gate('strict', 'processInput', 'blocked')])
  const [part] = alignRuns(left, right)
  expect(
    part?.gates.map((each) => [each.processorId, each.left?.outcome, each.right?.outcome, isSame(each)]),
  ).toEqual([
    ['pii', 'changed', undefined, false],
    ['secrets', 'passed', 'passed', true],
    ['strict', undefined, 'blocked', false],
  ])
})

test('the second time of a processor stands beside the second time', () => {
  const left = runOf([], [gate('pii', 'processToolCall'), gate('pii', 'processToolCall', 'changed')])
  const right = runOf([], [gate('pii', 'processToolCall')])
  const [part] = alignRuns(left, right)
  expect(part?.gates.map((each) => [each.left?.outcome, each.right?.outcome])).toEqual([
    ['passed', 'passed'],
    ['changed', undefined],
  ])
})

test('steps that only one run has are shown, and parts without gates are not', () => {
  const left = runOf([], [gate('a', 'processInputStep')])
  const right = runOf([], [], [gate('a', 'processInputStep')])
  expect(alignRuns(left, right).map(({ title }) => title)).toEqual(['Step 1', 'Step 2'])
})
