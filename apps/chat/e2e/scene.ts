import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { InMemoryStore } from '@millrace/core/storage'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { startChatServer } from '../src/chat-server.ts'
import { scriptedModel } from '../src/scripted-model.ts'
import { CuttableNetwork } from './cuttable-network.ts'
import { HeldPace } from './held-pace.ts'

const SCREENSHOTS = join(import.meta.dirname, '../screenshots')

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

export interface Scene {
  network: Network
  url: string
  pace: HeldPace
  context: BrowserContext
  page: Page
  /** Another person: a browser that shares nothing with the first. */
  newPerson: () => Promise<Page>
}

/** A page of a browser that shares nothing with others. */
export async function newPage(): Promise<Page> {
  const context = await browser.newContext({ reducedMotion: 'reduce' })
  context.setDefaultTimeout(15_000)
  onTestFinished(() => context.close())
  return await context.newPage()
}

interface Network {
  /** Ends all connections to the server, and refuses new ones. */
  cut: () => Promise<void>
  restore: () => Promise<void>
}

/** A server of its own, and a page that is open on it. */
export async function openChat(options: BrowserContextOptions = {}): Promise<Scene> {
  const pace = new HeldPace()
  const server = await startChatServer({ model: scriptedModel(pace), storage: new InMemoryStore() })
  const network = await CuttableNetwork.to(server.url)
  const contexts: BrowserContext[] = []
  const newContext = async (): Promise<BrowserContext> => {
    const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
    context.setDefaultTimeout(15_000)
    contexts.push(context)
    return context
  }
  const context = await newContext()
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('console', (message) => {
    if (/Content Security Policy|Encountered two children|Maximum update/.test(message.text()))
      faults.push(message.text())
  })
  onTestFinished(async ({ task }) => {
    for (const [index, each] of task.result?.state === 'fail' ? context.pages().entries() : [])
      await screenshot(each, `failed-${task.name.replace(/\W+/g, '-')}-${index}`)
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
      const other = await (await newContext()).newPage()
      await other.goto(network.url)
      return other
    },
  }
}

/** Keeps a picture of the page, and prints where. */
export async function screenshot(page: Page, name: string): Promise<void> {
  mkdirSync(SCREENSHOTS, { recursive: true })
  const path = join(SCREENSHOTS, `${name}.png`)
  await page.screenshot({ path })
  console.log(path)
}

export async function ask(page: Page, text: string): Promise<void> {
  await page.getByLabel('Your message').fill(text)
  await page.keyboard.press('Enter')
}

/** The text of the messages, in order. */
export async function messagesOf(page: Page): Promise<string[]> {
  const texts = await page.locator('.message').allInnerTexts()
  return texts.map((text) => text.replace(/\s+/g, ' ').trim())
}

/** Waits until no answer is being made. */
export async function answered(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Answer again' }).waitFor()
}
