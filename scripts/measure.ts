// Counts the mass of the project: lines, entry points, public names, option fields, and code that is bent for the engine.
//   node scripts/measure.ts [folder]      another checkout, for a comparison
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseSync, type TSInterfaceDeclaration, type TSType, Visitor } from 'oxc-parser'

const root = process.argv[2] ?? join(import.meta.dirname, '..')
const TEST =
  /(?:\.(?:test|test-d|cost|picture)\.tsx?$)|\/(?:test|e2e|node_modules|dist|peers|mounts|runtimes)\//
const source = filesOf('{packages,apps}/*/{src,page,templates}/**/*.{ts,tsx}').filter(
  ({ file }) => !TEST.test(file) && !file.startsWith('packages/testing/'),
)
const tests = filesOf('{packages,apps,examples,scripts}/**/*.{ts,tsx}').filter(
  ({ file }) =>
    (TEST.test(file) || file.startsWith('packages/testing/')) && !/node_modules|\/dist\//.test(file),
)
const core = source.filter(({ file }) => file.startsWith('packages/core/'))
const entries = entryPoints()
const casts = source.map(({ file, text }) => castsOf(file, text))

const rows: [string, number][] = [
  ['entry points', entries.length],
  ['exported names, each once in its package', namesOf(entries).size],
  ['option fields, at any depth', sum(source.map(({ file, text }) => optionFields(file, text)))],
  ['lines of source', lines(source)],
  ['lines of tests', lines(tests)],
  ['lines of core', lines(core)],
  ['lines of guards/src/guard', lines(source.filter(({ file }) => file.includes('guards/src/guard/')))],
  ['files with isThenable or isPromise', matching(/\bis(?:Thenable|Promise)\(/)],
  ['files with generators', matching(/\bfunction\*|^\s+(?:static |async )*\*#?\w+\(/m)],
  ['import() of modules', sum(source.map(({ text }) => text.match(/\bimport\('/g)?.length ?? 0))],
  [
    'files with per-run maps or computed properties',
    matching(/\bPerRun\b|\bcomputedProperty\b|defineProperty\(/),
  ],
  ['casts', sum(casts.map(({ all }) => all))],
  ['casts to never', sum(casts.map(({ never }) => never))],
  ['fields of StepState', fieldsOfStepState()],
  ['commands in package.json', Object.keys(JSON.parse(read('package.json')).scripts).length],
  ['lines of CONTRIBUTING.md', read('CONTRIBUTING.md').split('\n').length - 1],
  ['lines of biome.json', read('biome.json').split('\n').length - 1],
  [
    'changesets',
    readdirSync(join(root, '.changeset')).filter((file) => /(?<!README)\.md$/.test(file)).length,
  ],
]
for (const [name, value] of rows) console.log(`${String(value).padStart(9)}  ${name}`)

interface SourceFile {
  /** Relative to the root. */
  file: string
  text: string
}

function filesOf(pattern: string): SourceFile[] {
  const files = globSync(pattern, { cwd: root }).filter((file) => !/node_modules|\/dist\//.test(file))
  return files.sort().map((file) => ({ file, text: read(file) }))
}

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function lines(files: readonly SourceFile[]): number {
  return sum(files.map(({ text }) => text.split('\n').length - 1))
}

function matching(pattern: RegExp): number {
  return source.filter(({ text }) => pattern.test(text)).length
}

/** The sources of all entry points of published packages. */
function entryPoints(): { name: string; file: string }[] {
  return globSync('packages/*/package.json', { cwd: root }).flatMap((manifest) => {
    const { name, private: hidden, exports = {} } = JSON.parse(read(manifest))
    if (hidden) return []
    return Object.values<{ '@millrace/source'?: string }>(exports)
      .map((entry) => entry['@millrace/source'])
      .filter((path) => path !== undefined)
      .map((path) => ({ name, file: join(dirname(manifest), path) }))
  })
}

/** Public names as `package name`. Members of exported namespaces are names. */
function namesOf(points: readonly { name: string; file: string }[]): Set<string> {
  return new Set(points.flatMap(({ name, file }) => exportsOf(file).map((exported) => `${name} ${exported}`)))
}

function exportsOf(file: string): string[] {
  const { program } = parseSync(file, read(file))
  return program.body.flatMap((node): string[] => {
    if (node.type === 'ExportAllDeclaration') {
      const inner = node.source.value.startsWith('.')
        ? join(dirname(file), node.source.value)
        : entryOf(node.source.value)
      if (inner === undefined || !existsSync(join(root, inner))) return [node.source.value]
      const names = exportsOf(inner)
      const space = node.exported?.type === 'Identifier' ? node.exported.name : undefined
      return space === undefined ? names : [space, ...names.map((name) => `${space}.${name}`)]
    }
    if (node.type !== 'ExportNamedDeclaration') return []
    const listed = node.specifiers.map(({ exported }) =>
      exported.type === 'Identifier' ? exported.name : exported.value,
    )
    const declared = node.declaration
    if (!declared) return listed
    if ('id' in declared && declared.id?.type === 'Identifier') return [...listed, declared.id.name]
    if (declared.type !== 'VariableDeclaration') return listed
    return [
      ...listed,
      ...declared.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : [])),
    ]
  })
}

function entryOf(specifier: string): string | undefined {
  const [scope, name, ...path] = specifier.split('/')
  const manifest = `packages/${name}/package.json`
  if (scope !== '@millrace' || !existsSync(join(root, manifest))) return undefined
  const { exports } = JSON.parse(read(manifest))
  const source = exports[path.length > 0 ? `./${path.join('/')}` : '.']?.['@millrace/source']
  return source && join('packages', name as string, source)
}

/** Fields of exported types named `…Options` or `…Settings`, with those of object types within them. */
function optionFields(file: string, text: string): number {
  let fields = 0
  const count = (node: TSType | TSInterfaceDeclaration['body']): void => {
    new Visitor({ TSPropertySignature: () => void fields++, TSMethodSignature: () => void fields++ }).visit({
      type: 'Program',
      body: [node],
    } as never)
  }
  for (const node of parseSync(file, text).program.body) {
    const declared = node.type === 'ExportNamedDeclaration' ? node.declaration : undefined
    if (declared?.type === 'TSInterfaceDeclaration' && isOptions(declared.id.name)) count(declared.body)
    if (declared?.type === 'TSTypeAliasDeclaration' && isOptions(declared.id.name))
      count(declared.typeAnnotation)
  }
  return fields
}

function isOptions(name: string): boolean {
  return /(?:Options|Settings|Config)$/.test(name)
}

function castsOf(file: string, text: string): { all: number; never: number } {
  const found = { all: 0, never: 0 }
  const { program } = parseSync(file, text)
  new Visitor({
    TSAsExpression({ typeAnnotation: type }) {
      const isConst =
        type.type === 'TSTypeReference' &&
        type.typeName.type === 'Identifier' &&
        type.typeName.name === 'const'
      if (!isConst) found.all++
      if (type.type === 'TSNeverKeyword') found.never++
    },
    TSNonNullExpression: () => void found.all++,
  }).visit(program)
  return found
}

function fieldsOfStepState(): number {
  const file = 'packages/core/src/run/step-state.ts'
  if (!existsSync(join(root, file))) return 0
  const [, body = ''] = /export interface StepState \{\n([\s\S]*?)\n\}/.exec(read(file)) ?? []
  return body.match(/^ {2}\w+\??:/gm)?.length ?? 0
}
