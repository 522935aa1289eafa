// Generates the tables of options in the documentation from types and their doc comments: `node scripts/options-tables.ts`.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './published-packages.ts'
import { type Option, readOptions } from './read-options.ts'

/** The packages whose pages have tables of options. */
const PACKAGES = [
  'context',
  'core',
  'dbos',
  'guards',
  'interop',
  'memory',
  'pii',
  'server',
  'steering',
  'store-libsql',
  'store-postgres',
  'store-sqlite',
  'studio',
  'testing',
  'tokens',
]

/** A generated table with its header, which names the type. */
const TABLE = /^\| (option|field) of `(\w+)` \| default \| what it does \|\n(?:\|.*\|\n)*/gm

/** Types with a table of their own. Pages of types that extend them link to it. */
const ELSEWHERE = [
  'ContextOptions',
  'GuardModelOptions',
  'GuardOptions',
  'RunOptions extends SharedOptions',
  'ServerConfig extends HandlerOptions',
]

/** The pages that have a table of options, relative to the root. */
export function optionPages(): string[] {
  return PACKAGES.flatMap((name) => globSync(`packages/${name}/{README.md,docs/**/*.md}`, { cwd: root }))
    .map((file) => file.replaceAll('\\', '/'))
    .sort()
}

/**
 * Updates the tables of a page from the types.
 *
 * @throws Error if the package has no such type, or an option has no doc comment
 */
export function writeTables(page: string, markdown: string): string {
  const [folder = ''] = /^packages\/[^/]+/.exec(page) ?? []
  return markdown.replace(TABLE, (_, kind: string, type: string) => {
    const source = sourceOf(folder, type)
    if (source === undefined) throw new Error(`There is no exported type ${type} in ${folder}/src.`)
    const rows = optionsIn({ source, folder }, type).map(
      (option) => `| \`${option.name}\` | ${option.default} | ${option.description} |\n`,
    )
    return `| ${kind} of \`${type}\` | default | what it does |\n|---|---|---|\n${rows.join('')}`
  })
}

/** The options of a type, including those of types in the same file, the same package, or core. */
function optionsIn(from: { source: string; folder: string }, type: string): Option[] {
  return readOptions(from.source, type, (name) => {
    if (ELSEWHERE.includes(name) || ELSEWHERE.includes(`${type} extends ${name}`)) return []
    if (new RegExp(`^(?:interface|type) ${name}\\b`, 'm').test(from.source)) return optionsIn(from, name)
    for (const folder of [from.folder, 'packages/core']) {
      const source = sourceOf(folder, name)
      if (source !== undefined) return optionsIn({ source, folder }, name)
    }
    throw new Error(`${type} extends ${name}, which is neither in ${from.folder} nor in core.`)
  })
}

const sources = new Map<string, readonly string[]>()

function sourceOf(folder: string, type: string): string | undefined {
  const known = sources.get(folder) ?? readSources(folder)
  sources.set(folder, known)
  return known.find((text) => new RegExp(`^export (?:interface|type) ${type}\\b`, 'm').test(text))
}

function readSources(folder: string): string[] {
  return globSync(`${folder}/src/**/*.ts`, { cwd: root })
    .filter((file) => !/\.test(-d)?\.ts$/.test(file))
    .map((file) => readFileSync(join(root, file), 'utf8'))
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const page of optionPages()) {
    const file = join(root, page)
    const before = readFileSync(file, 'utf8')
    const after = writeTables(page, before)
    if (after === before) continue
    writeFileSync(file, after)
    console.log(`Wrote the tables of ${page}.`)
  }
}
