import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { serve } from 'vitepress'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { faultsOf, newContext, saveScreenshot } from '../../../scripts/e2e/browser.ts'

export const SCREENSHOTS: string = join(import.meta.dirname, '../screenshots')

let server: Server

/** Serves the built site for the tests of a file. */
export function useSite(): void {
  beforeAll(async () => {
    const preview = await serve({ root: join(import.meta.dirname, '..'), port: 0 })
    server = preview.server as Server
    if (!server.listening) await new Promise((resolve) => server.once('listening', resolve))
  })
  afterAll(() => {
    server?.closeAllConnections()
    server?.close()
  })
}

export interface Scene {
  page: Page
  /** Opens a path of the site, and waits until nothing more is loaded. */
  open: (path: string) => Promise<void>
  /** The requests of the page so far, in order. */
  loaded: Loaded[]
}

export interface Loaded {
  url: string
  /** Of the compressed body. */
  gzippedBytes: number
}

/** Opens a page in an isolated context. The test fails if the page throws, or requests another host. */
export async function openSite(options: BrowserContextOptions = {}): Promise<Scene> {
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`
  const context = await newContext({ baseURL: origin, ...options })
  const page = await context.newPage()
  const faults = faultsOf(page)
  const loaded: Loaded[] = []
  const bodies: Promise<unknown>[] = []
  const elsewhere: string[] = []
  page.on('request', (request) => {
    if (/^https?:/.test(request.url()) && new URL(request.url()).origin !== origin)
      elsewhere.push(request.url())
  })
  page.on('requestfinished', (request) => {
    const entry = { url: request.url(), gzippedBytes: 0 }
    loaded.push(entry)
    const read = async (): Promise<void> => {
      const response = await request.response()
      if (response === null) return
      if (response.status() >= 400 && !request.isNavigationRequest())
        faults.push(`${response.status()} ${entry.url}`)
      if (response.ok()) entry.gzippedBytes = gzipSync(await response.body()).length
    }
    // Navigation discards bodies that are not read yet.
    bodies.push(read().catch(() => {}))
  })
  onTestFinished(async ({ task }) => {
    if (task.result?.state === 'fail') {
      await saveScreenshot(page, SCREENSHOTS, `failed-${task.name.replace(/\W+/g, '-').slice(0, 80)}`)
    }
    await Promise.all(bodies)
    await context.close()
    expect(faults).toEqual([])
    expect(elsewhere).toEqual([])
  })
  return {
    page,
    loaded,
    async open(path) {
      await page.goto(path, { waitUntil: 'networkidle' })
      await Promise.all(bodies)
    },
  }
}
