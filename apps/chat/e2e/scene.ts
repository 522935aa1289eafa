import { join } from 'node:path'
import { InMemoryStore } from '@millrace/core/storage'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { faultsOf, newContext, saveScreenshot } from '../../../scripts/e2e/browser.ts'
import { startChatServer } from '../src/chat-server.ts'
import { scriptedModel } from '../src/scripted-model.ts'
import { CuttableNetwork } from './cuttable-network.ts'
import { HeldPace } from './held-pace.ts'

export const SCREENSHOTS: string = join(import.meta.dirname, '../screenshots')

export interface Scene {
  network: Network
  url: string
  pace: HeldPace
  context: BrowserContext
  page: Page
  /** Another user: an isolated browser context. */
  newPerson: () => Promise<Page>
}

interface Network {
  /** Closes all connections to the server, and refuses new ones. */
  cut: () => Promise<void>
  restore: () => Promise<void>
}

/** Starts a server, and opens the page. */
export async function openChat(options: BrowserContextOptions = {}): Promise<Scene> {
  const pace = new HeldPace()
  const server = await startChatServer({ model: scriptedModel(pace), storage: new InMemoryStore() })
  const network = await CuttableNetwork.to(server.url)
  const contexts: BrowserContext[] = []
  const openContext = async (): Promise<BrowserContext> => {
    const context = await newContext(options)
    contexts.push(context)
    return context
  }
  const context = await openContext()
  const page = await context.newPage()
  const faults = faultsOf(page)
  onTestFinished(async ({ task }) => {
    for (const [index, each] of task.result?.state === 'fail' ? context.pages().entries() : [])
      await saveScreenshot(each, SCREENSHOTS, `failed-${task.name.replace(/\W+/g, '-')}-${index}`)
    pace.release()
    for (const each of contexts) await each.close()
    await network.close()
    await server.close({ timeoutMs: 0 })
    expect(faults).toEqual([])
  })
  await page.goto(network.url)
  return {
    url: network.url,
    pace,
    network: {
      async cut() {
        await context.setOffline(true)
        network.cut()
      },
      async restore() {
        network.restore()
        await context.setOffline(false)
      },
    },
    context,
    page,
    newPerson: async () => {
      const other = await (await openContext()).newPage()
      await other.goto(network.url)
      return other
    },
  }
}

export async function ask(page: Page, text: string): Promise<void> {
  await page.getByLabel('Your message').fill(text)
  await page.keyboard.press('Enter')
}

/** The texts of the messages, in order. */
export async function messagesOf(page: Page): Promise<string[]> {
  const texts = await page.locator('.message').allInnerTexts()
  return texts.map((text) => text.replace(/\s+/g, ' ').trim())
}

/** Waits until no answer is in progress. */
export async function answered(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Regenerate' }).waitFor()
}
