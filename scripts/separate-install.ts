// Installs what only one command needs, in a folder of its own with its own lockfile.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface SeparateInstallOptions {
  /** The command that needs it, such as `pnpm interop`: what is missing is said with it. */
  command: string
  /** Whether install scripts run: those alone that `onlyBuiltDependencies` of the folder names. Default: none. */
  scripts?: boolean
}

/** Returns whether everything the folder's `package.json` names is there, and prints its versions, or what is missing. */
export function installSeparately(
  folder: string,
  { command, scripts = false }: SeparateInstallOptions,
): boolean {
  const manifest = readManifest(folder) as { dependencies: Record<string, string> }
  const options = ['--ignore-workspace', '--frozen-lockfile', ...(scripts ? [] : ['--ignore-scripts'])]
  try {
    execFileSync('pnpm', ['install', '--dir', folder, ...options], { stdio: ['ignore', 'ignore', 'inherit'] })
  } catch {
    console.error(`${command}: not everything could be installed. That needs pnpm and a registry, once.`)
  }
  const versions = Object.keys(manifest.dependencies).map(
    (name) => [name, readManifest(join(folder, 'node_modules', name))?.version] as const,
  )
  const missing = versions.flatMap(([name, version]) => (version === undefined ? [name] : []))
  if (missing.length > 0) {
    console.error(`Missing: ${missing.join(', ')}. Run \`${command}\` again where a registry can be reached.`)
    return false
  }
  for (const [name, version] of versions) console.log(`${name} ${version}`)
  return true
}

function readManifest(folder: string): { version?: string } | undefined {
  const file = join(folder, 'package.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}
