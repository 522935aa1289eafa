import AxeBuilder from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { answered, ask, openChat, screenshot, useBrowser } from './scene.ts'

useBrowser()

const WIDE = { width: 1200, height: 800 }
const PHONE = { width: 375, height: 720 }
const views = [
  { name: 'light', colorScheme: 'light', viewport: WIDE },
  { name: 'dark', colorScheme: 'dark', viewport: WIDE },
  { name: 'phone-light', colorScheme: 'light', viewport: PHONE },
  { name: 'phone-dark', colorScheme: 'dark', viewport: PHONE },
] as const

describe.each(views)('$name', ({ name, colorScheme, viewport }) => {
  test('every view is fit for assistive technology, and within its width', async () => {
    const { page } = await openChat({ colorScheme, viewport })
    const look = async (view: string): Promise<void> => {
      await screenshot(page, `${name}-${view}`)
      expect(await problemsOf(page), view).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), view).toBe(true)
    }
    await look('welcome')
    await ask(page, 'How do I care for my chain?')
    await answered(page)
    await look('answer')
    await ask(page, 'Where is my order 1042?')
    await page.getByText('You get a message as soon').waitFor()
    await ask(page, 'Please refund order 1042')
    await page.getByRole('button', { name: 'Approve' }).waitFor()
    await look('approval')
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByText('I refunded nothing').waitFor()
    await answered(page)
    await ask(page, 'Is there a voucher code?')
    await page.getByText('This answer was taken back.').waitFor()
    await answered(page)
    await look('taken-back')
    if (viewport === PHONE) {
      await page.getByRole('button', { name: 'Show conversations' }).click()
      await page.getByRole('dialog').getByText('How do I care for my').waitFor()
      await look('history')
    }
    await page.getByRole('button', { name: /^Actions for/ }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).waitFor()
    await look('menu')
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('alertdialog').waitFor()
    await look('delete')
  })
})

test('everything is reached by keyboard alone, and focus returns to where it was', async () => {
  const { page } = await openChat()
  expect(await focused(page)).toBe('Your message')
  await page.keyboard.type('Please refund order 1042')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Approve' }).waitFor()
  await tabTo(page, 'Approve', 'Shift+Tab')
  await page.keyboard.press('Enter')
  await page.getByText('I refunded €48.00').waitFor()
  await answered(page)
  await tabTo(page, 'Actions for Please refund order 1042', 'Shift+Tab')
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Rename' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await expect.poll(() => focused(page)).toContain('Title')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

test('the theme that is chosen is kept', async () => {
  const { page } = await openChat({ colorScheme: 'light' })
  const scheme = () => page.evaluate(() => document.documentElement.style.colorScheme)
  await page.getByRole('button', { name: /^Theme: As the system/ }).click()
  await page.getByRole('button', { name: /^Theme: Light/ }).click()
  expect(await scheme()).toBe('dark')
  await page.reload()
  await page.getByRole('button', { name: /^Theme: Dark/ }).waitFor()
  expect(await scheme()).toBe('dark')
})

/** What axe finds, of any impact. A menu is outside of all landmarks, as everything is that opens above the page. */
async function problemsOf(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).disableRules(['region']).analyze()
  return violations.flatMap(({ id, impact, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${impact} ${id} ${target.join(' ')}: ${failureSummary}`),
  )
}

/** The accessible name of what has the focus, as far as a label or its text gives one. */
function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement
    const label = element instanceof HTMLInputElement ? element.labels?.[0]?.textContent : undefined
    return element?.getAttribute('aria-label') ?? label ?? element?.textContent ?? ''
  })
}

async function tabTo(page: Page, name: string, key: 'Tab' | 'Shift+Tab'): Promise<void> {
  for (let step = 0; step < 40; step++) {
    if ((await focused(page)) === name) return
    await page.keyboard.press(key)
  }
  throw new Error(`'${name}' is not reached by ${key}.`)
}
