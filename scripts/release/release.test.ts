import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Manifest } from '../published-packages.ts'
import changelog from './changelog.ts'
import { splitSummary } from './headline.ts'
import { refuseDirtyTree, refuseMissingFiles, refuseUnfitPeers } from './refusals.ts'
import { releaseNotes } from './release-notes.ts'
import { inOrder } from './tarballs.ts'

describe('the first sentence of a changeset is its headline', () => {
  test.each([
    ['Adds `a.b`. More\nof it.', 'Adds `a.b`.', 'More of it.'],
    ['One line without an end', 'One line without an end', ''],
    ['Calls `run. stop` at\nthe end. Then\nsome.', 'Calls `run. stop` at the end.', 'Then some.'],
    ['Renames:\n\n| was | is |\n|---|---|\n| a | b |', 'Renames:', '| was | is |\n|---|---|\n| a | b |'],
    [
      'All of it.\n\n- one\n- two\n  on\n\n```ts\na\nb\n```',
      'All of it.',
      '- one\n- two\n  on\n\n```ts\na\nb\n```',
    ],
  ])('%j', (summary, headline, rest) => {
    expect(splitSummary(summary)).toEqual({ headline, rest })
  })
})

test('a changelog has headlines, and no hashes of commits', async () => {
  const changeset = {
    id: 'a',
    commit: 'abc1234',
    releases: [],
    summary: 'Adds search. It is\nfast.\n\nAnd small.',
  }
  expect(await changelog.getReleaseLine(changeset, 'minor', null)).toBe(
    '- **Adds search.**\n\n  It is fast.\n\n  And small.',
  )
  expect(await changelog.getReleaseLine({ ...changeset, summary: 'Adds search.' }, 'minor', null)).toBe(
    '- Adds search.',
  )
  expect(await changelog.getDependencyReleaseLine([], [], null)).toBe('')
})

test('release notes list each change once, larger changes first', () => {
  const notes = releaseNotes([
    { id: 'a', summary: 'Mends it.', releases: [{ name: '@millrace/core', type: 'patch' }] },
    {
      id: 'b',
      summary: 'Adds search. It is fast.',
      releases: [
        { name: '@millrace/memory', type: 'minor' },
        { name: '@millrace/core', type: 'patch' },
      ],
    },
  ])
  expect(notes).toBe(`## New and changed

### @millrace/memory

- **Adds search.** (also core)

  It is fast.


## Fixed

### @millrace/core

- **Mends it.**`)
})

describe('a release is refused', () => {
  test('with uncommitted changes', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-tree-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    execFileSync('git', ['init', '--quiet'], { cwd: folder })
    await refuseDirtyTree(folder)
    writeFileSync(join(folder, 'notes.txt'), 'mine')
    await expect(refuseDirtyTree(folder)).rejects.toThrow('?? notes.txt')
  })

  test('with a tarball that lacks a file of its manifest', () => {
    const manifest = {
      name: '@millrace/a',
      version: '0.1.0',
      bin: { a: './dist/cli.js' },
      exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
    }
    const files = ['dist/cli.js', 'dist/index.js', 'dist/index.d.ts', 'README.md', 'LICENSE', 'CHANGELOG.md']
    refuseMissingFiles(manifest, files)
    for (const file of files) {
      const others = files.filter((other) => other !== file)
      expect(() => refuseMissingFiles(manifest, others)).toThrow(`@millrace/a: ${file} is not in the tarball`)
    }
  })

  test('with packages that do not admit each other', () => {
    const core = { name: '@millrace/core', version: '0.2.0' }
    const memory = (range: string): Manifest => ({
      name: '@millrace/memory',
      version: '0.2.0',
      peerDependencies: { '@millrace/core': range },
    })
    refuseUnfitPeers([core, memory('^0.2.0')])
    expect(() => refuseUnfitPeers([core, memory('^0.1.0')])).toThrow(
      '@millrace/memory 0.2.0 asks for @millrace/core ^0.1.0, and it is released as 0.2.0.',
    )
    expect(() => refuseUnfitPeers([memory('^0.2.0')])).toThrow('and it is not part of this release')
  })
})

test('a package is published after its dependencies', () => {
  const manifest = (name: string, ...needed: string[]) => ({
    manifest: {
      name,
      version: '0.1.0',
      peerDependencies: Object.fromEntries(needed.map((other) => [other, '*'])),
    },
  })
  const packages = [manifest('chat', 'memory', 'core'), manifest('memory', 'core', 'other'), manifest('core')]
  expect(inOrder(packages).map(({ manifest }) => manifest.name)).toEqual(['core', 'memory', 'chat'])
})
