import { setImmediate as turn } from 'node:timers/promises'
import { collect, fail, gate, ScriptedModel, text, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { WAYS } from '../../test/ways.ts'
import type { Processor } from '../processors/processor.ts'
import type { Chunk } from '../results/chunk.ts'
import type { UIMessageChunk } from '../results/ui-message-chunk.ts'
import { InMemoryRunStore } from '../storage/in-memory-run-store.ts'
import type { AgentProgress } from '../tools/agent-progress.ts'
import { tool } from '../tools/tool.ts'
import { Agent } from './agent.ts'
import type { AgentOptions } from './agent-options.ts'

expect.extend(matchers)

const look = tool({ inputSchema: z.object({}).loose(), execute: () => 'rain, and the key is s3cret' })

/** Looks something up, and then answers. */
function researcher(options: Partial<AgentOptions> = {}): Agent {
  return new Agent({
    name: 'researcher',
    model: new ScriptedModel([
      ['Let me look. ', toolCall('look', { at: 'the sky' })],
      'It will rain in Oslo.',
    ]),
    tools: { look },
    ...options,
  })
}

function editor(research: Agent, options: Partial<AgentOptions> = {}): Agent {
  const model = new ScriptedModel([toolCall('research', { prompt: 'How is the weather?' }), 'It rains.'])
  return new Agent({ name: 'editor', model, tools: { research: research.asTool() }, ...options })
}

function preliminary(chunks: readonly Chunk[]): AgentProgress[] {
  return chunks.flatMap((chunk) =>
    chunk.type === 'tool-result' && chunk.preliminary ? [chunk.output as AgentProgress] : [],
  )
}

const STEPS = [
  {
    text: 'Let me look. ',
    toolCalls: [{ toolCallId: 'call-1', toolName: 'look', status: 'success' }],
  },
  {
    text: 'It will rain in Oslo.',
    toolCalls: [],
  },
]

describe.each(WAYS)('an agent as a tool, in %s', (_, run) => {
  test('shows its steps in those of the outer run, and counts once', async () => {
    const { result } = await run(editor(researcher()))
    const [answer] = result.steps[0]?.toolResults ?? []
    expect(answer).toMatchObject({ status: 'success', output: 'It will rain in Oslo.' })
    expect(answer?.agent).toEqual({
      type: 'agent-progress',
      agentName: 'researcher',
      runId: expect.any(String),
      status: 'completed',
      steps: STEPS,
    })
    expect(result.usage.totalTokens).toBe(60)
    expect(result).toHaveText('It rains.')
    expect(JSON.stringify(result)).not.toContain('s3cret')
  })

  test('shows the steps as its own processors left them', async () => {
    const redact: Processor = {
      id: 'redact',
      processOutputResult: ({ messages }) => {
        for (const { content } of messages)
          for (const part of content.parts) if (part.type === 'text') part.text = '[redacted]'
      },
    }
    const { result } = await run(editor(researcher({ processors: [redact] })))
    expect(result.steps[0]?.toolResults[0]?.agent?.steps.map(({ text }) => text)).toEqual([
      '[redacted]',
      '[redacted]',
    ])
  })

  test('reports its steps before a failure, and nothing of a discarded attempt', async () => {
    const model = new ScriptedModel([
      ['Let me look. ', toolCall('look')],
      'Wrong. ',
      ['Half an ans', fail(new Error('Reset.'))],
    ])
    let rejected = 0
    const strict: Processor = {
      id: 'strict',
      processOutputStep: ({ text, abort }) => {
        if (text.includes('Wrong') && rejected++ === 0) abort('No.', { retry: true })
      },
    }
    const { result, chunks } = await run(editor(researcher({ model, processors: [strict] })))
    const [answer] = result.steps[0]?.toolResults ?? []
    expect(answer).toMatchObject({
      status: 'error',
      agent: { status: 'failed', steps: [{ text: 'Let me look. ' }] },
    })
    expect(answer?.agent?.steps).toHaveLength(1)
    expect(JSON.stringify(result.messages)).not.toContain('Wrong')
    if (chunks.length === 0) return
    const texts = preliminary(chunks).map(({ steps }) => steps.map(({ text }) => text).join('|'))
    expect(texts.findLastIndex((text) => text.includes('Wrong'))).toBeLessThan(texts.length - 1)
  })

  test('nests: an agent within an agent shows its steps too', async () => {
    const inner = researcher()
    const model = new ScriptedModel([toolCall('ask', { prompt: 'How?' }), 'They say rain.'])
    const middle = new Agent({ name: 'middle', model, tools: { ask: inner.asTool() } })
    const { result } = await run(editor(middle))
    expect(result.steps[0]?.toolResults[0]?.agent).toMatchObject({
      agentName: 'middle',
      steps: [
        { toolCalls: [{ toolName: 'ask', agent: { agentName: 'researcher', steps: STEPS } }] },
        { text: 'They say rain.' },
      ],
    })
    expect(result.usage.totalTokens).toBe(90)
  })

  test('is aborted when it times out, and reports nothing afterwards', async () => {
    const late = gate()
    const model = new ScriptedModel([['Wait. ', late, 'late text']])
    const { result, chunks } = await run(editor(researcher({ model })), { timeout: { toolMs: 30 } })
    late.open()
    for (let count = 0; count < 5; count++) await turn()
    expect(result.steps[0]?.toolResults).toMatchObject([
      { status: 'error', agent: { status: 'aborted', steps: [{ text: 'Wait. ' }] } },
    ])
    expect(model.lastStream?.outcome).toBe('aborted')
    expect(JSON.stringify([result, chunks])).not.toContain('late text')
  })
})

describe('the guards of the outer run', () => {
  const secret = /Oslo/g
  const redacted = (value: unknown) => JSON.parse(JSON.stringify(value).replace(secret, 'XXXX'))

  const guards: [string, Processor][] = [
    [
      'processToolResult',
      { id: 'guard', processToolResult: ({ output }) => (output ? { output: redacted(output) } : undefined) },
    ],
    [
      'processExecution',
      {
        id: 'guard',
        processExecution: ({ direction, value }) =>
          direction === 'out' ? { value: redacted(value) } : undefined,
      },
    ],
  ]

  test.each(guards)('receive every report before it is emitted: %s', async (_, guard) => {
    for (const [way, run] of WAYS) {
      const { result, chunks } = await run(editor(researcher(), { processors: [guard] }))
      expect(result.steps[0]?.toolResults[0]?.agent?.steps[1]?.text, way).toBe('It will rain in XXXX.')
      expect(JSON.stringify([result, chunks]), way).not.toContain('Oslo')
    }
  })

  test.each(guards.map(([hook]) => hook))('get complete texts only: %s', async (hook) => {
    const seen: string[] = []
    const guard = {
      id: 'guard',
      [hook]: ({ value, output, direction }: Record<string, unknown>) => {
        const report = (direction === 'out' ? value : output) as AgentProgress | undefined
        if (report?.type === 'agent-progress') seen.push(...report.steps.map(({ text }) => text))
      },
    } as unknown as Processor
    await collect(editor(researcher(), { processors: [guard] }).stream('Hi').fullStream)
    expect(new Set(seen)).toEqual(new Set(['', 'Let me look. ', 'It will rain in Oslo.']))
  })

  test('end the run on a report, and the agent with it: its tool cannot catch that', async () => {
    for (const [hook] of guards) {
      const hold = gate()
      const model = new ScriptedModel([
        ['Let me look. ', toolCall('look')],
        ['It will ', hold, 'rain.'],
      ])
      const guard = {
        id: 'guard',
        [hook]: ({ abort, value, output, direction }: Record<string, unknown>) => {
          const seen = JSON.stringify(direction === 'out' ? value : (output ?? ''))
          if (seen.includes('Let me')) (abort as (reason: string) => never)('Not that.')
        },
      } as unknown as Processor
      const inner = researcher({ model })
      const ended = new Promise((resolve) => inner.on('run-finish', ({ result }) => resolve(result.status)))
      const result = await editor(inner, { processors: [guard] }).generate('Hi')
      expect(result).toMatchObject({
        status: 'tripwire',
        rejection: { reason: 'Not that.', processorId: 'guard' },
      })
      expect(await ended).toBe('aborted')
    }
  })

  test('do not count against the timeout of the agent', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    let reports = 0
    const slow: Processor = {
      id: 'slow',
      processToolResult: async ({ preliminary }) => {
        // Longer than the limit, and not the agent's.
        if (preliminary && reports++ === 0) await vi.advanceTimersByTimeAsync(1_100)
      },
    }
    const agent = editor(researcher(), { processors: [slow] })
    await agent.generate('Hi') // what is loaded when needed, is
    reports = 0
    const again = editor(researcher(), { processors: [slow] })
    const result = await again.generate('Hi', { timeout: { toolMs: 1_000 } })
    expect(result.steps[0]?.toolResults).toMatchObject([{ status: 'success' }])
  })

  test('may change the form of a report: it is not stored, and the run can still be suspended', async () => {
    const guard: Processor = {
      id: 'guard',
      processToolResult: ({ output }) => {
        if ((output as AgentProgress | undefined)?.type !== 'agent-progress') return
        return { output: { ...(output as AgentProgress), steps: ['hidden'] } }
      },
    }
    const inner = researcher({ toolApproval: { look: 'user-approval' } })
    const { suspension } = await editor(inner, { processors: [guard] }).generate('Hi')
    const result = await suspension?.resume({ approved: true })
    expect(result).toHaveText('It rains.')
    expect(result?.steps[0]?.toolResults[0]).not.toHaveProperty('agent')
  })

  test('that fail, fail the run', async () => {
    const guard: Processor = {
      id: 'guard',
      processToolResult: ({ preliminary }) => {
        if (preliminary) throw new Error('Bug.')
      },
    }
    await expect(editor(researcher(), { processors: [guard] }).generate('Hi')).rejects.toMatchObject({
      code: 'PROCESSOR_FAILED',
    })
  })

  test('may replace a report: then nothing of it is stored', async () => {
    const guard: Processor = {
      id: 'guard',
      processToolResult: ({ preliminary }) => (preliminary ? { output: 'working' } : undefined),
    }
    const stream = editor(researcher(), { processors: [guard] }).stream('Hi')
    const chunks = await collect(stream.fullStream)
    expect(new Set(preliminary(chunks))).toEqual(new Set(['working']))
    expect((await stream.result).steps[0]?.toolResults[0]).not.toHaveProperty('agent')
  })
})

describe('the stream of the outer run', () => {
  test('carries text and steps while the agent works', async () => {
    const hold = gate()
    const model = new ScriptedModel([
      ['Let me look. ', toolCall('look')],
      [text('It will rain in Os', { chunkSize: 3 }), hold, text('lo.')],
    ])
    const stream = editor(researcher({ model })).stream('Hi')
    const seen: AgentProgress[] = []
    for await (const chunk of stream.fullStream) {
      if (chunk.type !== 'tool-result') continue
      if (!chunk.preliminary) break
      seen.push(chunk.output as AgentProgress)
      if (seen.at(-1)?.steps.at(-1)?.text === 'It will rain in ') hold.open()
    }
    const texts = seen.map(({ steps }) => steps.map(({ text }) => text))
    expect(texts[0]).toEqual(['Let '])
    expect(texts).toContainEqual(['Let me look. ', 'It will rain in '])
    expect(seen.find(({ steps }) => steps[0]?.toolCalls.length === 1)).toMatchObject({
      status: 'running',
      steps: [{ toolCalls: [{ toolName: 'look', status: 'running' }] }],
    })
    expect(seen.at(-1)).toMatchObject({ status: 'completed', steps: STEPS })
  })

  test('shows whole words, at a cost linear in the text, whatever the chunks are', async () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1, maxLength: 400 })
    await fc.assert(
      fc.asyncProperty(words, fc.integer({ min: 1, max: 40 }), async (words, chunkSize) => {
        const whole = words.join(' ')
        const model = new ScriptedModel([text(whole, { chunkSize })])
        const chunks = await collect(editor(researcher({ model })).stream('Hi').fullStream)
        const texts = preliminary(chunks).map(({ steps }) => steps[0]?.text ?? '')
        expect(texts.at(-1)).toBe(whole)
        for (const shown of texts) expect(whole.startsWith(shown)).toBe(true)
        for (const shown of texts) expect(shown === whole || shown.endsWith(' ')).toBe(true)
        const total = texts.reduce((sum, { length }) => sum + length, 0)
        expect(total).toBeLessThanOrEqual(12 * whole.length + 20_000)
      }),
      { numRuns: 30 },
    )
  })

  test('costs time linear in the number of tool calls', async () => {
    const turns = Array.from({ length: 60 }, () => ['Let me look once more. ', toolCall('look')])
    const inner = researcher({ model: new ScriptedModel([...turns, 'Done.']), maxSteps: 100 })
    const chunks = await collect(editor(inner).stream('Hi').fullStream)
    const reports = preliminary(chunks).map((progress) => JSON.stringify(progress).length)
    const total = reports.reduce((sum, length) => sum + length, 0)
    expect(total).toBeLessThan(20 * (reports.at(-1) ?? 0))
    expect(preliminary(chunks).at(-1)?.steps).toHaveLength(61)
  })

  test('reaches a chat client as preliminary output, and then the answer', async () => {
    const stream = editor(researcher()).stream('Hi').toUIMessageStream()
    const parts = await collect(stream as ReadableStream<UIMessageChunk> & AsyncIterable<UIMessageChunk>)
    const outputs = parts.flatMap((part) => (part.type === 'tool-output-available' ? [part] : []))
    expect(outputs.length).toBeGreaterThan(2)
    for (const { output, preliminary } of outputs.slice(0, -1)) {
      expect(preliminary).toBe(true)
      expect(output).toMatchObject({ type: 'agent-progress', agentName: 'researcher' })
    }
    expect(outputs.at(-1)).toMatchObject({ output: 'It will rain in Oslo.' })
    expect(outputs.at(-1)).not.toHaveProperty('preliminary')
  })

  test('ends with its reader, and the agent too', async () => {
    const hold = gate()
    const model = new ScriptedModel([['Let me ', hold]])
    for await (const chunk of editor(researcher({ model })).stream('Hi').fullStream) {
      if (chunk.type === 'tool-result') break
    }
    expect(await model.lastStream?.settled).toBe('aborted')
  })
})

describe('an agent that suspends', () => {
  test('has reported its steps, and reports all of them when it is resumed', async () => {
    const storage = new InMemoryRunStore()
    const agent = () =>
      editor(researcher({ toolApproval: { look: 'user-approval' }, storage, model: model() }), { storage })
    let models = 0
    const model = () =>
      new ScriptedModel(models++ === 0 ? [['Let me look. ', toolCall('look')]] : ['It will rain in Oslo.'])
    const first = agent().stream('Hi')
    const before = preliminary(await collect(first.fullStream))
    expect(before.at(-1)).toMatchObject({ status: 'suspended', steps: [{ text: 'Let me look. ' }] })
    const { runId, suspension } = await first.result
    expect(suspension?.payload).toMatchObject({ type: 'tool-approval', toolCalls: [{ toolName: 'look' }] })

    // Another process: agents of the same names and the same store.
    const outer = new Agent({
      name: 'editor',
      model: new ScriptedModel(['It rains.']),
      tools: {
        research: researcher({ toolApproval: { look: 'user-approval' }, storage, model: model() }).asTool(),
      },
      storage,
    })
    const resumed = outer.resume(runId, { approved: true })
    const after = preliminary(await collect(resumed.fullStream))
    expect(after[0]).toMatchObject({ steps: [{ toolCalls: [{ status: 'success' }] }] })
    const result = await resumed.result
    expect(result.steps[0]?.toolResults[0]).toMatchObject({
      output: 'It will rain in Oslo.',
      agent: { status: 'completed', steps: STEPS },
    })
    expect(result.usage.totalTokens).toBe(60)
  })

  test('and is released, leaves a call without a result in the next prompt', async () => {
    const inner = researcher({ toolApproval: { look: 'user-approval' } })
    const result = await editor(inner).generate('Hi')
    await result.suspension?.release()
    const model = new ScriptedModel(['Well.'])
    const again = new Agent({ model, tools: { research: inner.asTool() } })
    await again.generate([...result.messages, { role: 'user', content: 'And now?' }] as never, {
      trusted: true,
    })
    expect(JSON.stringify(model.lastPrompt)).toContain('The call was not completed and has no result.')
    expect(JSON.stringify(model.lastPrompt)).not.toContain('agent-progress')
  })
})
