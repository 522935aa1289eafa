import { relative } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build, type Metafile, type OutputFile, type Plugin } from 'esbuild'
import { BYTES_MODULE, embeddedBytes } from './build/embedded-bytes.ts'
import { root } from './published-packages.ts'

export interface Bundle {
  readonly code: string
  /** The size of everything that is loaded at startup. */
  readonly gzippedBytes: number
  /** The size of the package's own code that is loaded on demand. */
  readonly gzippedBytesOnDemand: number
  /** The imports that are not bundled. */
  readonly imports: readonly { readonly path: string; readonly kind: string }[]
}

export interface BundleOptions {
  /** Packages that are not bundled. */
  readonly external: string[]
  readonly conditions?: string[]
  /** Bundles a script that assigns its exports to this global variable. Default: a module. */
  readonly globalName?: string
}

/** Bundles and minifies code like a user's bundler, for any runtime. Paths are relative to the root. */
export async function bundle(
  code: string,
  { external, conditions = [], globalName }: BundleOptions,
): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: code, resolveDir: root },
    bundle: true,
    minify: true,
    // With code splitting, a module's dynamic imports are separate files; a script has everything in one file.
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
  // All files together, because bundlers split differently.
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

/** The entry and its static imports, direct and indirect. */
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
