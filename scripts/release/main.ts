// Releases all packages: version, build, check, pack, verify, publish. It works in a clone, so the working tree changes
// only after everything is published. Without --publish, nothing is published or changed.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readChangesets } from '@changesets/read'
import { root } from '../published-packages.ts'
import { runCommand } from '../run-command.ts'
import { publishInOrder } from './publish.ts'
import { refuseDirtyTree } from './refusals.ts'
import { releaseNotes } from './release-notes.ts'
import { packInOrder, type Tarball } from './tarballs.ts'
import { verifyTarballs } from './verify-tarballs.ts'

const USAGE = `pnpm release [options]

  --dry-run   does everything except publishing. The default
  --publish   publishes, commits the versions and tags them. Needs a clean tree
  --notes     prints the release notes of the pending changesets, and exits
  --no-check  skips \`pnpm check\`; only in a dry run
  --sbom <file>  writes the bill of materials to this file
`

const folder = mkdtempSync(join(tmpdir(), 'millrace-release-'))
try {
  await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    allowNegative: true,
    options: {
      'dry-run': { type: 'boolean' },
      publish: { type: 'boolean', default: false },
      notes: { type: 'boolean', default: false },
      check: { type: 'boolean', default: true },
      sbom: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  const { publish, check, sbom } = values
  if (values.help) return void console.log(USAGE)
  const changesets = await readChangesets(root)
  if (values.notes) return void console.log(releaseNotes(changesets))
  if (publish && values['dry-run'])
    throw new Error('--publish and --dry-run contradict each other. Use one of them.')
  if (publish && !check) throw new Error('--no-check is only for dry runs. Remove it, or --publish.')

  await refuseDirtyTree(root)
  const clone = await cloneTree()
  if (changesets.length > 0) {
    console.log(`${releaseNotes(changesets)}\n`)
    await version(clone)
  }
  say('Building')
  await runCommand(clone, 'pnpm', 'check', 'build')
  if (check) {
    say('Checking')
    await runCommand(clone, 'pnpm', 'check')
  }
  say('Packing')
  const tarballs = await packInOrder(clone, join(folder, 'tarballs'))
  say('Verifying the tarballs in an empty project')
  const bill = await verifyTarballs(tarballs, join(folder, 'verified'))
  if (sbom !== undefined) copyFileSync(bill, sbom)
  if (publish) await publishAll(tarballs, clone)
  else {
    const names = tarballs.map(({ manifest }) => `${manifest.name}@${manifest.version}`)
    console.log(
      `Dry run. --publish would publish, in this order:\n${names.map((name) => `  ${name}`).join('\n')}`,
    )
  }
}

/** Clones the last commit into a new folder, and installs its dependencies. */
async function cloneTree(): Promise<string> {
  say('Cloning the last commit')
  const clone = join(folder, 'clone')
  await runCommand(root, 'git', 'clone', '--quiet', root, clone)
  await runCommand(clone, 'pnpm', 'install', '--frozen-lockfile', '--prefer-offline')
  return clone
}

async function version(clone: string): Promise<void> {
  say('Versioning')
  await runCommand(clone, 'pnpm', 'exec', 'changeset', 'version')
  await runCommand(clone, 'pnpm', 'install', '--no-frozen-lockfile', '--prefer-offline')
  await runCommand(clone, 'git', 'add', '--all')
  await runCommand(
    clone,
    'git',
    ...(await author()),
    'commit',
    '--quiet',
    '--no-verify',
    '--message',
    'Release',
  )
}

/** The git author of the working tree, because a clone has no local configuration. */
async function author(): Promise<string[]> {
  const settings: string[] = []
  for (const key of ['user.name', 'user.email']) {
    const value = (await runCommand(root, 'git', 'config', '--default', 'Millrace', key)).trim()
    settings.push('-c', `${key}=${value}`)
  }
  return settings
}

/** Publishes, then fetches the release commit and its tags into the working tree. */
async function publishAll(tarballs: readonly Tarball[], clone: string): Promise<void> {
  say('Publishing')
  const published = await publishInOrder(tarballs, clone)
  await runCommand(root, 'git', 'pull', '--quiet', '--ff-only', clone, 'HEAD')
  for (const { manifest } of tarballs) {
    const tag = `${manifest.name}@${manifest.version}`
    const exists = (await runCommand(root, 'git', 'tag', '--list', tag)).trim() !== ''
    if (!exists) await runCommand(root, 'git', 'tag', tag)
    // The release workflow parses this line.
    if (published.includes(tag)) console.log(`New tag: ${tag}`)
  }
  console.log(`Published ${published.length} packages. Push the commit and its tags: git push --follow-tags`)
}

function say(what: string): void {
  console.error(`${(performance.now() / 1_000).toFixed(0).padStart(4)} s  ${what}`)
}
