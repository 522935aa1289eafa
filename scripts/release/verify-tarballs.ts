import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from '../run-command.ts'
import type { Tarball } from './tarballs.ts'

/**
 * Installs all tarballs with npm into an empty project, imports every entry point, runs every command with `--help`, and writes what
 * was installed as a software bill of materials (CycloneDX).
 *
 * @returns the path of the bill
 * @throws Error if npm finds a peer that does not fit, or something does not load
 */
export async function verifyTarballs(tarballs: readonly Tarball[], project: string): Promise<string> {
  const dependencies = Object.fromEntries(
    tarballs.map(({ file, manifest }) => [manifest.name, `file:${file}`]),
  )
  mkdirSync(project, { recursive: true })
  const manifest = {
    name: 'millrace-verified',
    version: '0.0.0',
    private: true,
    type: 'module',
    dependencies,
  }
  writeFileSync(join(project, 'package.json'), JSON.stringify(manifest))
  // Those of the workspace itself are installed from their tarballs, not fetched.
  await runCommand(
    project,
    'npm',
    'install',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--strict-peer-deps',
  )
  await importAll(project, tarballs)
  for (const { manifest } of tarballs) {
    for (const command of commandsOf(manifest)) {
      await runCommand(project, join(project, 'node_modules/.bin', command), '--help')
    }
  }
  const bill = join(project, 'sbom.cdx.json')
  writeFileSync(bill, await runCommand(project, 'npm', 'sbom', '--sbom-format', 'cyclonedx'))
  return bill
}

async function importAll(project: string, tarballs: readonly Tarball[]): Promise<void> {
  const paths = tarballs.flatMap(({ manifest }) =>
    Object.keys(manifest.exports ?? {})
      .map((path) => `${manifest.name}${path.slice(1)}`)
      // The second is a program, which tests of stores start.
      .filter((path) => !path.endsWith('.json') && path !== '@millrace/testing/store-process'),
  )
  writeFileSync(
    join(project, 'import-all.js'),
    `for (const path of ${JSON.stringify(paths)})
  if (Object.keys(await import(path)).length === 0) throw new Error(path + ' is empty.')`,
  )
  await runCommand(project, 'node', 'import-all.js')
}

function commandsOf({ name, bin }: Tarball['manifest']): string[] {
  if (bin === undefined) return []
  return typeof bin === 'string' ? [name.replace(/^@[^/]+\//, '')] : Object.keys(bin)
}
