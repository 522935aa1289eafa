// Builds a package: the modules of its exports into `dist`. Run it in the folder of the package.
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type ModuleInfo, type Plugin, rolldown } from 'rolldown'
import { BYTES_MODULE, embeddedBytes } from './build/embedded-bytes.ts'
import { FILES } from './build/files.ts'
import { tableEntry, tableParts } from './build/language-table.ts'
import { outputFiles, SHARED } from './build/output-files.ts'
import { tokenParts } from './build/token-parts.ts'

const TOKEN_TABLE = /^(.*[\\/]gpt-tokenizer)[\\/].*[\\/]bpeRanks[\\/](\w+)\.js$/
const TOKEN_PART = /^(.*[\\/]gpt-tokenizer)[\\/]data[\\/](\w+)-(\d+)\.tiktoken$/

const LANGUAGE_ENTRY = /^(.*[\\/]eld[\\/]src)[\\/]entries[\\/]static\.extrasmall\.js$/
const LANGUAGE_PART = /^(.*[\\/]eld[\\/]src)[\\/]ngrams[\\/]languages-(\d+)\.txt$/

/** The main file of a library, whose name says nothing. */
const LIBRARY = /[\\/]([^\\/]+)[\\/]dist[\\/]index\.m?js$/

type Entry = string | { '@millrace/source': string }
interface Manifest {
  name: string
  exports: Record<string, Entry>
  publishConfig?: { bin?: Record<string, string> }
  dependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}
const manifest: Manifest = JSON.parse(readFileSync('package.json', 'utf8'))

/** The source files of the entry points, by subpath. */
const exported = new Map(
  Object.entries(manifest.exports).flatMap(([path, entry]) =>
    // `internals` is imported by private workspace packages only, and not published.
    typeof entry === 'string' || path === './internals' ? [] : [[path, entry['@millrace/source']]],
  ),
)
/** The commands, which no entry point imports. */
const commands = Object.values(manifest.publishConfig?.bin ?? {}).map((file) =>
  file.replace('./dist/', './src/').replace(/\.js$/, '.ts'),
)
const libraries = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
/** Whether a module is installed with the package or built in, and not bundled. */
const isInstalled = (path: string) =>
  path.startsWith('node:') || libraries.some((name) => path === name || path.startsWith(`${name}/`))
const files = FILES[manifest.name] ?? {}

/** The path in `dist`, without extension. */
const nameOf = (source: string) => source.slice('./src/'.length, -'.ts'.length)
const idOf = (source: string) => join(process.cwd(), source)

const whole = exported.get('.')
const parts = [...exported.values()].filter((source) => source !== whole)

const tables = new Map<string, readonly string[]>()

/** Splits token tables into modules of one part each: see `token-parts.ts`. */
const tablesInParts: Plugin = {
  name: 'tables-in-parts',
  resolveId: { filter: { id: TOKEN_PART }, handler: (path) => path },
  load: {
    filter: { id: [TOKEN_TABLE, TOKEN_PART] },
    handler(path) {
      const [, folder, name = '', part] = (TOKEN_PART.exec(path) ?? TOKEN_TABLE.exec(path)) as RegExpExecArray
      const parts = tables.get(name) ?? tokenParts(readFileSync(`${folder}/data/${name}.tiktoken`, 'latin1'))
      tables.set(name, parts)
      if (part !== undefined) return { code: parts[Number(part)] as string, moduleType: 'text' }
      const loads = parts.map((_, index) => `() => import('${folder}/data/${name}-${index}.tiktoken')`)
      return { code: `export default [${loads.join(', ')}]`, moduleType: 'js' }
    },
  },
}

let languageParts: readonly string[] | undefined

/** Splits the table of eld into modules of one part each: see `language-table.ts`. */
const languagesInParts: Plugin = {
  name: 'languages-in-parts',
  resolveId: { filter: { id: LANGUAGE_PART }, handler: (path) => path },
  load: {
    filter: { id: [LANGUAGE_ENTRY, LANGUAGE_PART] },
    async handler(path) {
      const [, folder, part] = (LANGUAGE_PART.exec(path) ?? LANGUAGE_ENTRY.exec(path)) as RegExpExecArray
      const { ngramsData } = await import(pathToFileURL(`${folder}/ngrams/extrasmall.js`).href)
      languageParts ??= tableParts(ngramsData)
      const parts = languageParts
      if (part !== undefined) return { code: parts[Number(part)] as string, moduleType: 'text' }
      const paths = parts.map((_, index) => `${folder}/ngrams/languages-${index}.txt`)
      return { code: tableEntry(ngramsData, paths), moduleType: 'js' }
    },
  },
}

const bytesAsModules: Plugin = {
  name: 'bytes-as-modules',
  load: {
    filter: { id: BYTES_MODULE },
    handler: (path) => ({ code: embeddedBytes(path), moduleType: 'js' }),
  },
}

/** An entry point that re-exports other entry points imports their files. */
const reexportedParts: Plugin = {
  name: 'reexported-parts',
  async resolveId(specifier, importer, { isEntry }) {
    if (isEntry || whole === undefined || importer !== idOf(whole)) return null
    const resolved = await this.resolve(specifier, importer, { skipSelf: true })
    const part = parts.find((source) => idOf(source) === resolved?.id)
    return part === undefined ? null : { id: `./${nameOf(part)}.js`, external: true }
  },
}

let fileOf: ReadonlyMap<string, string> = new Map()
const fileNames: Plugin = {
  name: 'file-names',
  buildEnd() {
    const infos = [...this.getModuleIds()].map((id) => this.getModuleInfo(id) as ModuleInfo)
    fileOf = outputFiles({
      modules: new Map(infos.filter(({ code }) => code !== null).map((info) => [info.id, info])),
      entries: (parts.length > 0 ? parts : [...exported.values()]).map(idOf),
      files: Object.fromEntries(
        Object.entries(files).map(([name, paths]) => [name, paths.map((path) => idOf(`./src/${path}`))]),
      ),
    })
  },
}

const bundler = await rolldown({
  input: Object.fromEntries([...exported.values(), ...commands].map((source) => [nameOf(source), source])),
  platform: 'neutral',
  // Prefer ES modules; CommonJS libraries have only `main`.
  resolve: { mainFields: ['module', 'main'] },
  transform: { target: 'es2023' },
  // Built-in modules of Node, Bun and Deno: packages that use them document it.
  external: isInstalled,
  plugins: [tablesInParts, languagesInParts, bytesAsModules, reexportedParts, fileNames],
  // A module may be imported statically by one file and dynamically by another.
  checks: { ineffectiveDynamicImport: false },
})
rmSync('dist', { recursive: true, force: true })
const { output } = await bundler.write({
  dir: 'dist',
  codeSplitting: {
    groups: Object.keys({ ...files, [SHARED]: [] }).map((name, index, { length }) => ({
      name,
      test: (id) => fileOf.get(id) === name,
      priority: length - index,
    })),
  },
  chunkFileNames: ({ name, facadeModuleId }) => `${LIBRARY.exec(facadeModuleId ?? '')?.[1] ?? name}.js`,
  minifyInternalExports: false,
  comments: { annotation: true, legal: true, jsdoc: false },
  // The sources are published with the package, beside `dist`.
  sourcemap: true,
  sourcemapExcludeSources: true,
})
await bundler.close()
const written = new Set(output.map(({ fileName }) => fileName))
for (const file of output) {
  if (file.type !== 'chunk') continue
  for (const path of [...file.imports, ...file.dynamicImports])
    if (!written.has(path) && !path.startsWith('./') && !isInstalled(path))
      throw new Error(
        `dist/${file.fileName} imports '${path}', which is not a dependency of ${manifest.name}. Add it to package.json.`,
      )
  console.log(`${(file.code.length / 1_000).toFixed(1).padStart(8)} kB  dist/${file.fileName}`)
}
