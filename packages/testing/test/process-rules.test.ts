import { testStorageInProcesses } from '@millrace/testing'
import { describe, expect, test } from 'vitest'
import { withProcesses } from '../src/storage-processes/process-context.ts'
import { PROCESS_RULES } from '../src/storage-processes/test-storage-in-processes.ts'

const moduleOf = (name: string): URL => new URL(`./broken-processes/${name}.ts`, import.meta.url)

const KILLED = 'keeps every turn it has acknowledged, and no half turn, when its process is killed'
const TWO = 'ends with what one writer gives when two processes write'
const CLAIMED = 'gives each suspended run to one of two processes'
const RESUMED = 'lets one of two processes resume a run, and tells the other'
const TAKEN_OVER = 'resumes a run once, and runs no tool twice, wherever a process was killed'
const PERSISTENT = 'says that it is persistent'

// Every call reads the whole log, so few kills must suffice.
testStorageInProcesses('a log of calls', {
  module: moduleOf('good'),
  kills: process.env.MILLRACE_THOROUGH === '1' ? 6 : 2,
})

describe('a store fails the rules about processes if it', () => {
  test.each([
    ['acknowledges what it has not written', 'late', [KILLED]],
    ['writes a turn in two parts', 'halves', [KILLED]],
    ['does not read what others write', 'blind', [CLAIMED, RESUMED]],
    ['overwrites what others have written', 'overwrites', [TWO]],
    ['forgets that a run was claimed', 'forgets-claims', [CLAIMED, RESUMED, TAKEN_OVER]],
    ['is not persistent', 'volatile', [PERSISTENT]],
  ])('%s', async (_, name, breaks) => {
    for (const rule of breaks) {
      const check = PROCESS_RULES[rule]
      if (!check) throw new Error(`There is no rule '${rule}'.`)
      await expect(withProcesses({ module: moduleOf(name), kills: 6 }, check), rule).rejects.toThrow()
    }
  })

  test('each of them is among these', () => {
    expect(Object.keys(PROCESS_RULES).toSorted()).toEqual(
      [KILLED, TWO, CLAIMED, RESUMED, TAKEN_OVER, PERSISTENT].toSorted(),
    )
  })
})
