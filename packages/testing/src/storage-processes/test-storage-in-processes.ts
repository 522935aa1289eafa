import { requireOptions } from '@millrace/core'
import { assert } from '../storage/assert.ts'
import { testRunner } from '../test-runner.ts'
import { askedKills, isThorough } from '../thorough.ts'
import { claimedOnce } from './claimed-once.ts'
import { killedWriter } from './killed-writer.ts'
import {
  type ProcessRule,
  STORAGE_PROCESSES_OPTIONS,
  type StorageProcessesOptions,
  withProcesses,
} from './process-context.ts'
import { resumedAfterKill, resumedByOne } from './resumed-once.ts'
import { twoWriters } from './two-writers.ts'

/** The behavior that is required of persistent stores that several processes use, some of which are killed. */
export const PROCESS_RULES: Readonly<Record<string, ProcessRule>> = {
  'says that it is persistent': async ({ store }) => assert.equal(store.capabilities.persistent, true),
  'keeps every turn it has acknowledged, and no half turn, when its process is killed': killedWriter,
  'ends with what one writer gives when two processes write': twoWriters,
  'gives each suspended run to one of two processes': claimedOnce,
  'lets one of two processes resume a run, and tells the other': resumedByOne,
  'resumes a run once, and runs no tool twice, wherever a process was killed': resumedAfterKill,
}

/** Timeout of a test, in milliseconds. */
const TIMEOUT = isThorough || askedKills !== undefined ? 14_400_000 : 300_000

/**
 * The conformance test of a persistent store with several processes, in addition to `testStorage`: processes are killed
 * with SIGKILL at random times, write concurrently, and resume the same run. With `MILLRACE_THOROUGH=1`, a hundred writers
 * and a thousand processes that resume runs are killed, instead of a few.
 *
 * @example testStorageInProcesses('sqlite', { module: new URL('./open-store.ts', import.meta.url) })
 */
export function testStorageInProcesses(name: string, given: StorageProcessesOptions): void {
  const options = requireOptions('testStorageInProcesses()', given, STORAGE_PROCESSES_OPTIONS)
  const { describe, test } = testRunner()
  describe(`${name}: several processes`, () => {
    for (const [rule, check] of Object.entries(PROCESS_RULES)) {
      test(rule, { timeout: TIMEOUT }, () => withProcesses(options, check))
    }
  })
}
