import { describe, expect, test } from 'vitest'
import { useBrowser } from '../../../scripts/e2e/browser.ts'
import { answered, ask, messagesOf, openChat } from './scene.ts'

useBrowser()

/** A part of the answer about chains, without its end: guards hold back a possible match. */
const BEGINNING = /^A chain lasts(?!.*ten minutes)/

test('streams an answer by words, and lists its thread with a title', async () => {
  const { page, pace } = await openChat()
  pace.hold(12)
  await page.getByRole('button', { name: 'How do I care for my chain?' }).click()
  await page.getByText(BEGINNING).waitFor()
  pace.release()
  await answered(page)
  expect(await page.locator('.prose ol > li').count()).toBe(4)
  await page.getByRole('navigation').getByText('How do I care for my').waitFor()
})

test('shows a tool call with its result', async () => {
  const { page } = await openChat()
  await ask(page, 'Where is my order 1042?')
  await answered(page)
  const call = page.getByRole('region', { name: 'Look up the order: Done' })
  expect(await call.textContent()).toContain('1042')
  await call.getByRole('button', { name: 'Result' }).click()
  await call.getByText('"on its way to you"').waitFor()
  await page.getByText('Order 1042 is on its way to you.').waitFor()
})

describe('an action that needs approval', () => {
  test('is executed when it is approved, also after a reload', async () => {
    const { page } = await openChat()
    await ask(page, 'Please refund order 1042')
    await page.getByRole('region', { name: 'Refund: Needs your approval' }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('I refunded €48.00 for order 1042.').waitFor()
    await page.getByRole('region', { name: 'Refund: Done' }).waitFor()
    await page.reload()
    await page.getByText('I refunded €48.00 for order 1042.').waitFor()
    expect(await messagesOf(page)).toHaveLength(2)
  })

  test('is not executed when it is denied', async () => {
    const { page } = await openChat()
    await ask(page, 'Please refund order 1042')
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByText('I refunded nothing').waitFor()
    await page.getByRole('region', { name: 'Refund: Denied' }).waitFor()
    await page.reload()
    await page.getByText('I refunded nothing').waitFor()
    expect(await page.getByText('I refunded €').count()).toBe(0)
  })

  test('continues if the page is reloaded while it is executed', async () => {
    const { page, pace } = await openChat()
    await ask(page, 'Please refund order 1042')
    pace.hold(8)
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText(/^I refunded €48(?!.*two days)/).waitFor()
    await page.reload()
    await page.getByText(/^I refunded €48(?!.*two days)/).waitFor()
    pace.release()
    await page.getByText('It is on your account within two days.').waitFor()
    await page.getByRole('region', { name: 'Refund: Done' }).waitFor()
    expect(await messagesOf(page)).toHaveLength(2)
  })
})

describe('text that a guard retracts', () => {
  test('disappears, and another answer replaces it', async () => {
    const { page, pace } = await openChat()
    pace.hold(6)
    await ask(page, 'Do you promise that it comes tomorrow?')
    const promise = page.getByText('I guarantee')
    await promise.waitFor()
    pace.release()
    await page.getByText('I cannot give you a fixed date.').waitFor()
    expect(await promise.count()).toBe(0)
    await page.reload()
    await page.getByText('I cannot give you a fixed date.').waitFor()
    expect(await promise.count()).toBe(0)
  })

  test('disappears with a notice if the answer is blocked', async () => {
    const { page, pace } = await openChat()
    pace.hold(6)
    await ask(page, 'Is there a voucher code?')
    const beginning = page.getByText('Let me see which vouchers')
    await beginning.waitFor()
    pace.release()
    await page.getByText('This answer was retracted.').waitFor()
    expect(await beginning.count()).toBe(0)
    expect(await page.content()).not.toContain('STAFF-7731')
  })

  test('personal data is never shown', async () => {
    const { page } = await openChat()
    await ask(page, 'How can I contact your mechanic?')
    await answered(page)
    expect((await messagesOf(page)).at(-1)).toContain('You reach her at [EMAIL]')
  })
})

test('Stop stops the answer on the server', async () => {
  const { page, pace } = await openChat()
  pace.hold(12)
  await ask(page, 'How do I care for my chain?')
  await page.getByText(BEGINNING).waitFor()
  await expect.poll(() => pace.isWaiting).toBe(true)
  await page.getByRole('button', { name: 'Stop the answer' }).click()
  await answered(page)
  expect(pace.isWaiting).toBe(false)
  await page.reload()
  await page.getByText('How do I care for my chain?').first().waitFor()
  expect(await page.getByRole('button', { name: 'Stop the answer' }).count()).toBe(0)
})

test('an answer continues after a reload', async () => {
  const { page, pace } = await openChat()
  pace.hold(12)
  await ask(page, 'How do I care for my chain?')
  const beginning = page.getByText(BEGINNING)
  await beginning.waitFor()
  await page.reload()
  await beginning.waitFor()
  await page.getByRole('button', { name: 'Stop the answer' }).waitFor()
  pace.release()
  await answered(page)
  expect(await page.locator('.prose ol > li').count()).toBe(4)
  expect(await messagesOf(page)).toHaveLength(2)
})

test('an answer continues after a lost connection', async () => {
  const { page, pace, network } = await openChat()
  pace.hold(12)
  await ask(page, 'How do I care for my chain?')
  await page.getByText(BEGINNING).waitFor()
  await network.cut()
  await page.getByText('The connection is lost. The server still generates the answer.').waitFor()
  pace.release()
  await network.restore()
  await answered(page)
  expect(await page.locator('.prose ol > li').count()).toBe(4)
  expect(await messagesOf(page)).toHaveLength(2)
})

test('a second tab reads an answer in progress, and approves for the first', async () => {
  const { page, pace, context } = await openChat()
  await ask(page, 'Where is my order 1042?')
  await answered(page)
  const second = await context.newPage()
  await second.goto(page.url())
  await answered(second)

  pace.hold(12)
  await ask(page, 'How do I care for my chain?')
  await second.getByText(BEGINNING).waitFor()
  pace.release()
  await Promise.all([answered(page), answered(second)])
  expect(await messagesOf(second)).toEqual(await messagesOf(page))

  await ask(second, 'Please refund order 1042')
  await page.getByRole('button', { name: 'Approve' }).click()
  for (const tab of [page, second]) {
    await tab.getByText('I refunded €48.00 for order 1042.').waitFor()
    await answered(tab)
  }
  expect(await messagesOf(second)).toEqual(await messagesOf(page))
})

test('a regenerated answer replaces the old one', async () => {
  const { page, pace } = await openChat()
  await ask(page, 'How do I care for my chain?')
  await answered(page)
  pace.hold(12)
  await page.getByRole('button', { name: 'Regenerate' }).click()
  await page.getByText(BEGINNING).waitFor()
  pace.release()
  await answered(page)
  await page.reload()
  await answered(page)
  expect(await messagesOf(page)).toHaveLength(2)
})

describe('the history', () => {
  test('opens, renames and deletes conversations', async () => {
    const { page } = await openChat()
    const history = page.getByRole('navigation')
    await ask(page, 'How do I care for my chain?')
    await answered(page)
    await history.getByText('How do I care for my').waitFor()
    await page.getByRole('button', { name: 'New conversation' }).first().click()
    await ask(page, 'Where is my order 1042?')
    await answered(page)
    await history.getByText('Where is my order 1042').waitFor()

    await history.getByText('How do I care for my').click()
    await page.getByText('A chain lasts about twice').waitFor()
    await page.goBack()
    await page.getByText('Order 1042 is').waitFor()

    await page.getByRole('button', { name: 'Actions for Where is my order 1042' }).click()
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    await page.getByLabel('Title').fill('The red bicycle')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'The red bicycle' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'The red bicycle' }).waitFor()

    const address = page.url()
    await page.getByRole('button', { name: 'Actions for The red bicycle' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { name: 'How can we help?' }).waitFor()
    expect(await history.getByText('The red bicycle').count()).toBe(0)
    await page.goto(address)
    await page.getByText('This conversation does not exist, or was deleted.').waitFor()
  })

  test('is private to one user', async () => {
    const { page, newPerson } = await openChat()
    await ask(page, 'How do I care for my chain?')
    await answered(page)
    const other = await newPerson()
    await other.getByText('Your conversations appear here. Only you can see them.').waitFor()
    await other.goto(page.url())
    await other.getByText('This conversation does not exist, or was deleted.').waitFor()
  })
})
