import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { publishedPackages, root } from './published-packages.ts'

test.each(publishedPackages)('$manifest.name cannot be packed without its code', ({ manifest }) => {
  expect(manifest.scripts?.prepack).toBe('node ../../scripts/require-dist.ts')
})

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-pack-'))
  for (const file of ['package.json', 'pnpm-workspace.yaml', 'scripts/require-dist.ts']) {
    cpSync(join(root, file), join(folder, file))
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const dist = ['dist/index.d.ts', 'dist/index.js']

test.each(['pnpm', 'npm'])('%s pack fails without dist, and names the command to run', (command) => {
  const { status, output } = pack(command, 'memory')
  expect(status, output).not.toBe(0)
  expect(output).toContain('@millrace/memory cannot be packed: ./dist/index.d.ts does not exist.')
  expect(output).toContain('pnpm check build')
})

test.each(['pnpm', 'npm'])('%s pack works with dist', (command) => {
  const { status, output } = pack(command, 'memory', dist)
  expect(status, output).toBe(0)
})

test('npm pack fails if a range would stay unresolved', () => {
  const { status, output } = pack('npm', 'store-sqlite', dist)
  expect(status, output).not.toBe(0)
  expect(output).toContain('Use `pnpm pack`')
})

/** Packs a package of the repository with these files, which are empty. */
function pack(
  command: string,
  name: string,
  files: string[] = [],
): { status: number | null; output: string } {
  const place = join(folder, 'packages', name)
  const manifest = readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')
  // pnpm would resolve the versions of siblings in them.
  const { devDependencies: _, ...rest } = JSON.parse(manifest)
  mkdirSync(place, { recursive: true })
  writeFileSync(join(place, 'package.json'), JSON.stringify(rest))
  for (const file of files) {
    mkdirSync(dirname(join(place, file)), { recursive: true })
    writeFileSync(join(place, file), '')
  }
  const { status, stdout, stderr } = spawnSync(command, ['pack'], { cwd: place, encoding: 'utf8' })
  return { status, output: stdout + stderr }
}
