// The ```ts blocks of the documentation, as programs to type-check and run.
import { execFile } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { root } from './published-packages.ts'

export interface Snippet {
  /** The Markdown file, relative to the root. */
  readonly source: string
  /** The line of the first line of code, from 1. */
  readonly line: number
  readonly code: string
  /** `false` for ```ts no-run: it is only type-checked. */
  readonly run: boolean
  /** With ```ts file=../path.ts: the file with the same text, relative to the root. It is checked and tested there. */
  readonly file?: string
}

export interface Problem {
  readonly source: string
  readonly line: number
  readonly message: string
}

const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'ARCHITECTURE.md',
  'packages/*/README.md',
  'packages/*/docs/**/*.md',
  'apps/docs/{*,{concepts,contributing,guides}/*}.md',
]

/** Every ```ts block of the documentation. */
export function documentedSnippets(): Snippet[] {
  return globSync(documents, { cwd: root })
    .sort()
    .flatMap((file) => findSnippets(file, readFileSync(join(root, file), 'utf8')))
}

/** The ```ts blocks of a Markdown text. Blocks in longer fences are not snippets. */
export function findSnippets(source: string, markdown: string): Snippet[] {
  const snippets: Snippet[] = []
  let open: { fence: string; indent: string; info: string[]; line: number; code: string[] } | undefined
  for (const [index, text] of markdown.split(/\r?\n/).entries()) {
    const [, indent = '', fence = '', info = ''] = /^(\s*)(`{3,}|~{3,})\s*(.*?)\s*$/.exec(text) ?? []
    if (open === undefined) {
      if (fence !== '') open = { fence, indent, info: info.split(/\s+/), line: index + 2, code: [] }
    } else if (fence.startsWith(open.fence) && info === '') {
      const [language = '', ...flags] = open.info
      if (['ts', 'typescript'].includes(language)) {
        const [path] = flags.flatMap((flag) => /^file=(.+)$/.exec(flag)?.[1] ?? [])
        snippets.push({
          source,
          line: open.line,
          code: open.code.join('\n'),
          run: path === undefined && !flags.includes('no-run'),
          ...(path !== undefined && { file: join(dirname(source), path) }),
        })
      }
      open = undefined
    } else {
      open.code.push(text.startsWith(open.indent) ? text.slice(open.indent.length) : text)
    }
  }
  return snippets
}

/**
 * Writes each snippet to a file of its own, inside the repository so that its packages resolve.
 *
 * @param alone Further snippets, each of which runs in a program of its own.
 */
export function writeSnippets(snippets: readonly Snippet[], alone: readonly Snippet[] = []): SnippetFiles {
  mkdirSync(join(root, '.snippets'), { recursive: true })
  const folder = mkdtempSync(join(root, '.snippets/run-'))
  const files = new Map<string, Snippet>()
  for (const snippet of [...snippets, ...alone]) {
    const file = join(folder, snippet.source, `${snippet.line}.ts`)
    files.set(file, snippet)
    mkdirSync(dirname(file), { recursive: true })
    // Padded, so that line numbers are those of the Markdown file. Exported like a library's code, so that types without a
    // public name are errors.
    const code = snippet.code.replace(/^const /gm, 'export const ')
    writeFileSync(file, `${'\n'.repeat(snippet.line - 1)}${code}\n`)
  }
  const grouped = [...files].filter(([, snippet]) => snippet.run && !alone.includes(snippet))
  const groups = [...Map.groupBy(grouped.entries(), groupOf).values()].map(
    (group) => new SnippetGroup(new Map(group.map(([, [file, snippet]]) => [snippet, file]))),
  )
  const fileOf = (snippet: Snippet) => [...files].find(([, one]) => one === snippet)?.[0] ?? ''
  return {
    typeCheck: () => typeCheck(folder, files),
    run: async (snippet) => {
      const group = groups.find((one) => one.has(snippet))
      return group ? group.run(snippet) : runFile(fileOf(snippet), snippet)
    },
    remove: () => rmSync(folder, { recursive: true }),
  }
}

/** Snippets that run one after the other in one program: loading our packages takes longer than most of them. */
const GROUP_SIZE = 34
const groupOf = ([index]: readonly [number, unknown]) => Math.floor(index / GROUP_SIZE)

class SnippetGroup {
  readonly #files: ReadonlyMap<Snippet, string>
  #allPass: Promise<boolean> | undefined

  constructor(files: ReadonlyMap<Snippet, string>) {
    this.#files = files
  }

  has(snippet: Snippet): boolean {
    return this.#files.has(snippet)
  }

  /** If the group fails, each of its snippets runs alone. */
  async run(snippet: Snippet): Promise<Problem | undefined> {
    this.#allPass ??= runTogether([...this.#files.values()])
    return (await this.#allPass) ? undefined : runFile(this.#files.get(snippet) ?? '', snippet)
  }
}

/** Whether all programs complete, in sequence in one process. */
async function runTogether(files: readonly string[]): Promise<boolean> {
  const imports = files.map((file) => `await import(${JSON.stringify(pathToFileURL(file).href)})`)
  // Detects a program that exits the process early.
  const code = [...imports, `console.log('\\n${ALL_ENDED}')`].join('\n')
  const args = ['--conditions=@millrace/source', '--input-type=module', '--eval', code]
  const { output, failed } = await execute(process.execPath, args, GROUP_SIZE * SECONDS_EACH * 1_000)
  return !failed && output.includes(ALL_ENDED)
}

const ALL_ENDED = 'All snippets have run.'
const SECONDS_EACH = 15

export interface SnippetFiles {
  /** Type-checks all snippets in one run of the compiler, with the options of the repository. */
  typeCheck(): Promise<Problem[]>
  /** Runs a snippet under Node with the packages' sources. May run others of its group first, in the same process. */
  run(snippet: Snippet): Promise<Problem | undefined>
  remove(): void
}

async function typeCheck(folder: string, files: ReadonlyMap<string, Snippet>): Promise<Problem[]> {
  const config = {
    extends: '../../tsconfig.json',
    // Exports of a snippet need no type annotations.
    compilerOptions: { isolatedDeclarations: false, moduleDetection: 'force' },
    include: [],
    files: [...files.keys()],
  }
  if (files.size === 0) return []
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const args = ['--project', folder, '--pretty', 'false']
  const { output, failed } = await execute(join(root, 'node_modules/.bin/tsc'), args)
  return (failed ? output : '')
    .split(/\n(?=\S)/)
    .filter((problem) => problem.trim() !== '' && !NAMELESS_ELSEWHERE.test(problem))
    .map((problem) => {
      const [, file = '', line, message] = /^(.+?)\((\d+),\d+\): (.*)$/s.exec(problem) ?? []
      const source = files.get(join(root, file))?.source ?? file
      return { source, line: Number(line ?? 0), message: (message ?? problem).trim() }
    })
}

/** An error about a type without a public name in another package. */
const NAMELESS_ELSEWHERE = /error TS40\d\d: .*\/node_modules\//

async function runFile(file: string, { source, line }: Snippet): Promise<Problem | undefined> {
  const { output, failed } = await execute(process.execPath, ['--conditions=@millrace/source', file])
  if (!failed) return undefined
  const at = output.indexOf(`${file}:`)
  const thrownAt = at === -1 ? Number.NaN : Number.parseInt(output.slice(at + file.length + 1), 10)
  return { source, line: Number.isNaN(thrownAt) ? line : thrownAt, message: output.trim() }
}

/** The output of a command, and whether it failed. */
async function execute(
  command: string,
  args: readonly string[],
  timeout = 170_000,
): Promise<{ output: string; failed: boolean }> {
  try {
    const { stdout } = await promisify(execFile)(command, args, { cwd: root, timeout })
    return { output: stdout, failed: false }
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string }
    return { output: `${stdout}${stderr}`.trim() || message, failed: true }
  }
}
