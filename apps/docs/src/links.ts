// Converts links between documents, which work in the repository, to links between pages of the site.
import { existsSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { type Page, root } from './pages.ts'

const PACKAGE = /^https:\/\/www\.npmjs\.com\/package\/@millrace\/([a-z-]+)$/

/**
 * The target of a document's link on the site: another page, or the file in the repository.
 *
 * @param repository The URL prefix of files or folders in the repository
 * @throws Error if the file does not exist
 */
export function siteLink(
  href: string,
  { source, pages, repository }: { source: string; pages: readonly Page[]; repository: string },
): string {
  const [, name] = PACKAGE.exec(href) ?? []
  const named = name && pages.find((page) => page.source === `packages/${name}/README.md`)
  if (named) return addressOf(named)
  if (/^(?:[a-z]+:|\/|#)/.test(href)) return href
  const [path = '', hash] = href.split('#')
  const file = posix.join(dirname(source), decodeURI(path)).replace(/\/$/, '')
  const page = pages.find((page) => page.source === file || page.source === posix.join(file, 'README.md'))
  if (page) return addressOf(page) + (hash === undefined ? '' : `#${hash}`)
  if (file === 'README.md' || file === '.') return '/'
  if (existsSync(join(root, file))) return `${repository}/${file}`
  throw new Error(`${source} links to ${href}, which does not exist. Correct the link.`)
}

function addressOf({ route }: Page): string {
  return `/${route}`
}
