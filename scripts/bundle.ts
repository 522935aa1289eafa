import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { root } from './published-packages.ts'

export interface Bundle {
  readonly code: string
  readonly gzippedBytes: number
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
    ...(globalName === undefined ? { format: 'esm' } : { format: 'iife', globalName }),
    platform: 'neutral',
    conditions,
    external,
    write: false,
    metafile: true,
    logLevel: 'error',
  })
  return {
    code: outputFiles.map(({ text }) => text).join('\n'),
    gzippedBytes: outputFiles.reduce((sum, { contents }) => sum + gzipSync(contents).byteLength, 0),
    imports: Object.values(metafile.outputs)
      .flatMap(({ imports }) => imports)
      .map(({ path, kind }) => ({ path, kind })),
  }
}
