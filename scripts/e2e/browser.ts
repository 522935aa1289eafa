// What tests in a browser share: one browser for a file, contexts that share nothing, screenshots, axe, the keyboard.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import AxeBuilder from '@axe-core/playwright'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'

const WIDE = { width: 1200, height: 800 }
export const PHONE: { width: number; height: number } = { width: 375, height: 720 }

/** Both themes, wide and at a phone's width. */
export const VIEWS = [
  { name: 'light', colorScheme: 'light', viewport: WIDE },
  { name: 'dark', colorScheme: 'dark', viewport: WIDE },
  { name: 'phone-light', colorScheme: 'light', viewport: PHONE },
  { name: 'phone-dark', colorScheme: 'dark', viewport: PHONE },
] as const satisfies readonly ({ name: string } & BrowserContextOptions)[]

let browser: Browser

/** Opens the browser of a file of tests. */
export function useBrowser(): void {
  beforeAll(async () => {
    const { CHROMIUM_PATH: executablePath } = process.env
    if (executablePath === undefined) throw new Error('Run these tests by `pnpm e2e`: it finds a browser.')
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  })
  afterAll(async () => await browser?.close())
}

/** A browser that shares nothing with others. Whoever opens it closes it. */
export async function newContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
  context.setDefaultTimeout(15_000)
  return context
}

/** A page in a context of its own, which closes with the test. */
export async function newPage(options?: BrowserContextOptions): Promise<Page> {
  const context = await newContext(options)
  onTestFinished(() => context.close())
  return await context.newPage()
}

/** Errors of a page: what it throws, and what breaks its content security policy or React's rules. The list grows. */
export function faultsOf(page: Page): string[] {
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('console', (message) => {
    if (/Content Security Policy|Encountered two children|Maximum update/.test(message.text()))
      faults.push(message.text())
  })
  return faults
}

/** Keeps a picture of the page in a folder, and prints where. */
export async function saveScreenshot(page: Page, folder: string, name: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${name}.png`)
  await page.screenshot({ path })
  console.log(path)
}

/** Keeps a picture of the page; fails where axe finds anything, of any impact, or the page is wider than its window. */
export async function checkLooks(page: Page, folder: string, name: string): Promise<void> {
  await saveScreenshot(page, folder, name)
  expect(await problemsOf(page), name).toEqual([])
  expect(await isWithinWidth(page), name).toBe(true)
}

/**
 * Whether nothing has to be scrolled sideways.
 *
 * @public apps/docs uses it too, which is no part of the workspace
 */
export function isWithinWidth(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)
}

/**
 * What axe finds, each with its impact first. A menu is outside of all landmarks, as everything is that opens above the page. Focus guards of the component
 * library pass the focus on at once.
 *
 * @public as above
 */
export async function problemsOf(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page })
    .disableRules(['region'])
    .exclude('[data-base-ui-focus-guard]')
    .analyze()
  return violations.flatMap(({ id, impact, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${impact} ${id} ${target.join(' ')}: ${failureSummary}`),
  )
}

/** The accessible name of what has the focus, as far as a label or its text gives one. */
export function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement
    const label = element instanceof HTMLInputElement ? element.labels?.[0]?.textContent : undefined
    return element?.getAttribute('aria-label') ?? label ?? element?.textContent ?? ''
  })
}

export async function tabTo(page: Page, name: string, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  for (let step = 0; step < 40; step++) {
    if ((await focused(page)) === name) return
    await page.keyboard.press(key)
  }
  throw new Error(`'${name}' is not reached by ${key}.`)
}
