import { InMemoryStore } from '@millrace/core/storage'
import { describe, expect, test } from 'vitest'
import { type StorageTestOptions, withStorage } from '../src/storage/storage-context.ts'
import type { StorageRules } from '../src/storage/storage-rule.ts'
import { STORAGE_RULES } from '../src/storage/storage-rules.ts'
import { isThorough } from '../src/thorough.ts'
import { blobs } from './broken-stores/blobs.ts'
import { type BrokenStore, type BrokenStores, withMistake } from './broken-stores/broken-store.ts'
import { counters } from './broken-stores/counters.ts'
import { deletion } from './broken-stores/deletion.ts'
import { leases } from './broken-stores/leases.ts'
import { lifetime, persistence } from './broken-stores/lifetime.ts'
import { messages } from './broken-stores/messages.ts'
import { openByName } from './broken-stores/reopened-store.ts'
import { resources } from './broken-stores/resources.ts'
import { runs } from './broken-stores/runs.ts'
import { search } from './broken-stores/search.ts'
import { streams } from './broken-stores/streams.ts'
import { tenants } from './broken-stores/tenants.ts'
import { threadSearch } from './broken-stores/thread-search.ts'
import { threads } from './broken-stores/threads.ts'
import { transactions } from './broken-stores/transactions.ts'
import { vectors } from './broken-stores/vectors.ts'

const brokenStores: BrokenStores = {
  ...threads,
  ...messages,
  ...blobs,
  ...resources,
  ...tenants,
  ...search,
  ...threadSearch,
  ...vectors,
  ...runs,
  ...leases,
  ...streams,
  ...counters,
  ...transactions,
  ...deletion,
  ...lifetime,
}

// Random operations fail only sometimes: they are tested below.
const { 'random operations': randomOperations = {}, ...named } = STORAGE_RULES

interface NamedRule {
  group: string
  name: string
  rule: StorageRules[string]
}

const rules = Object.entries(named).flatMap(([group, rules]) =>
  Object.entries(rules).map(([name, rule]): NamedRule => ({ group, name, rule })),
)

/** These rules are slow: only the stores that should break them are tested, unless the tests are thorough. */
const SLOW: readonly string[] = [
  'loses no call and executes none twice if the process dies at any write',
  'loses no call and executes none twice if the process dies at any write, with every step stored',
  'returns only the data of the resource, for any id',
  'refuses a message with more than a mebibyte of text, and saves no other message of the turn',
  'ends a run and stores the one that continues it atomically',
  'saves a thousand messages in one call',
  'deletes a thread atomically for concurrent readers',
  'finds a long message only by its beginning',
  'saves and finds messages of a megabyte',
  'stores streams of up to sixteen megabytes, measured in bytes',
  'refuses a change of a run that is too large, or has text that databases cannot store',
  'stores runs of up to four megabytes, measured in bytes',
  'stores up to a thousand unexpired runs of a resource',
]

/** The rules to test for a store that should break these: those of the same groups, or all if the tests are thorough. */
function askedOf(breaks: readonly string[]): NamedRule[] {
  const groups = new Set(rules.filter(({ name }) => breaks.includes(name)).map(({ group }) => group))
  return rules.filter(
    ({ group, name }) => isThorough || breaks.includes(name) || (groups.has(group) && !SLOW.includes(name)),
  )
}

/** The names of the failed rules. */
async function failedBy(
  newCreate: () => StorageTestOptions['create'],
  asked: readonly NamedRule[],
): Promise<string[]> {
  const failed: string[] = []
  for (const { name, rule } of asked) {
    await withStorage({ create: newCreate() }, rule).catch(() => failed.push(name))
  }
  return failed.toSorted()
}

test('a store that keeps its data by name passes the rules of persistent stores', async () => {
  expect(await failedBy(() => openByName(), rules)).toEqual([])
})

describe('a store fails the rules it breaks, and no others, if it', () => {
  test.each(Object.entries(brokenStores))('%s', async (_, { breaks, mistake }) => {
    const failed = await failedBy(() => () => withMistake(mistake, new InMemoryStore()), askedOf(breaks))
    expect(failed).toEqual(breaks.toSorted())
  })

  test.each(Object.entries(persistence))('%s', async (_, { breaks, mistake }) => {
    expect(await failedBy(() => openByName(mistake), askedOf(breaks))).toEqual(breaks.toSorted())
  })
})

test.each([
  'keeps a turn that is done again',
  'moves a message that it replaces to the end',
  'counts no lower than 0',
])('random operations find a store that %s', async (name) => {
  const { mistake } = brokenStores[name] as BrokenStore
  for (const rule of Object.values(randomOperations)) {
    await expect(withStorage({ create: () => withMistake(mistake) }, rule)).rejects.toThrow('Property failed')
  }
})

test('no two rules have the same name, and every rule is broken by some store', () => {
  const names = rules.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  const broken = Object.values({ ...brokenStores, ...persistence }).flatMap(({ breaks }) => breaks)
  expect(names.filter((name) => !broken.includes(name))).toEqual([])
})
