import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { importAll } from '../import-all.ts'
import { runCommand } from '../run-command.ts'
import type { Tarball } from './tarballs.ts'

/**
 * Installs all tarballs with npm into an empty project, imports every entry point, runs every command with `--help`, runs
 * `npm audit`, and writes a software bill of materials (CycloneDX).
 *
 * @returns The path of the bill
 * @throws Error if npm refuses a peer, or something does not load
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
  // Packages of the workspace are installed from their tarballs.
  await runCommand(
    project,
    'npm',
    'install',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--strict-peer-deps',
  )
  const program = join(project, 'import-all.js')
  writeFileSync(program, importAll(tarballs.map(({ manifest }) => manifest)))
  await runCommand(project, 'node', program)
  for (const { manifest } of tarballs) {
    for (const command of commandsOf(manifest)) {
      await runCommand(project, join(project, 'node_modules/.bin', command), '--help')
    }
  }
  await refuseKnownFaults(project)
  const bill = join(project, 'sbom.cdx.json')
  writeFileSync(bill, await runCommand(project, 'npm', 'sbom', '--sbom-format', 'cyclonedx'))
  return bill
}

/** @throws Error with the known vulnerabilities of the installed packages */
async function refuseKnownFaults(project: string): Promise<void> {
  try {
    await runCommand(project, 'npm', 'audit', '--audit-level', 'moderate')
  } catch (error) {
    if (!(error instanceof Error) || !error.message.includes('audit endpoint returned an error')) throw error
    console.error('       The registry does not support npm audit.')
  }
}

function commandsOf({ name, bin }: Tarball['manifest']): string[] {
  if (bin === undefined) return []
  return typeof bin === 'string' ? [name.replace(/^@[^/]+\//, '')] : Object.keys(bin)
}
