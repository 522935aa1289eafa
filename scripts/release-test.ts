// Releases the packages several times to a local registry, and installs them with npm in every combination that their
// ranges admit, and in every one that they refuse. Needs git, npm and the registry that npm is configured for, for the
// dependencies. Takes a few minutes.
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { admits } from './caret-range.ts'
import { importAll } from './import-all.ts'
import { startLocalRegistry } from './local-registry.ts'
import { installedPackages, type Manifest, root } from './published-packages.ts'
import { publishInOrder } from './release/publish.ts'
import { packInOrder } from './release/tarballs.ts'
import { runCommand } from './run-command.ts'

const core = '@millrace/core'
const dependents = installedPackages.map(({ manifest }) => manifest.name).filter((name) => name !== core)
const folder = mkdtempSync(join(tmpdir(), 'millrace-release-'))
const workspace = join(folder, 'workspace')

/** The newest manifest of every package after a release. */
type Release = ReadonlyMap<string, Manifest>
type Changes = Readonly<Record<string, 'minor' | 'patch'>>

const registry = await startLocalRegistry('@millrace', join(folder, 'registry'))
try {
  await buildWorkspace()
  const first = await release({})
  const second = await release({ [core]: 'minor' })
  const third = await release({ [core]: 'patch' })
  const releases = [first, second, third]
  for (const from of releases) await installByRanges(from)
  for (const withCore of releases) {
    for (const withDependents of releases) await installTogether(withCore, withDependents)
  }
  await upgrade(
    'everything',
    first,
    [core, ...dependents].map((name) => `${name}@latest`),
  )
  await upgrade('core alone, by a patch', second, [`${core}@${versionOf(third, core)}`])
  await refuseUpgrade(first, second)
  console.log('ok')
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  registry.close()
  rmSync(folder, { recursive: true, force: true })
}

/** Copies the working tree into a repository of its own, and builds every package. */
async function buildWorkspace(): Promise<void> {
  say('Building a copy of the repository')
  const list = await runCommand(root, 'git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard')
  for (const file of list.split('\0').filter((file) => file !== '' && existsSync(join(root, file)))) {
    cpSync(join(root, file), join(workspace, file))
  }
  await runCommand(workspace, 'git', 'init', '--quiet')
  await commit('Start')
  await runCommand(workspace, 'pnpm', 'install', '--frozen-lockfile', '--prefer-offline')
  await runCommand(workspace, 'pnpm', 'check', 'build')
}

/** Versions, packs and publishes. The code is the same in all releases, so it is built once. */
async function release(changes: Changes): Promise<Release> {
  if (Object.keys(changes).length > 0) {
    const lines = Object.entries(changes).map(([name, bump]) => `'${name}': ${bump}\n`)
    writeFileSync(join(workspace, '.changeset/change.md'), `---\n${lines.join('')}---\n\nA change.\n`)
    await commit('Add a changeset')
  }
  const pending = globSync('.changeset/*.md', { cwd: workspace }).filter(
    (file) => !file.endsWith('README.md'),
  )
  if (pending.length > 0) await runCommand(workspace, 'node_modules/.bin/changeset', 'version')
  await commit('Version')
  // The local registry serves one scope.
  const tarballs = (await packInOrder(workspace, join(folder, 'tarballs'))).filter(({ manifest }) =>
    manifest.name.startsWith('@millrace/'),
  )
  await publishInOrder(tarballs, project('publisher', {}), registry.url)
  if ((await publishInOrder(tarballs, project('publisher', {}), registry.url)).length > 0)
    throw new Error('A repeated release must not publish anything.')
  const released = manifests()
  say(
    `Released ${[...released.values()].map(({ name, version }) => `${name.slice('@millrace/'.length)} ${version}`).join(', ')}`,
  )
  return released
}

/** Installs a release by its ranges: later patches must not require anything else. */
async function installByRanges(from: Release): Promise<void> {
  await npmInstall(project('ranges', rangesOf(from)), '--package-lock-only')
  say(`Works: the newest that ^${versionOf(from, core)} admits`)
}

/** Installs the core of one release with the dependents of another: npm must follow their ranges. */
async function installTogether(withCore: Release, withDependents: Release): Promise<void> {
  const version = versionOf(withCore, core)
  const refusing = dependents.filter((name) => !admits(peerOf(withDependents, name), version))
  const wanted = Object.fromEntries(dependents.map((name) => [name, versionOf(withDependents, name)]))
  if (refusing.length === 0) {
    const place = project('admitted', { [core]: version, ...wanted })
    await npmInstall(place)
    await checkInstalled(place, version, wanted)
    say(`Works: core ${version} with ${namesOf(wanted)}`)
  }
  for (const name of refusing) {
    const place = project('refused', { [core]: version, [name]: wanted[name] as string })
    await mustRefuse(place, { name, range: peerOf(withDependents, name) }, '--package-lock-only')
  }
  if (refusing.length > 0) say(`Refused: core ${version} with ${namesOf(wanted)}`)
}

async function checkInstalled(
  place: string,
  version: string,
  wanted: Readonly<Record<string, string>>,
): Promise<void> {
  const copies = Object.entries(lockedPackages(place)).filter(([path]) =>
    path.endsWith(`node_modules/${core}`),
  )
  const found = copies.map(([path, locked]) => `${path} ${locked.version}`)
  if (found.length !== 1 || copies[0]?.[1].version !== version)
    throw new Error(`Expected one core ${version}, and found: ${found.join(', ')}`)
  for (const [name, wantedVersion] of Object.entries(wanted)) {
    const { version: installed } = lockedPackages(place)[`node_modules/${name}`] ?? {}
    if (installed !== wantedVersion)
      throw new Error(`Expected ${name} ${wantedVersion}, and found: ${installed}`)
  }
  writeFileSync(join(place, 'import-all.js'), importAll(installedPackages.map(({ manifest }) => manifest)))
  await runCommand(place, 'node', 'import-all.js')
}

/** Upgrades packages in a project with a release, whose ranges npm has saved. */
async function upgrade(what: string, from: Release, packages: readonly string[]): Promise<void> {
  const place = project('upgraded', rangesOf(from))
  await npmInstall(place)
  // npm replaces packages in alphabetical order, and refuses `context` while the old core is installed.
  await npmInstall(place, '--legacy-peer-deps', ...packages)
  // The result must install without the option.
  await npmInstall(place)
  const wanted = packages.map((name) => name.slice(0, name.lastIndexOf('@')))
  const others = [core, ...dependents].filter((name) => !wanted.includes(name))
  const locked = lockedPackages(place)
  const version = locked[`node_modules/${core}`]?.version ?? ''
  await checkInstalled(
    place,
    version,
    Object.fromEntries(others.map((name) => [name, locked[`node_modules/${name}`]?.version ?? ''])),
  )
  say(`Works: upgrading ${what} from ${versionOf(from, core)} to ${version}`)
}

/** An incompatible core must be refused in a project with dependents of the previous release. */
async function refuseUpgrade(from: Release, to: Release): Promise<void> {
  const place = project('kept', rangesOf(from))
  await npmInstall(place)
  const name = dependents[0] as string
  await mustRefuse(place, { name: '@millrace/', range: peerOf(from, name) }, `${core}@${versionOf(to, core)}`)
  say(`Refused: upgrading core alone from ${versionOf(from, core)} to ${versionOf(to, core)}`)
}

async function mustRefuse(
  place: string,
  peer: { name: string; range: string },
  ...options: string[]
): Promise<void> {
  const message = await npmInstall(place, ...options).then(
    () => undefined,
    (error: Error) => error.message,
  )
  if (message === undefined)
    throw new Error(`npm should refuse ${peer.name} with a core outside of ${peer.range}, and did not.`)
  for (const part of ['ERESOLVE', `peer ${core}@"${peer.range}" from ${peer.name}`]) {
    if (!message.includes(part)) throw new Error(`Expected '${part}' in the output of npm:\n${message}`)
  }
}

function npmInstall(place: string, ...options: string[]): Promise<string> {
  const quiet = ['--no-audit', '--no-fund', '--ignore-scripts']
  return runCommand(
    place,
    'npm',
    'install',
    ...quiet,
    '--cache',
    join(folder, 'cache'),
    '--prefer-offline',
    ...options,
  )
}

/** An empty project with these dependencies. */
function project(name: string, dependencies: Readonly<Record<string, string>>): string {
  const place = join(folder, name)
  rmSync(place, { recursive: true, force: true })
  mkdirSync(place)
  writeFileSync(
    join(place, 'package.json'),
    JSON.stringify({ name, private: true, type: 'module', dependencies }),
  )
  writeFileSync(join(place, '.npmrc'), registry.npmrc)
  return place
}

function lockedPackages(place: string): Record<string, { version?: string }> {
  return JSON.parse(readFileSync(join(place, 'package-lock.json'), 'utf8')).packages
}

function manifests(): Release {
  return new Map(
    installedPackages.map(({ folder: place, manifest }) => [
      manifest.name,
      JSON.parse(readFileSync(join(workspace, place, 'package.json'), 'utf8')),
    ]),
  )
}

function versionOf(release: Release, name: string): string {
  return release.get(name)?.version ?? ''
}

function peerOf(release: Release, name: string): string {
  return release.get(name)?.peerDependencies?.[core] ?? ''
}

function rangesOf(release: Release): Record<string, string> {
  return Object.fromEntries([...release.values()].map(({ name, version }) => [name, `^${version}`]))
}

function namesOf(wanted: Readonly<Record<string, string>>): string {
  const versions = [...new Set(Object.values(wanted))]
  return versions.length === 1 ? `all dependents ${versions[0]}` : JSON.stringify(wanted)
}

async function commit(message: string): Promise<void> {
  const author = ['-c', 'user.name=Release test', '-c', 'user.email=release-test@example.com']
  await runCommand(workspace, 'git', 'add', '--all')
  await runCommand(
    workspace,
    'git',
    ...author,
    'commit',
    '--quiet',
    '--allow-empty',
    '--no-verify',
    '--message',
    message,
  )
}

function say(what: string): void {
  console.log(`${(performance.now() / 1_000).toFixed(0).padStart(4)} s  ${what}`)
}
