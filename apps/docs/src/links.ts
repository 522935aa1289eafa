// Links between documents, as they work in the repository, turned into links between pages of the site.
import { existsSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { type Page, root } from './pages.ts'

const PACKAGE = /^https:\/\/www\.npmjs\.com\/package\/@millrace\/([a-z-]+)$/

/**
 * Where a link of a document leads on the site: to another page, or to the file in the repository.
 *
 * @param repository The address of a file or folder in the repository, up to its path
 * @throws Error if there is no such file
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
  throw new Error(`${source} links to ${href}, and there is no such file.`)
}

function addressOf({ route }: Page): string {
  return `/${route}`
}
