// A run whose store fails at one write, and what must hold afterwards in every persistent store.
import { Agent, isToolPart, type RunResult, type Store, type Tool } from '@millrace/core'
import { waitingCallsOf } from '@millrace/core/recording'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { expect } from 'vitest'
import { z } from 'zod'

const owner = { resourceId: 'ada' }

/** In milliseconds. A failed run can be continued immediately, or after its lease has expired. */
const LEASE = 20

/** Needs approval before it pays twice, in parallel. */
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

/** A run that goes as far as its store allows. */
export interface Payment {
  executed: string[]
  /** `undefined` if the run failed. */
  result: RunResult | undefined
}

export async function pay(store: Store): Promise<Payment> {
  const executed: string[] = []
  const agent = payingAgent(store, executed)
  try {
    const waiting = await agent.generate('Pay', owner)
    return { executed, result: await agent.resume(waiting.runId, { approved: true, all: true }, owner) }
  } catch {
    return { executed, result: undefined }
  }
}

/**
 * Continues the unfinished run of a payment in a working store, and reports the outcome of interrupted calls. Then every
 * call was executed exactly once and has its output. Returns how many runs completed.
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
  const answers = waitingCallsOf(payload).map(({ toolCallId, waitsFor }) => [
    toolCallId,
    waitsFor === 'approval'
      ? { approved: true }
      : executed.includes(toolCallId)
        ? { output: 'paid' }
        : { retry: true },
  ])
  return Object.fromEntries(answers)
}

/** A store whose driver fails at one call. */
export interface FailingStore {
  store: Store
  /** The number of driver calls. */
  count: () => number
  close: () => Promise<void> | void
}

/**
 * Fails the first driver call of a run, then the second, and so on until the end of the run. Only some of them, unless
 * `MILLRACE_THOROUGH` is 1.
 *
 * @param options.healthy A working store on the same database.
 * @param options.isStored Whether a run that failed at this call was stored before, so that it must complete.
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
    // All calls have failed once.
    if (calls < at) break
    expect(at, 'the run does not end').toBeLessThan(500)
  }
}
