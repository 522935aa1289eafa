// The tables of options in the documentation, written from the types and their doc comments: `node scripts/options-tables.ts`.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseSync } from 'oxc-parser'
import { root } from './published-packages.ts'

export interface Option {
  readonly name: string
  /** As in the doc comment, `required`, or `none`. */
  readonly default: string
  readonly description: string
}

/** The packages whose pages have tables of options. */
const PACKAGES = ['context', 'guards', 'memory', 'pii', 'steering', 'tokens']

/** The header of a generated table. It names the interface. */
const TABLE = /^\| (option|field) of `(\w+)` \| default \| what it does \|\n(?:\|.*\|\n)*/gm

/** The pages that have a table of options, relative to the root. */
export function optionPages(): string[] {
  return PACKAGES.flatMap((name) => globSync(`packages/${name}/docs/**/*.md`, { cwd: root }))
    .map((file) => file.replaceAll('\\', '/'))
    .sort()
}

/**
 * A page with its tables as the types have them.
 *
 * @throws Error if the package has no such interface, or one of its options has no doc comment
 */
export function writeTables(page: string, markdown: string): string {
  const [folder = ''] = /^packages\/[^/]+/.exec(page) ?? []
  return markdown.replace(TABLE, (_, kind: string, type: string) => {
    const rows = optionsOf(folder, type).map(
      (option) => `| \`${option.name}\` | ${option.default} | ${option.description} |\n`,
    )
    return `| ${kind} of \`${type}\` | default | what it does |\n|---|---|---|\n${rows.join('')}`
  })
}

/** Interfaces with a page of their own. Other pages link to it. */
const ELSEWHERE = ['ContextOptions', 'GuardOptions']

/** The options of an interface of a package: its own, then inherited ones. */
function optionsOf(folder: string, type: string): Option[] {
  const source = sourceOf(folder, type)
  if (source === undefined) throw new Error(`There is no exported interface ${type} in ${folder}/src.`)
  const { own, parents } = readOptions(source, type)
  const options = new Map(own.map((option) => [option.name, option]))
  for (const { name, omitted } of parents) {
    if (ELSEWHERE.includes(name)) continue
    for (const option of optionsOf(folder, name)) {
      if (!omitted.includes(option.name) && !options.has(option.name)) options.set(option.name, option)
    }
  }
  return [...options.values()]
}

function sourceOf(folder: string, type: string): string | undefined {
  return globSync(`${folder}/src/**/*.ts`, { cwd: root })
    .filter((file) => !/\.test(-d)?\.ts$/.test(file))
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .find((text) => new RegExp(`^export interface ${type}\\b`, 'm').test(text))
}

interface Declaration {
  readonly own: readonly Option[]
  readonly parents: readonly { readonly name: string; readonly omitted: readonly string[] }[]
}

/** An exported interface: its members with their doc comments, and what it extends. */
export function readOptions(source: string, type: string): Declaration {
  const { program, comments } = parseSync('source.ts', source)
  const declaration = program.body
    .map((node) => (node.type === 'ExportNamedDeclaration' ? node.declaration : undefined))
    .find((node) => node?.type === 'TSInterfaceDeclaration' && node.id.name === type)
  if (declaration?.type !== 'TSInterfaceDeclaration')
    throw new Error(`There is no exported interface ${type}.`)
  const own = declaration.body.body.flatMap((member): Option[] => {
    if (member.type !== 'TSPropertySignature' && member.type !== 'TSMethodSignature') return []
    const name =
      member.key.type === 'Identifier' ? member.key.name : source.slice(member.key.start, member.key.end)
    const comment = comments.findLast(
      ({ start, end }) =>
        start > declaration.start && end <= member.start && source.slice(end, member.start).trim() === '',
    )
    const text = textOf(comment?.value)
    const [sentence = '', value = 'none'] = /\s*Default: (.+?)\.(?=\s|$)/.exec(text) ?? []
    const description = text.replace(sentence, '').trim()
    if (description === '') {
      throw new Error(`${type}.${name} has no doc comment. Say what it does: its page shows the comment.`)
    }
    return [
      { name, default: member.optional ? escaped(value) : 'required', description: escaped(description) },
    ]
  })
  const parents = declaration.extends.map(({ expression, typeArguments }) => {
    const written = source.slice(expression.start, typeArguments?.end ?? expression.end)
    const [, name = written, keys = ''] = /^Omit<\s*(\w+),([\s\S]*)>$/.exec(written) ?? []
    return { name, omitted: [...keys.matchAll(/'(\w+)'/g)].map(([, key = '']) => key) }
  })
  return { own, parents }
}

/** Within a cell of a table. */
function escaped(text: string): string {
  return text.replaceAll('|', '\\|')
}

/** A doc comment as one line, without its tags. */
function textOf(comment = ''): string {
  if (!comment.startsWith('*')) return ''
  const text = comment
    .slice(1)
    .replace(/^\s*\*/gm, '')
    .replace(/^\s*@[\s\S]*/m, '')
  return text
    .replace(/\s+/g, ' ')
    .replace(/\{@link (\w+)\}/g, '`$1`')
    .trim()
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
