import { expect, test } from 'vitest'
import { addCounts, killCounts } from './measure-kills.ts'

const tested = (assertionResults: unknown[], message = '') => ({
  testResults: [{ message, assertionResults }],
})
const passed = { title: 'keeps turns', status: 'passed', failureMessages: [], meta: {} }

test('uses the counts of a test, or else the requested number of kills', () => {
  const counted = { ...passed, title: 'resumes runs', meta: { kills: 104, counts: { workflows: 9 } } }
  const skipped = { ...passed, title: 'migrates', status: 'skipped' }
  expect(killCounts(tested([passed, skipped, counted]), { kills: 100, passed: true })).toEqual([
    { rule: 'keeps turns', kills: 100 },
    { rule: 'resumes runs', kills: 104, counts: { workflows: 9 } },
  ])
})

test('reports a failed test with the first line of its error', () => {
  const failed = { ...passed, status: 'failed', failureMessages: ['AssertionError: 3 turns\n    at file.ts'] }
  expect(killCounts(tested([failed]), { kills: 100, passed: false })).toEqual([
    { rule: 'keeps turns', kills: 100, fault: 'AssertionError: 3 turns' },
  ])
})

test('reports a fault for every rule if the tests fail without a failed test', () => {
  expect(killCounts(tested([passed]), { kills: 100, passed: false })).toEqual([
    { rule: 'keeps turns', kills: 100, fault: 'the tests failed beside this one' },
  ])
})

test('throws if no test has run', () => {
  expect(() =>
    killCounts(tested([], 'No database could be started.'), { kills: 100, passed: false }),
  ).toThrow('No test has run. No database could be started.')
  expect(() => killCounts(tested([{ ...passed, status: 'skipped' }]), { kills: 100, passed: true })).toThrow(
    'No test has run.',
  )
})

test('adds up parts by rule, with the first fault', () => {
  const [keeps, resumes] = ['keeps turns', 'resumes runs']
  const parts = [
    [{ rule: keeps, kills: 100 }],
    [
      { rule: keeps, kills: 100, fault: '3 turns' },
      { rule: resumes, kills: 104, counts: { workflows: 9 } },
    ],
    [
      { rule: resumes, kills: 100, counts: { workflows: 2, reloads: 1 } },
      { rule: keeps, kills: 50, fault: '4 turns' },
    ],
  ]
  expect(parts.reduce(addCounts, [])).toEqual([
    { rule: keeps, kills: 250, fault: '3 turns' },
    { rule: resumes, kills: 204, counts: { workflows: 11, reloads: 1 } },
  ])
})
