// One run that pays, in a process that can be calmed, and the search for the payment afterwards.
import {
  Agent,
  isToolPart,
  type Message,
  type Processor,
  type RunOptions,
  type RunResult,
  type Store,
  type ToolSet,
  tool,
} from '@millrace/core'
import { InMemoryStore } from '@millrace/core/storage'
import { ScriptedModel, type TurnContent, toolCall } from '@millrace/testing'
import { expect, vi } from 'vitest'
import { z } from 'zod'
import { Memory } from '../../src/index.ts'

export const place = { threadId: 'thread-1', resourceId: 'ada' }
const LEASE = 30_000

/** The call that pays. A turn that contains it may have others. */
export const PAY = toolCall('pay', {}, { id: 'pay-1' })

export type Persist = 'turn' | 'step'
export const MODES = ['generate', 'stream', 'approved', 'approved stream'] as const
export type Mode = (typeof MODES)[number]

/** How a run is made to end. Whatever it does, it does after the payment, and only until the till is calm. */
export interface Way {
  /** The model's answer with the call. Default: the call alone. */
  first?: TurnContent
  /** The model's answer after the payment. Default: `Done.` */
  after?: (till: Till) => TurnContent | PromiseLike<TurnContent>
  agent?: (till: Till) => Partial<ConstructorParameters<typeof Agent>[0]>
  tools?: (till: Till) => ToolSet
  processor?: (till: Till) => Omit<Processor, 'id'>
  call?: (till: Till) => RunOptions
  /** Whether the reader leaves once it has seen the payment. Only for streams. */
  leaves?: boolean
  /** The status of the result, or the code of the error. */
  ends: string
}

/** Where payments are made and looked for. */
export class Till {
  readonly executed: string[] = []
  readonly storage: Store
  readonly stop = new AbortController()
  /** How often the way has asked for another attempt. */
  retries = 0
  readonly #way: Way
  readonly #persist: Persist
  /** Set when the run has ended: from then on nothing fails. */
  isCalm = false

  constructor(way: Way, { persist, storage = new InMemoryStore() }: { persist: Persist; storage?: Store }) {
    this.#way = way
    this.#persist = persist
    this.storage = storage
  }

  /** Whether the way acts now: after the payment, in the run that is made to end. */
  get acts(): boolean {
    return !this.isCalm && this.executed.length > 0
  }

  get memory(): Memory {
    return new Memory({ storage: this.storage, persist: this.#persist })
  }

  agent(needsApproval: boolean): Agent {
    const { first = PAY, after = () => 'Done.', agent, tools, processor } = this.#way
    const model = new ScriptedModel(({ prompt }) => {
      if (!prompt.some(({ role }) => role === 'tool')) return first
      return this.isCalm ? '{"a":1}' : after(this)
    })
    const pay = tool({
      inputSchema: z.object({}),
      needsApproval,
      execute: (_, { idempotencyKey }) => {
        this.executed.push(idempotencyKey)
        return 'receipt 7'
      },
    })
    return new Agent({
      model,
      memory: this.memory,
      runLease: LEASE,
      tools: { pay, ...tools?.(this) },
      ...(processor && { processors: [{ id: 'way', ...processor(this) } as Processor] }),
      ...agent?.(this),
    })
  }

  /** Runs until the way has ended the run. Returns its status, or the code of its error. */
  async run(mode: Mode): Promise<string> {
    const isApproved = mode.startsWith('approved')
    const agent = this.agent(isApproved)
    const options: RunOptions = { ...place, ...this.#way.call?.(this) }
    try {
      let run = isApproved ? undefined : agent.stream('Pay, please.', options)
      if (isApproved) {
        const waiting = await agent.generate('Pay, please.', place)
        if (waiting.status !== 'suspended') return waiting.status
        const resumed = agent.resume(waiting.runId, { approved: true }, options)
        if (mode === 'approved') return (await resumed).status
        run = resumed as never
      }
      if (mode === 'generate') return (await agent.generate('Pay, please.', options)).status
      const stream = run as ReturnType<Agent['stream']>
      for await (const chunk of stream.fullStream) {
        if (this.#way.leaves && chunk.type === 'tool-result') break
      }
      return (await stream.result).status
    } catch (error) {
      return (error as { code?: string }).code ?? String(error)
    } finally {
      await agent.close().catch(() => {})
      this.isCalm = true
    }
  }

  /** The payment in the thread. */
  async payments(): Promise<string[]> {
    const messages = await this.memory.getMessages(place)
    expect(new Set(messages.map(({ id }) => id)).size, 'a message is there twice').toBe(messages.length)
    if (messages.length > 0) expect(messages[0]?.role, 'the question comes first').toBe('user')
    return messages.flatMap(callsOf)
  }

  /** Looks for the payment in the thread and among the waiting runs, which it resumes. */
  async find({ needsApproval }: { needsApproval: boolean }): Promise<string[]> {
    const agent = this.agent(needsApproval)
    for (let attempt = 0; attempt < 4; attempt++) {
      const found = await this.payments()
      if (found.length > 0) return found
      const [waiting] = await agent.suspendedRuns(place)
      if (!waiting) {
        // The process that had the run may be gone.
        vi.setSystemTime(Date.now() + LEASE)
        continue
      }
      // A run that fails again leaves the payment in its thread.
      await resumeAll(agent, waiting.runId, waiting.interrupted ? undefined : waiting.payload).catch(() => {})
      await agent.close()
    }
    return this.payments()
  }
}

/** Resumes a run until it no longer waits. */
async function resumeAll(agent: Agent, runId: string, payload: unknown): Promise<void> {
  let result: RunResult = await agent.resume(runId, answerTo(payload), place)
  while (result.status === 'suspended') {
    result = await agent.resume(result.suspension.runId, answerTo(result.suspension.payload), place)
  }
}

function answerTo(payload: unknown): unknown {
  const { type } = (payload ?? {}) as { type?: string }
  if (type === 'tool-approval') return { approved: true }
  return type === 'tool-interrupted' ? { output: 'receipt 7' } : undefined
}

/** The calls that pay in a message, each with its stated outcome. */
function callsOf({ content }: Message): string[] {
  return content.parts.filter(isToolPart).flatMap((part) => {
    if (part.toolCallId !== 'pay-1') return []
    if (part.state === 'output-available') return [String(part.output)]
    return part.state === 'output-error' ? [part.errorText] : []
  })
}

/** Waits for work while all timers of the process run as fast as they can. */
export async function hurry<T>(work: Promise<T>): Promise<T> {
  let isOver = false
  const over = (): void => {
    isOver = true
  }
  work.then(over, over)
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve))
    await vi.advanceTimersByTimeAsync(20)
  }
  return work
}
