import { expect, test } from 'vitest'
import type { Outcome, ProcessorNode, RunDetail, StepView } from '../../src/wire.ts'
import { alignRuns, isSame } from './align-runs.ts'

let count = 0

function node(processorId: string, hook: string, outcome: Outcome = 'passed'): ProcessorNode {
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

test('aligns processors by name, and leaves a gap for a missing one', () => {
  const left = runOf([node('pii', 'processInput', 'changed'), node('secrets', 'processInput')])
  const right = runOf([node('secrets', 'processInput'), node('strict', 'processInput', 'blocked')])
  const [part] = alignRuns(left, right)
  expect(
    part?.nodes.map((each) => [each.processorId, each.left?.outcome, each.right?.outcome, isSame(each)]),
  ).toEqual([
    ['pii', 'changed', undefined, false],
    ['secrets', 'passed', 'passed', true],
    ['strict', undefined, 'blocked', false],
  ])
})

test('aligns the second occurrence of a processor with the second', () => {
  const left = runOf([], [node('pii', 'processToolCall'), node('pii', 'processToolCall', 'changed')])
  const right = runOf([], [node('pii', 'processToolCall')])
  const [part] = alignRuns(left, right)
  expect(part?.nodes.map((each) => [each.left?.outcome, each.right?.outcome])).toEqual([
    ['passed', 'passed'],
    ['changed', undefined],
  ])
})

test('shows steps of only one run, and hides parts without processors', () => {
  const left = runOf([], [node('a', 'processInputStep')])
  const right = runOf([], [], [node('a', 'processInputStep')])
  expect(alignRuns(left, right).map(({ title }) => title)).toEqual(['Step 1', 'Step 2'])
})
