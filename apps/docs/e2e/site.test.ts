import { describe, expect, test } from 'vitest'
import {
  isWithinWidth,
  PHONE,
  problemsOf,
  saveScreenshot,
  useBrowser,
  VIEWS,
} from '../../../scripts/e2e/browser.ts'
import { readSections } from '../src/pages.ts'
import { openSite, SCREENSHOTS, useSite } from './scene.ts'

useBrowser()
useSite()

const sections = readSections()
/** Pages of different kinds: with tables, code, drawings and long names. */
const LOOKED_AT = [
  '',
  'start',
  'pictures',
  'figures',
  'guards',
  'core/processors',
  'interop/coming-from-other-frameworks',
]
/**
 * Moderate and minor violations are ignored: VitePress has no `main` on its home page, and some table headers are empty.
 */
const SERIOUS = /^(?:serious|critical) /
/** Maximum compressed size of a first visit, in bytes. */
const FIRST_PAGE = 200_000

describe.each(VIEWS)('$name', ({ name, colorScheme, viewport }) => {
  test.each(LOOKED_AT)('/%s is accessible, and fits its width', async (route) => {
    const { page, open } = await openSite({ colorScheme, viewport })
    await open(`/${route}`)
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    await saveScreenshot(page, SCREENSHOTS, `${name}-${route.replaceAll('/', '-') || 'home'}`)
    expect((await problemsOf(page)).filter((problem) => SERIOUS.test(problem))).toEqual([])
    expect(await isWithinWidth(page)).toBe(true)
  })
})

describe('navigation', () => {
  test('the sidebar links to every page, and marks the current one', async () => {
    const { page, open } = await openSite()
    await open('/start')
    const sidebar = page.getByRole('navigation', { name: 'Sidebar Navigation' })
    for (const { title, pages } of sections) {
      const last = pages.at(-1)
      if (!last) continue
      const group = sidebar.locator('details').filter({ has: page.getByText(title, { exact: true }) })
      if ((await group.getAttribute('open')) === null) await group.locator('summary').click()
      await sidebar.locator(`a[href="/${last.route}"]`).click()
      await page.waitForURL(`**/${last.route}`)
      await page.getByRole('heading', { level: 1, name: last.title }).waitFor()
    }
    const hrefs = await sidebar
      .getByRole('link', { includeHidden: true })
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')))
    const routes = sections.flatMap(({ pages }) => pages).map(({ route }) => `/${route}`)
    expect(hrefs).toEqual(routes.filter((route) => route !== '/'))
  })

  test('every page exists, with its title', async () => {
    const { page } = await openSite()
    for (const { route, title } of sections.flatMap(({ pages }) => pages)) {
      const response = await page.request.get(`/${route}`)
      expect(response.status(), route).toBe(200)
      expect(await response.text(), route).toContain(
        `<title>${route === '' ? title : `${title.replaceAll('&', '&amp;')} | `}`,
      )
    }
  })

  test('an unknown page shows an error, and links to the home page', async () => {
    const { page } = await openSite()
    const response = await page.goto('/no-such-page')
    expect(response?.status()).toBe(404)
    await page.getByText('PAGE NOT FOUND').waitFor()
    await page.locator('.NotFound').getByRole('link').click()
    await page.getByRole('heading', { level: 1, name: 'Millrace' }).waitFor()
  })
})

test('search finds a processor by its name', async () => {
  const { page, open } = await openSite()
  await open('/')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByRole('searchbox').fill('CostGuard')
  await page.getByRole('option', { name: 'CostGuard' }).first().waitFor({ timeout: 60_000 })
  await page.keyboard.press('Enter')
  await page.waitForURL('**/steering/cost-guard*')
  await page.getByRole('heading', { level: 1, name: 'CostGuard' }).waitFor()
})

describe('the theme', () => {
  test.each(['light', 'dark'] as const)(
    'is %s like the system, until the reader selects a theme',
    async (colorScheme) => {
      const { page, open } = await openSite({ colorScheme })
      const isDark = (): Promise<boolean> =>
        page.evaluate(() => document.documentElement.classList.contains('dark'))
      await open('/start')
      expect(await isDark()).toBe(colorScheme === 'dark')
      await page.getByRole('switch').first().click()
      expect(await isDark()).toBe(colorScheme !== 'dark')
      await page.reload()
      expect(await isDark()).toBe(colorScheme !== 'dark')
    },
  )
})

test('shows one of the two themes of a picture', async () => {
  const { page, open } = await openSite({ colorScheme: 'dark' })
  await open('/pictures')
  expect(await page.locator('.vp-doc img[src*="studio-dark"]').isVisible()).toBe(true)
  expect(await page.locator('.vp-doc img[src*="studio-light"]').isVisible()).toBe(false)
})

test('on a phone the menu opens, navigates to a page, and closes', async () => {
  const { page, open } = await openSite({ viewport: PHONE })
  await open('/start')
  await page.getByRole('button', { name: 'Menu', exact: true }).click()
  const sidebar = page.getByRole('navigation', { name: 'Sidebar Navigation' })
  await sidebar.getByRole('link', { name: 'What it looks like' }).click()
  await page.getByRole('heading', { level: 1, name: 'What it looks like' }).waitFor()
  await page.getByRole('button', { name: 'mobile navigation' }).click()
  await page.locator('.VPNavScreen').getByRole('link', { name: 'Memory' }).click()
  await page.waitForURL('**/memory')
})

describe('without JavaScript', () => {
  test.each([
    ['wide', {}],
    ['on a phone', { viewport: PHONE }],
  ] as const)('%s, pages are readable, and every page is linked', async (_, options) => {
    const { page, open } = await openSite({ javaScriptEnabled: false, ...options })
    await open('/start')
    await page.getByRole('heading', { level: 1, name: 'Start' }).waitFor()
    await page.locator('pre code').getByText('new PIIDetector').first().waitFor()
    const sidebar = page.getByRole('navigation', { name: 'Sidebar Navigation' })
    await sidebar.locator('summary').getByText('Steering').click()
    await sidebar.getByRole('link', { name: 'CostGuard' }).click()
    await page.getByRole('heading', { level: 1, name: 'CostGuard' }).waitFor()
  })
})

test.each(['', 'start', 'figures'])('a first visit of /%s loads at most 200 kB', async (route) => {
  const { open, loaded } = await openSite()
  await open(`/${route}`)
  const bytes = loaded.reduce((sum, { gzippedBytes }) => sum + gzippedBytes, 0)
  console.log(`/${route}: ${(bytes / 1_000).toFixed(0)} kB gzip in ${loaded.length} files`)
  expect(loaded.filter(({ gzippedBytes }) => gzippedBytes === 0)).toEqual([])
  expect(bytes).toBeLessThanOrEqual(FIRST_PAGE)
})
