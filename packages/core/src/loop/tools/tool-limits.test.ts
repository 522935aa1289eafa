import { setImmediate as turn } from 'node:timers/promises'
import { apiError, collect, ScriptedModel, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { WAYS } from '../../../test/ways.ts'
import { Agent } from '../../agent/agent.ts'
import type { AgentOptions, Timeout } from '../../agent/agent-options.ts'
import type { RunResult } from '../../results/result.ts'
import { Suspend } from '../../signals.ts'
import { type Tool, type ToolExecutionOptions, tool } from '../../tools/tool.ts'

expect.extend(matchers)

const anything = z.object({}).loose()

function agentWith(work: Tool, options: Partial<AgentOptions> = {}): { agent: Agent; model: ScriptedModel } {
  const model = new ScriptedModel([toolCall('work', { id: 1 }), 'Done.'])
  return { agent: new Agent({ model, tools: { work }, ...options }), model }
}

function answerOf({ steps }: RunResult) {
  return steps[0]?.toolResults[0]
}

async function settle(): Promise<void> {
  for (let count = 0; count < 5; count++) await turn()
}

describe.each(WAYS)('a tool timeout, in %s', (_, run) => {
  test.each([
    ['toolMs', { toolMs: 2 }],
    ['its own limit, which goes first', { toolMs: 3_600_000, tools: { work: 2 } }],
  ])(
    'stops a tool that ignores its signal, by %s: the model sees why, the late result goes nowhere',
    async (_, timeout) => {
      const late = Promise.withResolvers<string>()
      const seen: unknown[] = []
      let signal: AbortSignal | undefined
      const work = tool({
        inputSchema: anything,
        execute: (_, options) => {
          signal = options.abortSignal
          return late.promise
        },
      })
      const { agent, model } = agentWith(work, {
        processors: [
          { id: 'reader', processToolResult: ({ output, error }) => void seen.push(output ?? error) },
        ],
      })
      const { result, chunks } = await run(agent, { timeout })
      late.resolve('late')
      await settle()
      const error = "The tool 'work' took longer than 2 ms and was stopped."
      expect(result).toHaveText('Done.')
      expect(answerOf(result)).toMatchObject({ status: 'error', error })
      expect(JSON.stringify(model.lastPrompt)).toContain(error)
      expect(seen).toEqual([error])
      expect(signal?.reason).toMatchObject({ code: 'TOOL_TIMEOUT' })
      expect(JSON.stringify([result, chunks])).not.toContain('late')
    },
  )

  test('does not apply to the other tools, and does not change how they run', async () => {
    const signals: AbortSignal[] = []
    const work = tool({
      inputSchema: anything,
      execute: (_, { abortSignal }) => {
        signals.push(abortSignal)
        return 'fine'
      },
    })
    const { result } = await run(agentWith(work).agent, { timeout: { tools: { other: 1 } } })
    expect(answerOf(result)).toMatchObject({ status: 'success', output: 'fine' })
    expect(signals[0]?.aborted).toBe(false)
  })

  test('ends a streaming tool, and drops its outputs from the result', async () => {
    let closed = false
    const work = tool({
      inputSchema: anything,
      async *execute(_, { abortSignal }) {
        try {
          yield 'half'
          await new Promise((resolve) => abortSignal.addEventListener('abort', resolve))
          yield 'late'
        } finally {
          closed = true
        }
      },
    })
    const { result, chunks } = await run(agentWith(work).agent, { timeout: { toolMs: 2 } })
    await settle()
    expect(answerOf(result)).toMatchObject({ status: 'error' })
    expect(closed).toBe(true)
    expect(JSON.stringify([result, chunks])).not.toContain('late')
  })

  test('does not count the time of processors and the reader between two values', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    let clock = 0
    const work = tool({
      inputSchema: anything,
      async *execute() {
        yield 1
        yield 2
      },
    })
    const { agent } = agentWith(work, {
      processors: [
        {
          id: 'slow',
          // Longer than the limit, and not the tool's.
          processToolResult: async () => {
            clock++
            await vi.advanceTimersByTimeAsync(550)
          },
        },
      ],
    })
    const { result } = await run(agent, { timeout: { toolMs: 500 } })
    expect(answerOf(result)).toMatchObject({ status: 'success', output: 2 })
    expect(clock).toBe(3)
  })
})

test('a tool that the run no longer waits for leaves no timer', async () => {
  const controller = new AbortController()
  const started = Promise.withResolvers<void>()
  const work = tool({
    inputSchema: anything,
    execute: () => {
      started.resolve()
      return new Promise<never>(() => {})
    },
  })
  const before = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const running = agentWith(work).agent.generate('Go.', {
    abortSignal: controller.signal,
    timeout: { toolMs: 3_600_000 },
  })
  await started.promise
  controller.abort('enough')
  expect(await running).toMatchObject({ status: 'aborted', abortReason: 'enough' })
  expect(process.getActiveResourcesInfo().filter((name) => name === 'Timeout')).toHaveLength(before)
})

/** Fails as often as it is told, with errors that may be tried again at once, and then works. */
function flaky(failures: number, options: Partial<Tool> = {}) {
  const given: ToolExecutionOptions[] = []
  const inputs: unknown[] = []
  const work: Tool = tool({
    inputSchema: z.object({ id: z.number() }),
    retryable: () => true,
    ...options,
    execute(input: { id: number }, execution) {
      given.push(execution)
      inputs.push({ ...input })
      input.id = -1
      if (given.length <= failures) {
        throw apiError({ status: 503, message: `Failure ${given.length}.`, retryAfterMs: 0 })
      }
      return `worked at ${given.length}`
    },
  })
  return { work, given, inputs }
}

describe.each(WAYS)('retries of a tool, in %s', (_, run) => {
  test('follow errors that it declares retryable, with the same input each time, and are counted', async () => {
    const { work, given, inputs } = flaky(2)
    const { agent } = agentWith(work)
    const events: unknown[] = []
    agent.on('tool-finish', ({ status, retries }) => events.push({ status, retries }))
    const { result } = await run(agent)
    await agent.close()
    expect(answerOf(result)).toMatchObject({ status: 'success', output: 'worked at 3', retries: 2 })
    expect(given).toHaveLength(3)
    expect(inputs).toEqual([{ id: 1 }, { id: 1 }, { id: 1 }])
    expect(events).toEqual([{ status: 'success', retries: 2 }])
  })

  test('end after maxRetries: the model sees the last error, once', async () => {
    const { work, given } = flaky(9, { maxRetries: 1 })
    const { agent, model } = agentWith(work)
    const { result } = await run(agent)
    expect(given).toHaveLength(2)
    expect(answerOf(result)).toMatchObject({ status: 'error', error: 'Failure 2.', retries: 1 })
    const prompt = JSON.stringify(model.lastPrompt)
    expect(prompt).toContain('Failure 2.')
    expect(prompt).not.toContain('Failure 1.')
  })

  test.each<[string, Partial<Tool>]>([
    ['are none without retryable', { retryable: undefined as never }],
    ['are none for an error that is not retryable', { retryable: (error) => /9/.test(String(error)) }],
    ['are none where retryable itself fails', { retryable: () => JSON.parse('{') }],
    ['are none where retryable answers with something else than true', { retryable: (() => 'yes') as never }],
    ['are none with maxRetries: 0', { maxRetries: 0 }],
  ])('%s', async (_, options) => {
    const { work, given } = flaky(9, options)
    const { result } = await run(agentWith(work).agent)
    expect(given).toHaveLength(1)
    expect(answerOf(result)).toMatchObject({ status: 'error', error: 'Failure 1.' })
    expect(answerOf(result)).not.toHaveProperty('retries')
  })

  test('can follow a timeout: each attempt has its full duration, and its own signal', async () => {
    const signals: AbortSignal[] = []
    const errors: unknown[] = []
    const work = tool({
      inputSchema: anything,
      maxRetries: 1,
      retryable: (error) => {
        errors.push(error)
        return true
      },
      execute: (_, { abortSignal }) => {
        signals.push(abortSignal)
        return signals.length === 1 ? new Promise<never>(() => {}) : `aborted: ${abortSignal.aborted}`
      },
    })
    const { result } = await run(agentWith(work).agent, { timeout: { toolMs: 2 } })
    expect(answerOf(result)).toMatchObject({ status: 'success', output: 'aborted: false', retries: 1 })
    expect(errors).toMatchObject([{ code: 'TOOL_TIMEOUT' }])
    expect(signals[0]).not.toBe(signals[1])
  })

  test('show only the preliminary results of an attempt that failed', async () => {
    let attempts = 0
    const work = tool({
      inputSchema: anything,
      retryable: () => true,
      async *execute() {
        attempts++
        yield `attempt ${attempts}`
        if (attempts === 1) throw apiError({ status: 503, retryAfterMs: 0 })
        yield 'whole'
      },
    })
    const { result } = await run(agentWith(work).agent)
    expect(answerOf(result)).toMatchObject({ output: 'whole', retries: 1 })
    expect(JSON.stringify(result.messages)).not.toContain('attempt 1')
  })

  test('end with the run: an abort ends the wait, and the tool is not called again', async () => {
    const controller = new AbortController()
    let attempts = 0
    const work = tool({
      inputSchema: anything,
      retryable: () => {
        queueMicrotask(() => controller.abort('enough'))
        return true
      },
      execute: () => {
        attempts++
        throw new Error('Fails.')
      },
    })
    const { result } = await run(agentWith(work).agent, { abortSignal: controller.signal })
    expect(result).toMatchObject({ status: 'aborted', abortReason: 'enough' })
    await settle()
    expect(attempts).toBe(1)
  })
})

describe('a call that suspends between its attempts', () => {
  test('keeps its count, and is resumed with the remaining retries', async () => {
    const seen: unknown[] = []
    let attempts = 0
    const work = tool({
      inputSchema: anything,
      maxRetries: 2,
      retryable: () => true,
      execute: (_, { resumeData, suspendPayload }): string => {
        attempts++
        seen.push([resumeData, suspendPayload])
        if (attempts === 2) throw new Suspend({ question: 'Go on?' })
        throw apiError({ status: 503, message: `Failure ${attempts}.`, retryAfterMs: 0 })
      },
    })
    const { agent } = agentWith(work)
    const { suspension } = await agent.generate('Go.')
    expect(suspension?.payload).toEqual({ question: 'Go on?' })
    const result = (await suspension?.resume('yes')) as RunResult
    expect(answerOf(result)).toMatchObject({ status: 'error', error: 'Failure 4.', retries: 2 })
    const resumed = ['yes', { question: 'Go on?' }]
    expect(seen).toEqual([[undefined, undefined], [undefined, undefined], resumed, resumed])
  })

  test('has its timeout in the resumed run too', async () => {
    const work = tool({
      inputSchema: anything,
      execute: (_, { resumeData }): Promise<string> => {
        if (resumeData === undefined) throw new Suspend('Go on?')
        return new Promise<never>(() => {})
      },
    })
    const { agent } = agentWith(work)
    const { suspension, runId } = await agent.generate('Go.', { timeout: { toolMs: 2 } })
    expect(suspension?.runId).toBe(runId)
    const resumed = agent.resume(runId, 'yes', { timeout: { tools: { work: 2 } } })
    const chunks = await collect(resumed.fullStream)
    expect(chunks).toContainEqual(expect.objectContaining({ type: 'tool-error' }))
    expect(answerOf(await resumed.result)).toMatchObject({ status: 'error' })
  })

  test('can be resumed from a snapshot without retries', async () => {
    const work = tool({
      inputSchema: anything,
      execute: (_, { resumeData }): string => {
        if (resumeData === undefined) throw new Suspend('Go on?')
        return 'fine'
      },
    })
    const { InMemoryRunStore } = await import('../../storage/in-memory-run-store.ts')
    const storage = new InMemoryRunStore()
    const { agent } = agentWith(work, { storage })
    const { runId } = await agent.generate('Go.')
    const found = await storage.getRun(runId, {})
    if (found?.state !== 'suspended') throw new Error('The run is not suspended.')
    const snapshot = JSON.parse(found.run.snapshot)
    for (const step of [...snapshot.steps, snapshot.current]) {
      delete step.toolRetries
      delete step.agents
    }
    await storage.releaseRun(runId)
    await storage.saveRun({ ...found.run, runId: 'older', snapshot: JSON.stringify(snapshot) })
    expect(answerOf(await agent.resume('older', 'yes'))).toMatchObject({ output: 'fine' })
  })
})

test('whatever fails, each call has one result, and as many attempts as it may have', async () => {
  const scenario = fc.array(
    fc.record({ failures: fc.nat({ max: 4 }), maxRetries: fc.nat({ max: 3 }), hangs: fc.boolean() }),
    { minLength: 1, maxLength: 4 },
  )
  await fc.assert(
    fc.asyncProperty(scenario, async (calls) => {
      const attempts = calls.map(() => 0)
      const tools = Object.fromEntries(
        calls.map(({ failures, maxRetries, hangs }, index) => [
          `work-${index}`,
          tool({
            inputSchema: anything,
            maxRetries,
            retryable: () => true,
            execute: () => {
              attempts[index] = (attempts[index] ?? 0) + 1
              if ((attempts[index] ?? 0) > failures) return 'fine'
              if (!hangs) throw apiError({ status: 503, message: 'Failed.', retryAfterMs: 0 })
              return new Promise<never>((_, reject) => {
                setTimeout(reject, 4, apiError({ status: 503, message: 'Failed late.', retryAfterMs: 0 }))
              })
            },
          }),
        ]),
      )
      const model = new ScriptedModel([Object.keys(tools).map((name) => toolCall(name)), 'Done.'])
      const result = await new Agent({ model, tools }).generate('Go.', { timeout: { toolMs: 60_000 } })
      expect(result.steps[0]?.toolResults).toHaveLength(calls.length)
      for (const [index, { failures, maxRetries }] of calls.entries()) {
        const expected = failures > maxRetries ? 'error' : 'success'
        expect(result.steps[0]?.toolResults[index]?.status).toBe(expected)
        expect(attempts[index]).toBe(Math.min(failures, maxRetries) + 1)
        expect(result.steps[0]?.toolResults[index]?.retries ?? 0).toBe(Math.min(failures, maxRetries))
      }
    }),
    { numRuns: 40 },
  )
})

describe('invalid options are refused', () => {
  test.each<[Timeout, string]>([
    [{ toolMs: 0 }, 'timeout.toolMs is 0'],
    [{ tools: { work: -1 } }, 'timeout.tools.work is -1'],
    [{ tools: 5 as never }, 'timeout.tools is of type number'],
    [{ toolsMs: 5 } as never, "no option 'timeout.toolsMs'. Did you mean 'timeout.toolMs'?"],
  ])('%j', async (timeout, message) => {
    const { agent } = agentWith(flaky(0).work)
    await expect(agent.generate('Go.', { timeout })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(message),
    })
  })

  test.each<[Partial<Tool>, string]>([
    [{ maxRetries: -1 }, 'tools.work.maxRetries is -1'],
    [{ maxRetries: 2, retryable: undefined as never }, "The tool 'work' has maxRetries but no retryable."],
  ])('%o', (options, message) => {
    expect(() => agentWith(flaky(0, options).work)).toThrow(message)
  })
})
