import type { Store } from '@millrace/core'
import { InMemoryStore } from '@millrace/core/storage'
import { MortalStore } from '@millrace/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { useBrowser } from '../../../scripts/e2e/browser.ts'
import { openStudio, supportAgent } from './scene.ts'
import { EMAIL } from './support-model.ts'

useBrowser()

test('approves a tool call, and the run continues', async () => {
  const { page, ask } = await openStudio()
  await ask('Please refund it')
  await page.getByRole('link', { name: 'Waiting 1 to answer' }).click()
  const card = page.getByRole('article', { name: 'support: Asks for your approval' })
  await card.getByText('"amount":48', { exact: false }).waitFor()
  await card.getByRole('button', { name: 'Approve' }).click()
  await page.getByText('Answered. The run continues.').waitFor()
  await page.getByRole('heading', { name: 'No waiting runs' }).waitFor()
  await page.getByRole('link', { name: 'Follow the run' }).click()
  await page.getByRole('tab', { name: 'Input and answer' }).click()
  await page.getByRole('region', { name: 'Answer' }).getByText('I paid 48 back.').waitFor()
  // Both attempts belong to one run.
  await page.getByRole('region', { name: '2 attempts of one run' }).getByText('Waiting').waitFor()
})

test('denies a tool call with a reason', async () => {
  const { page, ask, open } = await openStudio()
  await ask('Please refund it')
  await open('/waiting')
  await page.getByLabel('Reason').fill('Too much.')
  await page.getByRole('button', { name: 'Deny' }).click()
  await page.getByRole('link', { name: 'Follow the run' }).click()
  await page.getByRole('tab', { name: 'Input and answer' }).click()
  await page.getByRole('region', { name: 'Answer' }).getByText('I paid nothing back.').waitFor()
})

test('answers a tool call in place of the client', async () => {
  const { page, ask, open } = await openStudio()
  await ask('Which colour is it?')
  await open('/waiting')
  const card = page.getByRole('article', { name: 'support: Waits for a tool output' })
  await card.getByLabel('Output of askPerson').fill('{"colour":"green"}')
  await card.getByText('Sent as JSON').waitFor()
  await card.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('link', { name: 'Follow the run' }).click()
  await page.getByRole('tab', { name: 'Reader view' }).click()
  await page.getByText('So it is green.').waitFor()
})

test('decides on several tool calls, and only the approved ones are executed', async () => {
  const { page, ask, open } = await openStudio()
  await ask('Please refund both')
  await open('/waiting')
  const card = page.getByRole('article', { name: 'support: Asks for your approval' })
  const send = card.getByRole('button', { name: 'Send decisions' })
  const decisions = card.getByRole('group', { name: 'Decision on refund' })
  await decisions.first().getByRole('button', { name: 'Approve this' }).click()
  expect(await send.isDisabled()).toBe(true)
  await decisions.last().getByRole('button', { name: 'Deny this' }).click()
  await send.click()
  await page.getByRole('link', { name: 'Follow the run' }).click()
  await page.getByRole('tab', { name: 'Input and answer' }).click()
  await page.getByRole('region', { name: 'Answer' }).getByText('I paid one of them back.').waitFor()
})

test('answers a tool that suspends during its execution', async () => {
  const { page, ask, open } = await openStudio()
  await ask('Please send the parcel')
  await open('/waiting')
  await page.getByText('To which address does A-17 go?').waitFor()
  await page.getByLabel('Your answer').fill('12 Mill Lane')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByRole('link', { name: 'Follow the run' }).click()
  await page.getByRole('tab', { name: 'Input and answer' }).click()
  await page.getByRole('region', { name: 'Answer' }).getByText('The parcel is on its way.').waitFor()
})

test('reports the outcome of a tool call that was interrupted when its process died', async () => {
  const storage = new InMemoryStore()
  const mortal = new MortalStore(storage)
  const dying = supportAgent({ storage: mortal.storage as Store, whilePaying: () => mortal.kill() }).support
  const { runId } = await dying.generate('Please refund it', { threadId: 'thread', resourceId: 'ada' })
  dying.resume(runId, { approved: true }, { resourceId: 'ada' }).catch(() => {})
  await mortal.died
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + AFTER_ITS_LEASE })
  onTestFinished(() => void vi.useRealTimers())

  const { page, open } = await openStudio({ storage })
  await open('/waiting')
  await page.getByRole('button', { name: 'Continue' }).click()
  await open('/waiting')
  const card = page.getByRole('article', { name: 'support: Was interrupted during tool calls' })
  await card.getByLabel('Outcome of refund').selectOption('It was executed: enter its output')
  await card.getByRole('textbox', { name: 'Output' }).fill('Paid 48 back.')
  await card.getByRole('button', { name: 'Resume' }).click()
  await page.getByRole('link', { name: 'Follow the run' }).click()
  await page.getByRole('tab', { name: 'Input and answer' }).click()
  await page.getByRole('region', { name: 'Answer' }).getByText('I paid 48 back.').waitFor()
})

/** In milliseconds: then other processes may continue the run. */
const AFTER_ITS_LEASE = 10 * 60_000

test('releases a waiting run', async () => {
  const { page, ask, open } = await openStudio()
  await ask('Please refund it')
  await open('/waiting')
  await page.getByRole('button', { name: 'Release the run' }).click()
  await page.getByRole('heading', { name: 'No waiting runs' }).waitFor()
})

test('shows that a run was answered elsewhere', async () => {
  const { page, ask, open, support } = await openStudio()
  const runId = await ask('Please refund it')
  await open('/waiting')
  const approve = page.getByRole('button', { name: 'Approve' })
  // Released once the approval is on its way: before, the page would learn of it and remove the button.
  await page.route('**/api/suspended/*/answer', async (route) => {
    await support.release(runId, { resourceId: 'ada' })
    await route.continue()
  })
  await approve.click()
  await page.getByRole('heading', { name: 'No waiting runs' }).waitFor()
})

test('replays a run without its processors, and compares both', async () => {
  const { page, ask, open } = await openStudio()
  const runId = await ask(`I am ${EMAIL}. Hello!`)
  await open(`/runs/${runId}`)
  await page.getByRole('button', { name: 'Replay' }).click()
  const dialog = page.getByRole('dialog', { name: 'Replay this run' })
  // A hidden value is not offered: a replay would send dots instead of it.
  expect(await dialog.getByLabel('Question').inputValue()).toBe('')
  await dialog.getByLabel('Model').selectOption('other')
  await dialog.getByLabel('Processors').selectOption({ label: 'none: none' })
  await dialog.getByRole('button', { name: 'Replay and compare' }).click()
  await page.getByRole('heading', { name: 'Compare runs' }).waitFor()
  const figures = page.getByRole('region', { name: 'Figures' })
  await figures.getByRole('row', { name: 'Models shop-model other-model' }).waitFor()
  await page.getByRole('region', { name: 'Replay', exact: true }).getByText('Completed').waitFor()
  const processors = page.getByRole('region', { name: 'Processors' })
  const pii = processors.getByRole('listitem').filter({ hasText: 'pii-detector' }).first()
  expect(await pii.textContent()).toMatch(/Changed.*missing/)
  await page.getByRole('region', { name: 'Replay', exact: true }).getByRole('link', { name: 'Open' }).click()
  await page.getByRole('link', { name: 'Compare with the original' }).waitFor()
})

test('replays with another question, and compares the answers by words', async () => {
  const { page, ask, open } = await openStudio()
  const runId = await ask('Hello mill')
  await open(`/runs/${runId}`)
  await page.getByRole('button', { name: 'Replay' }).click()
  const question = page.getByRole('dialog').getByLabel('Question')
  await expect.poll(() => question.inputValue()).toBe('Hello mill')
  await question.fill('Hello wheel')
  await page.getByRole('dialog').getByRole('button', { name: 'Replay and compare' }).click()
  const answers = page.getByRole('region', { name: 'Answers' })
  await answers.locator('del').filter({ hasText: 'mill' }).waitFor()
  await answers.locator('ins').filter({ hasText: 'wheel' }).waitFor()
})

test('chats with an agent, approves a call, and links each answer to its run', async () => {
  const { page, open } = await openStudio()
  await open('/chat')
  const field = page.getByLabel('Your message')
  await field.fill('Will it come tomorrow?')
  await page.keyboard.press('Enter')
  const conversation = page.getByRole('region', { name: 'Conversation' })
  await conversation.getByText('It should come tomorrow').waitFor()
  await conversation.getByText('Retracted and retried').waitFor()

  await field.fill('Please refund it')
  await page.keyboard.press('Enter')
  await conversation.getByRole('button', { name: 'Approve' }).click()
  await conversation.getByText('I paid 48 back.').waitFor()

  await conversation.getByRole('link', { name: 'Open the run' }).first().click()
  await page.getByRole('heading', { name: 'Will it come tomorrow?' }).waitFor()
  // The conversation is still there.
  await page.getByRole('link', { name: 'Chat' }).click()
  await conversation.getByText('I paid 48 back.').waitFor()
  await page.getByRole('button', { name: 'New' }).click()
  await page.getByRole('heading', { name: 'Ask support something' }).waitFor()
})
