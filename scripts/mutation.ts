// Mutation testing: mutates a module at one place at a time, and runs the tests that cover it. Prints mutations that no
// test detects. `node scripts/mutation.ts gate`, `node scripts/mutation.ts all`. `--force` ignores earlier results, `--only gate.ts:20-60`
// mutates some lines.
import { globSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { Stryker } from '@stryker-mutator/core'
import { type MutatedPart, mutatedModules } from './mutated-modules.ts'
import { root } from './published-packages.ts'

type MutantResult = Awaited<ReturnType<Stryker['runMutationTest']>>[number]
type LogLevel = NonNullable<ConstructorParameters<typeof Stryker>[0]['logLevel']>

/** The minimum percentage of detected mutations. */
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
    `Usage: node scripts/mutation.ts <${Object.keys(mutatedModules).join(' | ')} | all> [--force] [--only file:from-to]`,
  )
  process.exitCode = 2
} else {
  process.chdir(root)
  for (const one of chosen) await mutate(one, mutatedModules[one] as readonly MutatedPart[])
}

/** Prints the undetected mutations of a module. A score below the minimum sets the exit code. */
async function mutate(module: string, parts: readonly MutatedPart[]): Promise<void> {
  let noticed = 0
  let total = 0
  for (const [index, part] of parts.entries()) {
    const mutate = chosenOf(found(part.files))
    if (mutate.length === 0) continue
    const mutants = await mutantsOf(mutate, part, `mutation/${module}/${index}`)
    const unnoticed = mutants.filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
    for (const { fileName, location, status, mutatorName, replacement } of unnoticed) {
      const place = `${relative(root, fileName)}:${location.start.line}:${location.start.column}`
      const change = replacement?.replaceAll(/\s+/g, ' ').slice(0, 100)
      console.log(`${place}  ${status === 'NoCoverage' ? 'no test  ' : ''}${mutatorName}: ${change}`)
    }
    noticed += mutants.filter(({ status }) => status === 'Killed' || status === 'Timeout').length
    total += unnoticed.length
  }
  total += noticed
  const score = (100 * noticed) / total
  if (score < LOWEST_SCORE) process.exitCode = 1
  console.log(`${module}: ${score.toFixed(1)} % of ${total} changes noticed. See mutation/${module}/.`)
}

function mutantsOf(mutate: string[], { tests }: MutatedPart, folder: string): Promise<MutantResult[]> {
  return new Stryker({
    mutate,
    testFiles: found(tests),
    testRunner: 'vitest',
    vitest: { configFile: 'scripts/mutation-vitest.config.ts', related: false },
    plugins: ['@stryker-mutator/vitest-runner'],
    coverageAnalysis: 'perTest',
    // Code that runs at module load would need all tests for every mutation.
    ignoreStatic: true,
    concurrency: 1,
    // On a busy machine, a slow test must not count as an endless loop.
    timeoutMS: 30_000,
    timeoutFactor: 4,
    dryRunTimeoutMinutes: 20,
    incremental: true,
    force: values.force,
    incrementalFile: `${folder}/incremental.json`,
    tempDirName: '.mutation',
    cleanTempDir: 'always',
    // Stryker uses TypeScript's compiler API, which TypeScript 7 does not have. It is not needed here.
    tsconfigFile: 'none',
    ignorePatterns: ['apps', 'mutation', 'profiles', '**/dist'],
    reporters: ['html', 'progress-append-only'],
    htmlReporter: { fileName: `${folder}/report.html` },
    logLevel: 'warn' as LogLevel,
  }).runMutationTest()
}

/** The files, or the parts of them given with `--only`. */
function chosenOf(files: readonly string[]): string[] {
  if (values.only.length === 0) return [...files]
  return values.only.flatMap((only) => {
    const [end = '', lines] = only.split(':')
    return files.filter((file) => file.endsWith(`/${end}`)).map((file) => (lines ? `${file}:${lines}` : file))
  })
}

/** Every pattern must match a file, so that a moved file is noticed. */
function found(patterns: readonly string[]): string[] {
  return patterns.flatMap(expanded).flatMap((pattern) => {
    const files = globSync(pattern, { cwd: root }).map((file) => relative(root, join(root, file)))
    if (files.length === 0) throw new Error(`No file matches ${pattern}. Correct scripts/mutated-modules.ts.`)
    return files
  })
}

/** Expands the braces of a pattern: each alternative must match a file. */
function expanded(pattern: string): string[] {
  const [braces, names] = /\{([^}]*)\}/.exec(pattern) ?? []
  if (braces === undefined || names === undefined) return [pattern]
  return names.split(',').flatMap((name) => expanded(pattern.replace(braces, name)))
}
