// Shared by the browser tests: a browser for each test file, isolated contexts, screenshots, axe, keyboard.
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

/** Both themes, at desktop and phone width. */
export const VIEWS = [
  { name: 'light', colorScheme: 'light', viewport: WIDE },
  { name: 'dark', colorScheme: 'dark', viewport: WIDE },
  { name: 'phone-light', colorScheme: 'light', viewport: PHONE },
  { name: 'phone-dark', colorScheme: 'dark', viewport: PHONE },
] as const satisfies readonly ({ name: string } & BrowserContextOptions)[]

let browser: Browser

/** Starts the browser for the tests of a file. */
export function useBrowser(): void {
  beforeAll(async () => {
    const { CHROMIUM_PATH: executablePath } = process.env
    if (executablePath === undefined)
      throw new Error('Run these tests with `pnpm e2e`, which finds a browser.')
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  })
  afterAll(async () => await browser?.close())
}

/** An isolated browser context. The caller closes it. */
export async function newContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
  context.setDefaultTimeout(15_000)
  return context
}

/** A page in an isolated context, which is closed after the test. */
export async function newPage(options?: BrowserContextOptions): Promise<Page> {
  const context = await newContext(options)
  onTestFinished(() => context.close())
  return await context.newPage()
}

/** Errors of a page: exceptions, violations of its content security policy, and React errors. The list is live. */
export function faultsOf(page: Page): string[] {
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('console', (message) => {
    if (/Content Security Policy|Encountered two children|Maximum update/.test(message.text()))
      faults.push(message.text())
  })
  return faults
}

/** Saves a screenshot in a folder, and prints its path. */
export async function saveScreenshot(page: Page, folder: string, name: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${name}.png`)
  await page.screenshot({ path })
  console.log(path)
}

/** Saves a screenshot. Fails if axe finds a violation of any impact, or the page scrolls horizontally. */
export async function checkLooks(page: Page, folder: string, name: string): Promise<void> {
  await saveScreenshot(page, folder, name)
  expect(await problemsOf(page), name).toEqual([])
  expect(await isWithinWidth(page), name).toBe(true)
}

/**
 * Whether the page does not scroll horizontally.
 *
 * @public Also used by apps/docs, which is not in the workspace
 */
export function isWithinWidth(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)
}

/**
 * The violations that axe finds, each with its impact. Excluded: menus and other popups, which are outside of all
 * landmarks, and the focus guards of the component library, which move the focus on.
 *
 * @public As above
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

/** The accessible name of the focused element, from its label or text. */
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
  throw new Error(`'${name}' cannot be reached with ${key}.`)
}
