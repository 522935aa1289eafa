// Changes the code of a module in one place at a time, and runs the tests that run that place: a change no test notices is
// reported, with its line. `pnpm mutation gate`, `pnpm mutation all`; `--force` forgets what earlier runs have found, and
// `--only gate.ts:20-60` changes a part of the module.
import { globSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { Stryker } from '@stryker-mutator/core'
import { type MutatedModule, mutatedModules } from './mutated-modules.ts'
import { root } from './published-packages.ts'

type LogLevel = NonNullable<ConstructorParameters<typeof Stryker>[0]['logLevel']>

/** Of a hundred changes, how many the tests of a module have to notice. */
const LOWEST_SCORE = 85

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    force: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
  },
})
const [name] = positionals
const chosen = name === 'all' ? Object.keys(mutatedModules) : [name ?? '']
const unknown = chosen.find((one) => !Object.hasOwn(mutatedModules, one))

if (unknown !== undefined || positionals.length !== 1) {
  console.error(
    `Usage: pnpm mutation <${Object.keys(mutatedModules).join(' | ')} | all> [--force] [--only file:from-to]`,
  )
  process.exitCode = 2
} else {
  process.chdir(root)
  for (const one of chosen) await mutate(one, mutatedModules[one] as MutatedModule)
}

/** A score below the lowest sets the exit code. */
async function mutate(module: string, { files, tests, onDemand }: MutatedModule): Promise<void> {
  // Read by the configuration of vitest.
  process.env.MILLRACE_ISOLATE = onDemand ? '1' : '0'
  const folder = `mutation/${module}`
  const mutants = await new Stryker({
    mutate: values.only.length === 0 ? found(files) : values.only.map((part) => partOf(found(files), part)),
    testFiles: found(tests),
    testRunner: 'vitest',
    vitest: { configFile: 'scripts/mutation-vitest.config.ts', related: false },
    plugins: ['@stryker-mutator/vitest-runner'],
    coverageAnalysis: 'perTest',
    // What runs only while a file is loaded would cost all tests for every change.
    ignoreStatic: true,
    concurrency: 1,
    // Load beside a run must not look like a change that never ends.
    timeoutMS: 30_000,
    timeoutFactor: 4,
    dryRunTimeoutMinutes: 20,
    incremental: true,
    force: values.force,
    incrementalFile: `${folder}/incremental.json`,
    tempDirName: '.mutation',
    cleanTempDir: 'always',
    // TypeScript 7 has no compiler API for Stryker to rewrite one with, and nothing here needs it.
    tsconfigFile: 'none',
    ignorePatterns: ['apps', 'mutation', 'profiles', '**/dist'],
    reporters: ['html', 'progress-append-only'],
    htmlReporter: { fileName: `${folder}/report.html` },
    thresholds: { high: LOWEST_SCORE, low: LOWEST_SCORE, break: LOWEST_SCORE },
    logLevel: 'warn' as LogLevel,
  }).runMutationTest()
  const unnoticed = mutants.filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
  const noticed = mutants.filter(({ status }) => status === 'Killed' || status === 'Timeout')
  for (const { fileName, location, status, mutatorName, replacement } of unnoticed) {
    const place = `${relative(root, fileName)}:${location.start.line}:${location.start.column}`
    const change = replacement?.replaceAll(/\s+/g, ' ').slice(0, 100)
    console.log(`${place}  ${status === 'NoCoverage' ? 'no test  ' : ''}${mutatorName}: ${change}`)
  }
  const total = noticed.length + unnoticed.length
  console.log(
    `${module}: ${((100 * noticed.length) / total).toFixed(1)} % of ${total} changes noticed. See ${folder}/report.html.`,
  )
}

/** `part` is the end of a path, with or without `:from-to` in lines. */
function partOf(files: readonly string[], part: string): string {
  const [end = '', lines] = part.split(':')
  const file = files.find((one) => one.endsWith(`/${end}`))
  if (file === undefined) throw new Error(`No file of the module is ${end}. It has ${files.join(', ')}.`)
  return lines === undefined ? file : `${file}:${lines}`
}

/** Every pattern must find a file: one that was moved is not left out in silence. */
function found(patterns: readonly string[]): string[] {
  return patterns.flatMap(expanded).flatMap((pattern) => {
    const files = globSync(pattern, { cwd: root }).map((file) => relative(root, join(root, file)))
    if (files.length === 0) throw new Error(`No file matches ${pattern}. Correct scripts/mutated-modules.ts.`)
    return files
  })
}

/** A pattern for each of the names in its braces: each of them must find a file. */
function expanded(pattern: string): string[] {
  const [braces, names] = /\{([^}]*)\}/.exec(pattern) ?? []
  if (braces === undefined || names === undefined) return [pattern]
  return names.split(',').flatMap((name) => expanded(pattern.replace(braces, name)))
}
