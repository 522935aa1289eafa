import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'

/** A TypeScript program, bundled into one file that Node runs without options. */
export interface CompiledProgram {
  readonly path: string
  remove(): void
}

/**
 * Bundles a program with all its imports. For tests that start it many times: Node loads one file faster than all sources.
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
    // CommonJS packages call `require` for built-in modules of Node.
    banner: {
      js: "import { createRequire as createBundleRequire } from 'node:module'\nconst require = createBundleRequire(import.meta.url)",
    },
    plugins: [nativePackages, ownPlaces],
    logLevel: 'error',
  })
  return { path, remove: () => rmSync(folder, { recursive: true }) }
}

/** Does not bundle packages with binaries: they are loaded from their own folders. */
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

/** Keeps `import.meta` of modules that read files next to their source. */
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
