import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'

/** A program of ours in one file, which Node runs without options. */
export interface CompiledProgram {
  readonly path: string
  remove(): void
}

/**
 * Bundles a program with all it imports, for tests that start it many times: Node loads one file faster than all sources.
 */
export async function compileProgram(source: URL): Promise<CompiledProgram> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-program-'))
  const path = join(folder, 'main.mjs')
  await build({
    entryPoints: [fileURLToPath(source)],
    outfile: path,
    bundle: true,
    keepNames: true,
    platform: 'node',
    format: 'esm',
    conditions: ['@millrace/source'],
    // CommonJS packages ask for modules of Node with it.
    banner: {
      js: "import { createRequire as createBundleRequire } from 'node:module'\nconst require = createBundleRequire(import.meta.url)",
    },
    plugins: [nativePackages, ownPlaces],
    logLevel: 'error',
  })
  return { path, remove: () => rmSync(folder, { recursive: true }) }
}

/** Packages with binaries stay where they are. */
const nativePackages: Plugin = {
  name: 'native-packages',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^(?:better-sqlite3|@libsql\/client)$/ }, async ({ path, pluginData, ...args }) => {
      if (pluginData === nativePackages) return undefined
      const found = await resolve(path, { ...args, pluginData: nativePackages })
      return { path: pathToFileURL(found.path).href, external: true }
    })
  },
}

/** A module that reads files beside it finds them where its source is. */
const ownPlaces: Plugin = {
  name: 'own-places',
  setup({ onLoad }) {
    onLoad({ filter: /\.tsx?$/ }, ({ path }) => {
      const code = readFileSync(path, 'utf8')
      if (!code.includes('import.meta.')) return undefined
      return {
        contents: code
          .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
          .replaceAll('import.meta.dirname', JSON.stringify(dirname(path))),
        loader: path.endsWith('x') ? 'tsx' : 'ts',
      }
    })
  },
}
