import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { KILL_TARGETS, measureKills } from './measure-kills.ts'
import { hashOf, type Result, root, writeResult } from './result-file.ts'

/** Labeled data from others, which is not in this repository. */
const DATA: Readonly<Record<string, { about: string; licence: string }>> = {
  'pii_cases.json.gz': { about: 'examples from the tests of recognizers of personal data', licence: 'MIT' },
  'pii_documents.jsonl.gz': { about: 'synthetic documents with labelled personal data', licence: 'MIT' },
  'secrets.json.gz': { about: 'examples from the rules of a secret scanner, dead keys', licence: 'MIT' },
  'tokens.json.gz': { about: 'texts with the tokens of a reference', licence: 'MIT' },
  'injection.jsonl.gz': {
    about: 'attacks and harmless prompts of other works',
    licence: 'each row names its own',
  },
  'attacks.jsonl.gz': { about: 'more attacks of other works', licence: 'each row names its own' },
  'benign_prompts.jsonl.gz': { about: 'harmless prompts of other works', licence: 'each row names its own' },
  'benign_documents.jsonl.gz': {
    about: 'harmless documents of other works',
    licence: 'each row names its own',
  },
  'security_talk.jsonl.gz': {
    about: 'texts about attacks, of other works',
    licence: 'each row names its own',
  },
  'recall_turns.jsonl.gz': { about: 'three long conversations of LoCoMo', licence: 'CC BY-NC' },
  'recall_questions.jsonl.gz': {
    about: 'questions to them, with the turns that answer',
    licence: 'CC BY-NC',
  },
}

export interface MeasureOptions {
  /** Fewer rounds. */
  quick: boolean
  /** The folder with labeled data, for the figures that need it. */
  data?: string | undefined
  /** For injection, whose evaluation takes minutes: a file with its output. Default: run the evaluation. */
  scores?: string | undefined
}

type Source = (options: MeasureOptions) => Result | Promise<Result>

const SOURCES: Readonly<Record<string, Source>> = {
  peers: ({ quick }) => {
    const { dependencies } = readJson(join(root, 'apps/bench/peers/package.json')) as {
      dependencies: Record<string, string>
    }
    const [{ measurements } = { measurements: [] }] = runForJson([
      'apps/bench/peers/main.ts',
      ...(quick ? ['--quick'] : []),
    ]) as [{ measurements: unknown }]
    const versions = Object.entries(dependencies).filter(([name]) => !/provider|zod/.test(name))
    return {
      command: `pnpm bench peers${quick ? ' --quick' : ''}`,
      versions: Object.fromEntries(versions),
      values: measurements,
    }
  },
  guards: ({ data }) => {
    const folder = needed(data, 'guards')
    const reports = runWithSources(['apps/evaluate/src/main.ts', folder, '--json']) as { guard: string }[]
    return {
      command: 'pnpm -F @millrace/evaluate evaluate <folder>',
      versions: {},
      data: dataIn(folder, /^(?:pii|secrets|tokens)/),
      // The classifier with left-out sources and the speed are measured by separate commands.
      values: reports.filter(({ guard }) => !['PromptInjectionDetector', 'Speed'].includes(guard)),
    }
  },
  speed: ({ data }) => {
    const folder = needed(data, 'speed')
    return {
      command: 'pnpm -F @millrace/evaluate evaluate <folder> --speed',
      versions: {},
      data: dataIn(folder, /^pii_documents/),
      values: runWithSources(['apps/evaluate/src/main.ts', folder, '--json', '--speed']),
    }
  },
  injection: ({ data, scores }) => {
    const folder = needed(data, 'injection')
    const evaluation = 'packages/injection-model/src/evaluate/main.ts'
    return {
      command: 'pnpm -F @millrace/injection-model evaluate <folder> --left-out',
      versions: {},
      data: dataIn(folder, /^(?:injection|attacks|benign|security)/),
      ...(scores === undefined
        ? { values: runWithSources([evaluation, folder, '--left-out', '--json']) }
        : { values: readJson(scores), date: statSync(scores).mtime }),
    }
  },
  recall: ({ data }) => {
    const folder = needed(data, 'recall')
    return {
      command: 'pnpm -F @millrace/memory evaluate <folder> --store sqlite',
      versions: {},
      data: dataIn(folder, /^recall/),
      values: runWithSources(['packages/memory/src/evaluate/main.ts', folder, '--json', '--store', 'sqlite']),
    }
  },
  ...Object.fromEntries(
    KILL_TARGETS.map((target): [string, Source] => [
      `kills-${target}`,
      ({ quick }) => measureKills(target, quick ? 12 : 100),
    ]),
  ),
  sizes: () => ({
    command: 'pnpm check size --json <file>',
    versions: {},
    values: runForJson(['scripts/size.ts']),
  }),
}

export const FIGURES: readonly string[] = Object.keys(SOURCES)

/** Measures, and saves the results in apps/bench/results. Default: all figures. `kills` means all targets of kills. */
export async function measureFigures(names: readonly string[], options: MeasureOptions): Promise<void> {
  const chosen = names.flatMap((name) => {
    const found = FIGURES.filter((figure) => figure === name || figure.startsWith(`${name}-`))
    if (found.length === 0)
      throw new Error(
        `There is no figure '${name}'. Use one of ${FIGURES.join(', ')}, or kills for all targets.`,
      )
    return found
  })
  for (const name of names.length > 0 ? chosen : FIGURES) {
    const source = SOURCES[name] as Source
    console.log(`Measuring ${name} …`)
    writeResult(name, await source(options))
  }
}

function needed(data: string | undefined, name: string): string {
  if (data !== undefined && existsSync(data)) return data
  throw new Error(
    `'${name}' needs labeled data, and ${data === undefined ? 'no folder is given' : `'${data}' does not exist`}. Pass the folder: pnpm bench --chart ${name} --data <folder>.`,
  )
}

function dataIn(folder: string, pattern: RegExp): NonNullable<Result['data']> {
  return globSync('**/*.gz', { cwd: folder })
    .toSorted()
    .flatMap((path) => {
      const known = DATA[basename(path)]
      if (!known || !pattern.test(basename(path))) return []
      return [{ file: basename(path), ...known, sha256: hashOf(join(folder, path)) }]
    })
}

/** Runs a program that writes JSON to a file. */
function runForJson(args: readonly string[]): unknown {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-figures-'))
  try {
    const file = join(folder, 'found.json')
    execFileSync(process.execPath, [...args, '--json', file], { cwd: root, stdio: 'inherit' })
    return readJson(file)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Runs a program that prints JSON. */
function runWithSources(args: readonly string[]): unknown {
  const options = { cwd: root, maxBuffer: 64_000_000, stdio: ['ignore', 'pipe', 'inherit'] as const }
  return JSON.parse(
    execFileSync(process.execPath, ['--conditions=@millrace/source', ...args], {
      ...options,
      stdio: [...options.stdio],
    }).toString(),
  )
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'))
}
