import { Agent, type LanguageModelV4, type Processor, tool } from '@millrace/core'
import { z } from 'zod'
import type { Way } from './guards.ts'

type StreamPart =
  Awaited<ReturnType<LanguageModelV4['doStream']>>['stream'] extends ReadableStream<infer PART> ? PART : never

/** How much text a model sends at once, in UTF-16 units. */
const DELTA = 8

/** Parts that arrive from the network together. */
const AT_ONCE = 64

/** A run in which a text passes a processor, and the part of its cost that is not the processor's. */
export class MeasuredRun {
  readonly #agent: Agent
  readonly #bare: Agent
  readonly #answers: StreamPart[][] = []
  readonly #way: Way
  #text = ''

  constructor(processor: Processor, way: Way) {
    const look = tool({
      inputSchema: z.object({ query: z.string() }),
      execute: () => ({ page: this.#text }),
    })
    const settings = { model: this.#model(), tools: { look } }
    this.#agent = new Agent({ ...settings, processors: [processor] }) as Agent
    this.#bare = new Agent(settings) as Agent
    this.#way = way
  }

  /** The CPU time of the processor, in milliseconds. */
  async cost(text: string): Promise<number> {
    const whole = await this.#cpuOf(this.#agent, text)
    return Math.max(0, whole - (await this.#cpuOf(this.#bare, text)))
  }

  /** The longest time without a turn of the event loop, in milliseconds: with the processor, and without. */
  async longestBlock(text: string): Promise<{ own: number; bare: number }> {
    return {
      own: await longestBlock(() => this.#play(this.#agent, text)),
      bare: await longestBlock(() => this.#play(this.#bare, text)),
    }
  }

  async run(text: string): Promise<void> {
    await this.#play(this.#agent, text)
  }

  async #cpuOf(agent: Agent, text: string): Promise<number> {
    const before = process.cpuUsage()
    await this.#play(agent, text)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  }

  async #play(agent: Agent, text: string): Promise<void> {
    this.#text = text
    const isSpoken = this.#way === 'stream' || this.#way === 'chunk'
    const answer = isSpoken ? deltas(text, this.#way === 'chunk' ? text.length : DELTA) : deltas('ok', 2)
    this.#answers.push(...(this.#way === 'tool' ? [call({ query: text })] : []), said(answer))
    const output = agent.stream(this.#way === 'input' ? text : 'Hi')
    for await (const _ of output.fullStream) {
      // Reads the stream as fast as it arrives.
    }
    const { status } = await output.result
    this.#answers.length = 0
    if (status !== 'completed') throw new Error(`The run is ${status}.`)
  }

  #model(): LanguageModelV4 {
    return {
      specificationVersion: 'v4',
      provider: 'inline',
      modelId: 'inline',
      supportedUrls: {},
      doGenerate: () => Promise.reject(new Error('The agent streams.')),
      doStream: async () => {
        const parts = this.#answers.shift() ?? []
        let position = 0
        const stream = new ReadableStream<StreamPart>(
          {
            async pull(controller) {
              if (position % AT_ONCE === AT_ONCE - 1) await turn()
              const part = parts[position++]
              if (part) controller.enqueue(part)
              else controller.close()
            },
          },
          { highWaterMark: 16 },
        )
        return { stream }
      },
    }
  }
}

/** The longest time between two turns of the event loop during the work, in milliseconds of CPU time. */
async function longestBlock(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let last = process.cpuUsage()
  const note = (): void => {
    const { user, system } = process.cpuUsage(last)
    longest = Math.max(longest, (user + system) / 1_000)
    last = process.cpuUsage()
  }
  let isOn = true
  const watching = (async () => {
    for (; isOn; note()) await turn()
  })()
  await work()
  isOn = false
  await watching
  return longest
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function deltas(text: string, length: number): StreamPart[] {
  const parts: StreamPart[] = [{ type: 'text-start', id: 't' }]
  for (let start = 0; start < text.length; start += length) {
    parts.push({ type: 'text-delta', id: 't', delta: text.slice(start, start + length) })
  }
  return [...parts, { type: 'text-end', id: 't' }]
}

function said(parts: readonly StreamPart[]): StreamPart[] {
  return [{ type: 'stream-start', warnings: [] }, ...parts, finish('stop')]
}

function call(input: unknown): StreamPart[] {
  return said([
    { type: 'tool-call', toolCallId: 'call', toolName: 'look', input: JSON.stringify(input) },
  ]).with(-1, finish('tool-calls'))
}

function finish(unified: 'stop' | 'tool-calls'): StreamPart {
  return {
    type: 'finish',
    finishReason: { unified, raw: undefined },
    usage: {
      inputTokens: { total: 1, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: 1, text: undefined, reasoning: undefined },
    },
  }
}
