// The pages of the site, and the documents they are made from.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'

export const root: string = join(import.meta.dirname, '../../..')

export interface Page {
  /** The Markdown file, relative to the root of the repository. */
  readonly source: string
  /** The path on the site without extension; `''` for the home page. */
  readonly route: string
  /** The first heading, or the title from the front matter. */
  readonly title: string
}

export interface Section {
  readonly title: string
  readonly pages: readonly Page[]
}

/** A part of the site: single documents, and packages with all documents of their folder `docs`. */
interface Part {
  readonly title: string
  readonly documents?: Readonly<Record<string, string>>
  readonly packages?: readonly string[]
}

const PARTS: readonly Part[] = [
  {
    title: 'Start',
    documents: {
      '': 'apps/docs/index.md',
      start: 'apps/docs/start.md',
      pictures: 'apps/docs/pictures.md',
      examples: 'examples/README.md',
      'create-millrace': 'packages/create-millrace/README.md',
    },
  },
  {
    title: 'Concepts',
    documents: inFolder('concepts', [
      'loop',
      'hooks',
      'signals',
      'order',
      'retraction',
      'suspension',
      'tenants',
    ]),
  },
  {
    title: 'Guides',
    documents: inFolder('guides', [
      ...['next', 'vite', 'node', 'hono', 'express', 'fastify', 'cloudflare', 'deno', 'bun'],
      ...['mcp', 'rag', 'agents', 'structured-extraction', 'files', 'approvals-by-mail', 'coding-assistant'],
      ...['testing-in-ci', 'postgres', 'opentelemetry'],
    ]),
  },
  { title: 'Agents', packages: ['core'] },
  { title: 'Guards', packages: ['guards', 'pii', 'tokens', 'processors'] },
  { title: 'Steering', packages: ['steering'] },
  { title: 'Context', packages: ['context'] },
  { title: 'Memory', packages: ['memory'] },
  { title: 'Stores', packages: ['store-sqlite', 'store-libsql', 'store-postgres', 'sqlite-dialect'] },
  { title: 'Server', packages: ['server'] },
  { title: 'Many machines', packages: ['dbos'] },
  { title: 'Studio', packages: ['studio'] },
  {
    title: 'Other frameworks',
    documents: { 'use-cases': 'examples/use-cases.md' },
    packages: ['interop', 'codemod'],
  },
  { title: 'Testing', packages: ['testing'] },
  {
    title: 'Project',
    documents: {
      architecture: 'ARCHITECTURE.md',
      contributing: 'CONTRIBUTING.md',
      ...inFolder('contributing', ['first-steps', 'write-a-processor', 'test-the-tests', 'release']),
      security: 'SECURITY.md',
      governance: 'GOVERNANCE.md',
      conduct: 'CODE_OF_CONDUCT.md',
      releases: 'apps/docs/releases.md',
      figures: 'apps/docs/figures.md',
      measuring: 'apps/bench/README.md',
      'injection-model': 'packages/injection-model/README.md',
    },
  },
]

/** Pages of the site itself, by route. */
function inFolder(folder: string, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [`${folder}/${name}`, `apps/docs/${folder}/${name}.md`]))
}

/** Every page, by section, in the order of the sidebar. */
export function readSections(): readonly Section[] {
  return PARTS.map(({ title, documents = {}, packages = [] }) => ({
    title,
    pages: [
      ...Object.entries(documents).map(([route, source]) => readPage(source, route)),
      ...packages.flatMap(readPackage),
    ],
  }))
}

/** A package's README, and its pages in the order of links. */
function readPackage(name: string): Page[] {
  const folder = `packages/${name}`
  const readme = readPage(`${folder}/README.md`, name)
  const found = globSync(`${folder}/docs/**/*.md`, { cwd: root })
    .map((file) => file.replaceAll('\\', '/'))
    .sort()
  const linked = [...linksFrom(readme.source)].filter((file) => found.includes(file))
  return [
    readme,
    ...[...new Set([...linked, ...found])].map((source) =>
      readPage(source, `${name}/${source.slice(`${folder}/docs/`.length, -'.md'.length)}`),
    ),
  ]
}

function readPage(source: string, route: string): Page {
  const text = readFileSync(join(root, source), 'utf8')
  const [, title = ''] = /^(?:# |title: )(.+)$/m.exec(text) ?? []
  if (title === '') throw new Error(`${source} has no heading. Start it with one, such as "# Processors".`)
  return { source, route, title: title.replaceAll('`', '') }
}

/** The documents that a document links to, relative to the root. */
function* linksFrom(source: string): Generator<string> {
  for (const [, target = ''] of readFileSync(join(root, source), 'utf8').matchAll(/\]\(([^)#\s]+\.md)/g)) {
    if (!target.includes(':')) yield posix.join(dirname(source), target)
  }
}
