import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { siteLink } from './links.ts'
import { llmsFull, llmsIndex } from './llms.ts'
import { readSections, root } from './pages.ts'

const sections = readSections()
const pages = sections.flatMap(({ pages }) => pages)
const repository = 'https://example.com/millrace'
const link = (href: string, source: string): string => siteLink(href, { source, pages, repository })

/** Documents that are only in the repository. */
const NOT_SHOWN =
  /^README\.md$|CHANGELOG\.md$|^\.|\/apps\/|^apps\/(?!docs\/(?:(?:concepts|contributing|guides)\/)?[^/]+$|bench\/README)/

describe('the pages of the site', () => {
  test('contain every document of the repository once', () => {
    const documents = globSync(
      [
        '*.md',
        'apps/docs/{*,{concepts,contributing,guides}/*}.md',
        'apps/bench/README.md',
        'examples/*.md',
        'packages/*/{README.md,docs/**/*.md}',
      ],
      { cwd: root },
    ).filter((file) => !NOT_SHOWN.test(file))
    expect(pages.map(({ source }) => source).toSorted()).toEqual(documents.toSorted())
    expect(new Set(pages.map(({ route }) => route)).size).toBe(pages.length)
  })

  test('start with the most important ones: a package comes before its details', () => {
    const guards = sections.find(({ title }) => title === 'Guards')?.pages.map(({ route }) => route)
    expect(guards?.[0]).toBe('guards')
    expect(guards).toContain('pii/pii')
  })

  test.each(pages.map((page) => [page.source, page] as const))(
    '%s has a title and valid links',
    (source, { title }) => {
      expect(title).not.toBe('')
      for (const [, href = ''] of readFileSync(join(root, source), 'utf8').matchAll(/\]\(([^)\s]+)\)/g)) {
        if (!/\.svg$/.test(href)) expect(link(href, source)).toMatch(/^(?:https?:|mailto:|\/|#)/)
      }
    },
  )
})

describe('a link', () => {
  test('to a document becomes one to its page, with the fragment', () => {
    expect(link('docs/agent.md#streams', 'packages/core/README.md')).toBe('/core/agent#streams')
    expect(link('../../pii', 'packages/core/docs/agent.md')).toBe('/pii')
    expect(link('https://www.npmjs.com/package/@millrace/core', 'packages/pii/README.md')).toBe('/core')
  })

  test('to another file becomes one to the repository', () => {
    expect(link('src/loop.ts', 'packages/core/README.md')).toBe(`${repository}/packages/core/src/loop.ts`)
  })

  test('to another site or a fragment stays unchanged', () => {
    for (const href of ['https://ai-sdk.dev', 'mailto:jo@example.com', '#streams', '/start']) {
      expect(link(href, 'packages/core/README.md')).toBe(href)
    }
  })

  test('to a missing file throws an error with its name', () => {
    expect(() => link('docs/nonesuch.md', 'packages/core/README.md')).toThrow(
      'packages/core/README.md links to docs/nonesuch.md, which does not exist. Correct the link.',
    )
  })
})

test('language models get a list of all pages, and all pages as one text', () => {
  const index = llmsIndex(sections)
  for (const { route } of pages) expect(index).toContain(`](/${route}): `)
  expect(index).toContain('- [CostGuard](/steering/cost-guard): Limits money, tokens and model calls')
  expect(llmsFull(sections)).toContain('# CostGuard')
})
