// Installs the dependencies of a single command, in a separate folder with its own lockfile.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface SeparateInstallOptions {
  /** The command, such as `pnpm e2e interop`, for messages. */
  command: string
  /** Whether to run the install scripts of `onlyBuiltDependencies`. Default: false. */
  scripts?: boolean
}

/**
 * Returns whether all dependencies of the folder's `package.json` are installed. Prints their versions, or the missing
 * ones.
 */
export function installSeparately(
  folder: string,
  { command, scripts = false }: SeparateInstallOptions,
): boolean {
  const manifest = readManifest(folder) as { dependencies: Record<string, string> }
  const options = ['--ignore-workspace', '--frozen-lockfile', ...(scripts ? [] : ['--ignore-scripts'])]
  try {
    execFileSync('pnpm', ['install', '--dir', folder, ...options], { stdio: ['ignore', 'ignore', 'inherit'] })
  } catch {
    console.error(`${command}: the installation failed. It needs pnpm and access to the npm registry once.`)
  }
  const versions = Object.keys(manifest.dependencies).map(
    (name) => [name, readManifest(join(folder, 'node_modules', name))?.version] as const,
  )
  const missing = versions.flatMap(([name, version]) => (version === undefined ? [name] : []))
  if (missing.length > 0) {
    console.error(`Missing: ${missing.join(', ')}. Run \`${command}\` again with access to the npm registry.`)
    return false
  }
  for (const [name, version] of versions) console.log(`${name} ${version}`)
  return true
}

function readManifest(folder: string): { version?: string } | undefined {
  const file = join(folder, 'package.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}
