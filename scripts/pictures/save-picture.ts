import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { root } from '../published-packages.ts'

export const PICTURES: string = join(root, 'apps/docs/pictures')

/** Of a picture, in bytes: a page with three of them is still read on a slow line. */
const LARGEST = 150_000

/** Keeps a picture, `name` with its ending. Throws where it is too large for a page. */
export function savePicture(name: string, content: string | Uint8Array): void {
  const bytes = Buffer.byteLength(content)
  if (bytes > LARGEST) throw new Error(`${name} has ${bytes} bytes, and ${LARGEST} at most are allowed.`)
  mkdirSync(PICTURES, { recursive: true })
  writeFileSync(join(PICTURES, name), content)
  console.log(`apps/docs/pictures/${name}: ${(bytes / 1_000).toFixed(1)} kB`)
}

/** Keeps what a page shows, as WebP, which Playwright's own screenshots cannot be. */
export async function savePage(page: Page, name: string): Promise<void> {
  await page.evaluate('document.fonts.ready.then(() => undefined)')
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 85 })
  savePicture(`${name}.webp`, Buffer.from(data, 'base64'))
}
