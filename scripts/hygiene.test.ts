import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Manifest, publishedPackages, root } from './published-packages.ts'

const ignoredFolders = ['.git', ...linesOf('.gitignore').flatMap((line) => /^(.+)\/$/.exec(line)?.[1] ?? [])]

/** The only definition of the repository's URL. */
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

test('measures no time and no memory in tests, which pass beside other work', () => {
  const measure = /\b(?:cpuUsage|hrtime|memoryUsage)\b|\bgc\(/
  const tests = repositoryFiles().filter(
    (file) => /\.test\.tsx?$/.test(file) && file !== 'scripts/hygiene.test.ts',
  )
  expect(tests.filter((file) => linesOf(file).some((line) => measure.test(line)))).toEqual([])
})

test('only test files register hooks: files that share a worker load a helper once, and its hooks run for one of them', () => {
  const hook = /^(?:before|after)(?:Each|All)\(/
  const helpers = repositoryFiles().filter((file) => /(?<!\.test|\.cost)\.tsx?$/.test(file))
  expect(helpers.filter((file) => linesOf(file).some((line) => hook.test(line)))).toEqual([])
})

describe.each(publishedPackages)('$manifest.name', ({ folder, manifest }) => {
  test.each(['README.md', 'CHANGELOG.md'])('has a %s', (file) => {
    expect(existsSync(join(root, folder, file))).toBe(true)
  })

  test('declares its license, its engines and the types of every entry point', () => {
    expect(manifest.license).toBe('Apache-2.0')
    expect(manifest.engines).toEqual({ node: '>=22.14' })
    const entries = Object.entries(manifest.exports ?? {}).filter(([path]) => path !== './package.json')
    // A package with a command may have no entry point.
    expect([...entries, ...Object.keys(manifest.publishConfig?.bin ?? {})]).not.toEqual([])
    for (const [path, entry] of entries) {
      if (isInternal(path)) continue
      expect(Object.keys(entry as object)).toEqual(['@millrace/source', 'types', 'default'])
    }
  })

  test('has the author and repository of the root', () => {
    const { author, bugs, homepage, repository } = workspace
    expect(manifest.author).toBe(author)
    expect(manifest.bugs).toBe(bugs)
    expect(manifest.repository).toEqual({ ...repository, directory: folder })
    expect(manifest.homepage).toBe(homepage.replace('#readme', `/tree/main/${folder}#readme`))
    expect(manifest.keywords).not.toEqual([])
    expect(manifest.description).toMatch(/^[A-Z].{20,}[^.]$/)
  })

  test('links in its README only to published files and URLs', () => {
    const links = [...readFileSync(join(root, folder, 'README.md'), 'utf8').matchAll(/\]\(([^)#\s]+)/g)]
    const broken = links
      .map(([, link]) => String(link))
      .filter((link) => !/^[a-z]+:/.test(link))
      // npm resolves relative links to the package's folder in the repository.
      .filter((link) => link.startsWith('..') || !existsSync(join(root, folder, link)))
    expect(broken).toEqual([])
  })

  test('publishes its third-party notices', () => {
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

/** An entry point for private workspace packages only. */
function isInternal(path: string): boolean {
  return path === './internals'
}

/**
 * All files except ignored ones. Walks the folders instead of asking git, so that it also works in a copy without history.
 */
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
