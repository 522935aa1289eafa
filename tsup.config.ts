// Shared by every package: tsup looks for its configuration upwards from the package it builds.
import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Options } from 'tsup'
import { embeddedBytes } from './scripts/embedded-bytes.ts'

type Entry = string | { '@millrace/source': string }
interface Manifest {
  exports: Record<string, Entry>
  publishConfig?: { bin?: Record<string, string> }
}
const manifest: Manifest = JSON.parse(readFileSync('package.json', 'utf8'))

const exported = Object.entries(manifest.exports).flatMap(([path, entry]) =>
  // What private packages of the workspace alone import is not published.
  typeof entry === 'string' || path === './internals' ? [] : [entry['@millrace/source']],
)
/** No entry point imports them. */
const commands = Object.values(manifest.publishConfig?.bin ?? {}).map((file) =>
  file.replace('./dist/', 'src/').replace(/\.js$/, '.ts'),
)
/**
 * Files of their own, so that the entry point holds no code: bundlers load what an entry point imports for any of its exports
 * together with the one that is used.
 */
const apart = [
  'src/agent/agent.ts',
  'src/composition/parallel.ts',
  'src/composition/pipeline-session.ts',
  'src/composition/processor-pipeline.ts',
  'src/composition/provider-parts.ts',
  'src/composition/refuse-suspend.ts',
  'src/composition/when.ts',
  'src/composition/while-model-runs.ts',
].filter((path) => existsSync(path))

/** Tables of tokens as texts, which are read in steps, and not as modules of 200,000 literals. */
const tablesAsText: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'tables-as-text',
  setup(build) {
    build.onLoad({ filter: /gpt-tokenizer[\\/].*[\\/]bpeRanks[\\/]\w+\.js$/ }, ({ path }) => {
      const name = basename(path, '.js')
      const file = join(
        path.slice(0, path.lastIndexOf('gpt-tokenizer')),
        'gpt-tokenizer/data',
        `${name}.tiktoken`,
      )
      return { contents: readFileSync(file, 'latin1'), loader: 'text' }
    })
  },
}

const config: Options = {
  entry: [...exported, ...commands, ...apart],
  format: 'esm',
  target: 'es2023',
  platform: 'neutral',
  // What Node, Bun and Deno bring; where it is used, the package says so.
  external: [/^node:/],
  clean: true,
  // The sources are in the package, beside `dist`.
  sourcemap: true,
  esbuildOptions(options) {
    options.sourcesContent = false
  },
  esbuildPlugins: [tablesAsText, embeddedBytes],
  plugins: [
    {
      name: 'no-bare-imports',
      // Of a chunk nothing is used of but what other chunks import themselves. Bundlers take such an import for a use. Its line stays,
      // for the source map.
      renderChunk: (code) => ({ code: code.replace(/^import "\.\/chunk-\w+\.js";$/gm, '') }),
    },
  ],
  // tsup would otherwise turn `node:fs` into `fs`, which Deno and workers do not know.
  removeNodeProtocol: false,
}

export default config
