import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { root } from '../published-packages.ts'

export const PICTURES: string = join(root, 'apps/docs/pictures')

/** Maximum size of a picture in bytes, so that a page with three pictures loads on a slow connection. */
const LARGEST = 150_000

/** Saves a picture; `name` includes the extension. Throws if it is too large. */
export function savePicture(name: string, content: string | Uint8Array): void {
  const bytes = Buffer.byteLength(content)
  if (bytes > LARGEST) throw new Error(`${name} has ${bytes} bytes. The maximum is ${LARGEST}.`)
  mkdirSync(PICTURES, { recursive: true })
  writeFileSync(join(PICTURES, name), content)
  console.log(`apps/docs/pictures/${name}: ${(bytes / 1_000).toFixed(1)} kB`)
}

/** Saves a screenshot as WebP, which Playwright's screenshots do not support. */
export async function savePage(page: Page, name: string): Promise<void> {
  await page.evaluate('document.fonts.ready.then(() => undefined)')
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 85 })
  savePicture(`${name}.webp`, Buffer.from(data, 'base64'))
}
