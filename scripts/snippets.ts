// The ```ts blocks of the documentation, as programs that can be type-checked and run.
import { execFile } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { root } from './published-packages.ts'

export interface Snippet {
  /** The Markdown file, relative to the root. */
  readonly source: string
  /** The line of its first line of code, from 1. */
  readonly line: number
  readonly code: string
  /** `false` for ```ts no-run: type-checked only. */
  readonly run: boolean
  /** Of ```ts file=../path.ts: the file it must be the text of, relative to the root. Checked and tested where it is. */
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
  'apps/docs/{*,{concepts,guides}/*}.md',
]

/** Every ```ts block of the documentation. */
export function documentedSnippets(): Snippet[] {
  return globSync(documents, { cwd: root })
    .sort()
    .flatMap((file) => findSnippets(file, readFileSync(join(root, file), 'utf8')))
}

/** The ```ts blocks of one Markdown text. Blocks nested in longer fences are text, not snippets. */
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

/** Writes each snippet to a file of its own, inside the repository so that its packages resolve. */
export function writeSnippets(snippets: readonly Snippet[]): SnippetFiles {
  mkdirSync(join(root, '.snippets'), { recursive: true })
  const folder = mkdtempSync(join(root, '.snippets/run-'))
  const files = new Map<string, Snippet>()
  for (const snippet of snippets) {
    const file = join(folder, snippet.source, `${snippet.line}.ts`)
    files.set(file, snippet)
    mkdirSync(dirname(file), { recursive: true })
    // Padded, so that a line number in the file is one in the Markdown file. Exported, as from a user's library: types of
    // ours that have no public name are errors there.
    const code = snippet.code.replace(/^const /gm, 'export const ')
    writeFileSync(file, `${'\n'.repeat(snippet.line - 1)}${code}\n`)
  }
  return {
    typeCheck: () => typeCheck(folder, files),
    run: (snippet) => runFile([...files].find(([, candidate]) => candidate === snippet)?.[0] ?? '', snippet),
    remove: () => rmSync(folder, { recursive: true }),
  }
}

export interface SnippetFiles {
  /** Checks all of them in one run of the compiler, under the flags of the repository. */
  typeCheck(): Promise<Problem[]>
  /** Runs one of them under Node, against the packages' sources. */
  run(snippet: Snippet): Promise<Problem | undefined>
  remove(): void
}

async function typeCheck(folder: string, files: ReadonlyMap<string, Snippet>): Promise<Problem[]> {
  const config = {
    extends: '../../tsconfig.json',
    // What a snippet exports needs no annotations.
    compilerOptions: { isolatedDeclarations: false, moduleDetection: 'force' },
    include: [],
    files: [...files.keys()],
  }
  if (files.size === 0) return []
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const output = await failure(join(root, 'node_modules/.bin/tsc'), [
    '--project',
    folder,
    '--pretty',
    'false',
  ])
  return (output ?? '')
    .split(/\n(?=\S)/)
    .filter((problem) => problem.trim() !== '' && !NAMELESS_ELSEWHERE.test(problem))
    .map((problem) => {
      const [, file = '', line, message] = /^(.+?)\((\d+),\d+\): (.*)$/s.exec(problem) ?? []
      const source = files.get(join(root, file))?.source ?? file
      return { source, line: Number(line ?? 0), message: (message ?? problem).trim() }
    })
}

/** A type without a public name in another package. */
const NAMELESS_ELSEWHERE = /error TS40\d\d: .*\/node_modules\//

async function runFile(file: string, { source, line }: Snippet): Promise<Problem | undefined> {
  const output = await failure(process.execPath, ['--conditions=@millrace/source', file])
  if (output === undefined) return undefined
  const at = output.indexOf(`${file}:`)
  const thrownAt = at === -1 ? Number.NaN : Number.parseInt(output.slice(at + file.length + 1), 10)
  return { source, line: Number.isNaN(thrownAt) ? line : thrownAt, message: output.trim() }
}

/** What a failing command printed; nothing if it succeeded. */
async function failure(command: string, args: readonly string[]): Promise<string | undefined> {
  try {
    await promisify(execFile)(command, args, { cwd: root, timeout: 55_000 })
    return undefined
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string }
    return `${stdout}${stderr}`.trim() || message
  }
}
