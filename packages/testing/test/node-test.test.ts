import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { STORAGE_RULES } from '../src/storage/storage-rules.ts'

/** Runs a file with `node --test`, without vitest. */
function runWithNodeTest(file: string): { passed: number; failed: number; output: string } {
  const path = join(import.meta.dirname, 'node-test', file)
  const { VITEST: _, NODE_OPTIONS: __, NODE_TEST_CONTEXT: ___, ...env } = process.env
  const options = ['--conditions=@millrace/source', '--test', '--test-reporter=tap', path]
  const { stdout } = spawnSync(process.execPath, options, { env, encoding: 'utf8', maxBuffer: 2 ** 26 })
  const count = (name: string): number => Number(new RegExp(`^# ${name} (\\d+)$`, 'm').exec(stdout)?.[1])
  return { passed: count('pass'), failed: count('fail'), output: stdout }
}

test('the storage test runs under node:test too', () => {
  const { passed, failed, output } = runWithNodeTest('good-store.ts')
  expect(failed, output).toBe(0)
  expect(passed).toBe(Object.values(STORAGE_RULES).flatMap(Object.keys).length)
})

test('a store that breaks a rule fails under node:test, with the name of the rule', () => {
  const { failed, output } = runWithNodeTest('bad-store.ts')
  expect(failed).toBeGreaterThan(3)
  expect(output).toContain('not ok 1 - keeps the value of a key until it is set again or deleted')
})
