import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { admits } from './caret-range.ts'
import { installedPackages, type Manifest, root } from './published-packages.ts'

// The manifests after `changeset version`. `pnpm e2e release` installs the resulting packages.

const core = '@millrace/core'
const dependents = installedPackages.map(({ manifest }) => manifest.name).filter((name) => name !== core)

test.each(dependents)('%s has core as a peer, by a caret range that admits all patches', (name) => {
  const { peerDependencies } =
    installedPackages.find(({ manifest }) => manifest.name === name)?.manifest ?? {}
  expect(peerDependencies?.[core]).toMatch(/^\^\d+\.\d+\.0$/)
})

describe('consecutive releases', () => {
  const releases: Readonly<Record<string, Bump>>[] = [
    { [core]: 'minor' },
    { [core]: 'patch' },
    { '@millrace/memory': 'minor' },
    { [core]: 'patch' },
    { '@millrace/memory': 'patch', '@millrace/store-sqlite': 'patch' },
    { [core]: 'minor', '@millrace/memory': 'patch' },
    { [core]: 'patch', '@millrace/sqlite-dialect': 'minor' },
  ]
  const states: State[] = []
  const folder = mkdtempSync(join(tmpdir(), 'millrace-plan-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  beforeAll(() => {
    copyManifests(folder)
    // The first release, before which all versions are 0.0.0.
    if (versionOf(readManifests(folder), core) === '0.0.0') version(folder, { [core]: 'minor' })
    states.push(readManifests(folder))
    for (const changes of releases) {
      version(folder, changes)
      states.push(readManifests(folder))
    }
  })

  const steps = releases.map((changes, index) => ({ index, name: JSON.stringify(changes) }))
  describe.each(steps)('$index: $name', ({ index }) => {
    const before = () => states[index] as State
    const after = () => states[index + 1] as State

    test('releases the changed packages', () => {
      for (const name of Object.keys(releases[index] ?? {}))
        expect(versionOf(after(), name), name).not.toBe(versionOf(before(), name))
    })

    test.each(dependents)('the newest %s admits the newest core', (name) => {
      expect(admits(peerOf(after(), name), versionOf(after(), core))).toBe(true)
    })

    test.each(dependents)('a patch of %s requires the same core as before', (name) => {
      const isPatch = admits(`^${versionOf(before(), name)}`, versionOf(after(), name))
      if (isPatch) expect(peerOf(after(), name)).toBe(peerOf(before(), name))
    })

    test('released dependents admit the new core only if it is a patch', () => {
      const isPatch = admits(`^${versionOf(before(), core)}`, versionOf(after(), core))
      for (const name of dependents)
        expect(admits(peerOf(before(), name), versionOf(after(), core)), name).toBe(isPatch)
    })
  })
})

type Bump = 'minor' | 'patch'
type State = ReadonlyMap<string, Manifest>

/** Copies every manifest of the workspace, without changesets. */
function copyManifests(folder: string): void {
  const files = globSync('{packages,apps}/*/package.json', { cwd: root })
  for (const file of ['package.json', 'pnpm-workspace.yaml', '.changeset/config.json', ...files]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    copyFileSync(join(root, file), join(folder, file))
  }
  for (const linked of ['node_modules', 'scripts']) symlinkSync(join(root, linked), join(folder, linked))
  execFileSync('git', ['init', '--quiet'], { cwd: folder })
}

function version(folder: string, changes: Readonly<Record<string, Bump>>): void {
  const lines = Object.entries(changes).map(([name, bump]) => `'${name}': ${bump}\n`)
  writeFileSync(join(folder, '.changeset/change.md'), `---\n${lines.join('')}---\n\nA change.\n`)
  execFileSync(join(root, 'node_modules/.bin/changeset'), ['version'], { cwd: folder, stdio: 'pipe' })
}

function readManifests(folder: string): State {
  const manifests = installedPackages.map(
    ({ folder: place }): Manifest => JSON.parse(readFileSync(join(folder, place, 'package.json'), 'utf8')),
  )
  return new Map(manifests.map((manifest) => [manifest.name, manifest]))
}

function versionOf(state: State, name: string): string {
  return state.get(name)?.version ?? ''
}

function peerOf(state: State, name: string): string {
  return state.get(name)?.peerDependencies?.[core] ?? ''
}
