import { relative } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build, type Metafile, type OutputFile, type Plugin } from 'esbuild'
import { BYTES_MODULE, embeddedBytes } from './build/embedded-bytes.ts'
import { root } from './published-packages.ts'

export interface Bundle {
  readonly code: string
  /** Of what is loaded at once. */
  readonly gzippedBytes: number
  /** Of the package's own code that is loaded on demand. */
  readonly gzippedBytesOnDemand: number
  /** What is left to import. */
  readonly imports: readonly { readonly path: string; readonly kind: string }[]
}

export interface BundleOptions {
  /** Packages to leave out. */
  readonly external: string[]
  readonly conditions?: string[]
  /** Makes the bundle a script that assigns its exports to this variable. Default: the bundle is a module. */
  readonly globalName?: string
}

/** Bundles code as a user's bundler would, minified, for any runtime. Paths in it are relative to the root. */
export async function bundle(
  code: string,
  { external, conditions = [], globalName }: BundleOptions,
): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: code, resolveDir: root },
    bundle: true,
    minify: true,
    // A module keeps what is imported on demand in files of its own; a script has all of it in one.
    ...(globalName === undefined
      ? { format: 'esm', splitting: true, outdir: 'out' }
      : { format: 'iife', globalName }),
    platform: 'neutral',
    conditions,
    plugins: [bytesAsModules],
    external,
    write: false,
    metafile: true,
    logLevel: 'error',
  })
  const atOnce = loadedAtOnce(metafile)
  const isAtOnce = ({ path }: OutputFile) => atOnce.has(relative(process.cwd(), path))
  // Together: into how many files bundlers cut it differs from one to the next.
  const gzip = (files: OutputFile[]) =>
    files.length === 0 ? 0 : gzipSync(Buffer.concat(files.map(({ contents }) => contents))).byteLength
  return {
    code: outputFiles.map(({ text }) => text).join('\n'),
    gzippedBytes: gzip(outputFiles.filter(isAtOnce)),
    gzippedBytesOnDemand: gzip(outputFiles.filter((file) => !isAtOnce(file))),
    imports: Object.values(metafile.outputs)
      .flatMap(({ imports }) => imports)
      .map(({ path, kind }) => ({ path, kind })),
  }
}

/** The entry and what it imports, directly or not, other than by `import()`. */
function loadedAtOnce({ outputs }: Metafile): ReadonlySet<string> {
  const found = new Set<string>()
  const add = (path: string): void => {
    const output = outputs[path]
    if (!output || found.has(path)) return
    found.add(path)
    for (const { path, kind } of output.imports) if (kind !== 'dynamic-import') add(path)
  }
  for (const [path, { entryPoint }] of Object.entries(outputs)) if (entryPoint === '<stdin>') add(path)
  return found
}

const bytesAsModules: Plugin = {
  name: 'bytes-as-modules',
  setup({ onLoad }) {
    onLoad({ filter: BYTES_MODULE }, ({ path }) => ({ contents: embeddedBytes(path), loader: 'js' }))
  },
}
