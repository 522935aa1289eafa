import { join } from 'node:path'
import { Agent, type Processor, type Store, Suspend, tool } from '@millrace/core'
import { InMemoryStore } from '@millrace/core/storage'
import { PromptInjectionDetector } from '@millrace/guards/prompt-injection'
import { SecretDetector } from '@millrace/guards/secrets'
import { PIIDetector } from '@millrace/pii'
import type { Gate } from '@millrace/testing'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { z } from 'zod'
import { faultsOf, newContext, saveScreenshot } from '../../../scripts/e2e/browser.ts'
import { type Studio, type StudioOptions, studio } from '../src/index.ts'
import { EMAIL, REJECTED, supportModel } from './support-model.ts'

export const SCREENSHOTS: string = join(import.meta.dirname, '../screenshots')

const noPromises: Processor = {
  id: 'no-promises',
  processOutputStep: ({ text, abort }) =>
    /guarantee/i.test(text) ? abort(REJECTED, { retry: true }) : undefined,
}

const order = tool({
  description: 'Looks an order up',
  inputSchema: z.object({ number: z.string() }),
  execute: ({ number }) => ({ number, state: 'sent', to: EMAIL }),
})

/** A client tool: a person provides its output. */
const askPerson = tool({
  description: 'Asks a person',
  inputSchema: z.object({ question: z.string() }),
})

/** A tool that suspends during its execution. */
const parcel = tool({
  description: 'Sends a parcel',
  inputSchema: z.object({ number: z.string() }),
  execute: ({ number }, { resumeData }) => {
    if (resumeData === undefined) throw new Suspend({ question: `To which address does ${number} go?` })
    return `Sent to ${JSON.stringify(resumeData)}.`
  },
})

export interface SupportOptions {
  storage: Store
  /** The model waits here in the middle of a story. */
  gate?: Gate | undefined
  /** Called while `refund` runs. */
  whilePaying?: () => unknown
}

/** A shop's agent with guards. */
export function supportAgent({ storage, gate, whilePaying }: SupportOptions): {
  support: Agent
  warehouse: Agent
} {
  const refund = tool({
    description: 'Pays money back',
    inputSchema: z.object({ number: z.string(), amount: z.number() }),
    needsApproval: true,
    execute: async ({ amount }) => {
      await whilePaying?.()
      return `Paid ${amount} back.`
    },
  })
  const warehouse = new Agent({ name: 'warehouse', model: supportModel(), processors: [new PIIDetector()] })
  const support = new Agent({
    name: 'support',
    instructions: 'You work for a mail-order shop. Answer briefly.',
    model: supportModel(gate && { gate }),
    tools: {
      order,
      refund,
      askPerson,
      parcel,
      warehouse: warehouse.asTool({ description: 'Asks the warehouse' }),
    },
    processors: [
      new PIIDetector({ redaction: 'type' }),
      new SecretDetector({ redaction: 'type' }),
      new PromptInjectionDetector(),
      noPromises,
    ],
    storage,
  })
  return { support, warehouse }
}

export interface SceneOptions extends BrowserContextOptions {
  /** The model waits here in the middle of a story. */
  gate?: Gate
  /** Default: a new one. */
  storage?: Store
  studio?: Partial<StudioOptions>
}

export interface Scene {
  support: Agent
  trace: Studio
  /** Closes the studio before the end of the test. */
  close: () => Promise<void>
  context: BrowserContext
  page: Page
  /** Opens a path of the page. */
  open: (path: string) => Promise<void>
  /** Runs the agent, and returns the id of the run. */
  ask: (question: string) => Promise<string>
}

/** Creates an agent with guards and its studio, and opens the page. */
export async function openStudio({
  gate,
  storage = new InMemoryStore(),
  studio: options,
  ...browserOptions
}: SceneOptions = {}): Promise<Scene> {
  const { support, warehouse } = supportAgent({ storage, gate })
  const trace = studio({
    agents: { support, warehouse },
    file: false,
    models: { other: supportModel({ modelId: 'other-model' }) },
    processorSets: { none: [] },
    prices: { models: { 'shop-model': { input: 0.25, output: 2 } } },
    ...options,
  })
  const link = await trace.link()
  if (link === undefined) throw new Error('Studio has no server.')
  let closed: Promise<void> | undefined
  const close = (): Promise<void> => (closed ??= trace.close())
  const context = await newContext(browserOptions)
  const page = await context.newPage()
  const faults = faultsOf(page)
  onTestFinished(async ({ task }) => {
    if (task.result?.state === 'fail') {
      await saveScreenshot(page, SCREENSHOTS, `failed-${task.name.replace(/\W+/g, '-').slice(0, 80)}`)
    }
    gate?.open()
    await context.close()
    await close()
    expect(faults).toEqual([])
  })
  await page.goto(link)
  await page.getByRole('status').filter({ hasText: 'Live' }).waitFor()
  return {
    support,
    trace,
    close,
    context,
    page,
    open: async (path) => void (await page.goto(new URL(path, link).href)),
    ask: async (question) => {
      const { runId } = await support.generate(question, { threadId: 'thread', resourceId: 'ada' })
      await trace.flush()
      return runId
    },
  }
}
