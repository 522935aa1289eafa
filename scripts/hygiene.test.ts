import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Manifest, publishedPackages, root } from './published-packages.ts'

const ignoredFolders = ['.git', ...linesOf('.gitignore').flatMap((line) => /^(.+)\/$/.exec(line)?.[1] ?? [])]

/** The one place of the repository's address. */
const workspace = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Required<
  Pick<Manifest, 'author' | 'bugs' | 'homepage' | 'repository'>
>

describe('every file of the repository', () => {
  const forbidden = [
    { what: 'path of one machine', pattern: /(?<![\w.])\/(?:work|root)\// },
    { what: 'registry host', pattern: /\b(?:registry\.[a-z0-9-]+\.[a-z]|codeload\.)/ },
    { what: 'tarball address', pattern: /\btarball: / },
  ]

  test.each(forbidden)('contains no $what', ({ pattern }) => {
    const found = repositoryFiles()
      .flatMap((file) => linesOf(file).map((line, index) => ({ line, place: `${file}:${index + 1}` })))
      .filter(({ line }) => pattern.test(line))
      .map(({ place }) => place)
    expect(found).toEqual([])
  })
})

describe.each(publishedPackages)('$manifest.name', ({ folder, manifest }) => {
  test.each(['README.md', 'CHANGELOG.md'])('has a %s', (file) => {
    expect(existsSync(join(root, folder, file))).toBe(true)
  })

  test('says its license, its engines and, for every entry point, its types', () => {
    expect(manifest.license).toBe('Apache-2.0')
    expect(manifest.engines).toEqual({ node: '>=22.14' })
    const entries = Object.entries(manifest.exports ?? {}).filter(([path]) => path !== './package.json')
    // A command has no entry point.
    expect([...entries, ...Object.keys(manifest.publishConfig?.bin ?? {})]).not.toEqual([])
    for (const [path, entry] of entries) {
      if (isInternal(path)) continue
      expect(Object.keys(entry as object)).toEqual(['@millrace/source', 'types', 'default'])
    }
  })

  test('says whose it is and where it lives, as the root does', () => {
    const { author, bugs, homepage, repository } = workspace
    expect(manifest.author).toBe(author)
    expect(manifest.bugs).toBe(bugs)
    expect(manifest.repository).toEqual({ ...repository, directory: folder })
    expect(manifest.homepage).toBe(homepage.replace('#readme', `/tree/main/${folder}#readme`))
    expect(manifest.keywords).not.toEqual([])
    expect(manifest.description).toMatch(/^[A-Z].{20,}[^.]$/)
  })

  test('links in its README to files that the package has, or to addresses', () => {
    const links = [...readFileSync(join(root, folder, 'README.md'), 'utf8').matchAll(/\]\(([^)#\s]+)/g)]
    const broken = links
      .map(([, link]) => String(link))
      .filter((link) => !/^[a-z]+:/.test(link))
      // npm leads them into the folder of the package, in the repository.
      .filter((link) => link.startsWith('..') || !existsSync(join(root, folder, link)))
    expect(broken).toEqual([])
  })

  test('publishes what it says of the works of others', () => {
    if (existsSync(join(root, folder, 'NOTICE'))) expect(manifest.files).toContain('NOTICE')
  })

  test('publishes the same entry points, without their sources', () => {
    const entries = Object.entries(manifest.exports ?? {}).filter(([path]) => !isInternal(path))
    const published = entries.map(([path, entry]) => {
      if (typeof entry !== 'object') return [path, entry]
      const { '@millrace/source': _, ...rest } = entry as Record<string, string>
      return [path, rest]
    })
    expect(manifest.publishConfig?.exports).toEqual(Object.fromEntries(published))
  })
})

/** For private packages of the workspace alone. */
function isInternal(path: string): boolean {
  return path === './internals'
}

/** All files but ignored ones. Walked, not asked of git: a copy without its history is checked too. */
function repositoryFiles(folder = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    // In a worktree, `.git` is a file.
    if (ignoredFolders.includes(entry.name)) return []
    if (entry.isDirectory()) return repositoryFiles(path)
    return entry.isFile() && !entry.name.startsWith('.env') ? [path] : []
  })
}

function linesOf(file: string): string[] {
  const content = readFileSync(join(root, file), 'utf8')
  return content.includes('\0') ? [] : content.split('\n')
}
