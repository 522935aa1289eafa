// A run whose store fails at one of its writes, and what must hold of it afterwards: the same in every store that lasts.
import { Agent, isToolPart, type RunResult, type Store, type Tool } from '@millrace/core'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { expect } from 'vitest'
import { z } from 'zod'

const owner = { resourceId: 'ada' }

/** Milliseconds. A run of a store that fails is left at once, or when its lease has lapsed. */
const LEASE = 20

/** Asks before it pays twice, side by side. */
function payingAgent(storage: Store, executed: string[]): Agent {
  const pay: Tool = {
    inputSchema: z.object({}).loose(),
    needsApproval: true,
    execute: (_input, { toolCallId }) => {
      executed.push(toolCallId)
      return 'receipt '.repeat(100)
    },
  }
  const model = new ScriptedModel(({ prompt }) =>
    prompt.some(({ role }) => role === 'tool')
      ? 'Paid.'
      : ['one', 'two'].map((id) => toolCall('pay', {}, { id })),
  )
  return new Agent({ model, storage, tools: { pay }, runLease: LEASE, checkpoint: 'step' })
}

/** A run to its end, as far as its store lets it. */
export interface Payment {
  executed: string[]
  /** `undefined`: the run failed. */
  result: RunResult | undefined
}

export async function pay(store: Store): Promise<Payment> {
  const executed: string[] = []
  const agent = payingAgent(store, executed)
  try {
    const waiting = await agent.generate('Pay', owner)
    return { executed, result: await agent.resume(waiting.runId, { approved: true }, owner) }
  } catch {
    return { executed, result: undefined }
  }
}

/**
 * Continues what a payment has left open, in a store that works, and says of calls that may have been executed whether they
 * were. No call was executed twice then, or lost, and every one has its output. Returns how many runs came to their end.
 */
export async function expectSettled(store: Store, { executed, result }: Payment): Promise<number> {
  const results = await settle(store, executed)
  expect(new Set(executed).size, 'a call was executed twice').toBe(executed.length)
  if (executed.length > 0) expect(executed.toSorted(), 'a call was lost').toEqual(['one', 'two'])
  const completed = [result, ...results].filter((one) => one?.status === 'completed')
  for (const { messages } of completed as RunResult[]) {
    const calls = messages.flatMap(({ content }) => content.parts.filter(isToolPart))
    expect(calls.map(({ state }) => state)).toEqual(['output-available', 'output-available'])
  }
  expect(await store.listRuns(owner)).toEqual([])
  return results.filter(({ status }) => status === 'completed').length
}

async function settle(store: Store, executed: string[]): Promise<RunResult[]> {
  const agent = payingAgent(store, executed)
  const results: RunResult[] = []
  let until = performance.now() + 4 * LEASE
  while (performance.now() < until) {
    const [run] = await agent.suspendedRuns(owner)
    if (!run) await new Promise((resolve) => setTimeout(resolve, LEASE / 4))
    else {
      results.push(
        await agent.resume(run.runId, run.interrupted ? undefined : answerTo(run.payload, executed), owner),
      )
      until = performance.now() + 4 * LEASE
    }
  }
  return results
}

function answerTo(payload: unknown, executed: readonly string[]): unknown {
  const { type, toolCalls = [] } = (payload ?? {}) as { type?: string; toolCalls?: { toolCallId: string }[] }
  if (type === 'tool-approval') return { approved: true }
  return Object.fromEntries(
    toolCalls.map(({ toolCallId }) => [
      toolCallId,
      executed.includes(toolCallId) ? { output: 'paid' } : { retry: true },
    ]),
  )
}

/** A store of which one call of its driver fails. */
export interface FailingStore {
  store: Store
  /** How many calls there were. */
  count: () => number
  close: () => Promise<void> | void
}

/**
 * Lets the call of the driver fail that comes first, then the second, and so on, up to the end of the run. Some of them,
 * unless `MILLRACE_THOROUGH` is 1.
 *
 * @param options.healthy The same database, where nothing fails.
 * @param options.isStored Whether a run that failed at this call had been stored before, so that it must come to its end.
 */
export async function failEverywhere(options: {
  open: (at: number) => FailingStore
  healthy: Store
  every?: number
  isStored?: (at: number) => boolean
}): Promise<void> {
  const { open, healthy, every = 1, isStored = () => false } = options
  const step = process.env.MILLRACE_THOROUGH === '1' ? 1 : every
  for (let at = 1; ; at += step) {
    const { store, count, close } = open(at)
    const payment = await pay(store)
    const calls = count()
    const completed = await expectSettled(healthy, payment)
    if (!payment.result && isStored(at)) expect(completed, `failed at call ${at}`).toBeGreaterThan(0)
    await close()
    // Beyond the last.
    if (calls < at) break
    expect(at, 'the run comes to no end').toBeLessThan(500)
  }
}
