import { collect, ScriptedModel, text, textOf, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent } from '../../agent/agent.ts'
import type { AgentOptions } from '../../agent/agent-options.ts'
import { parallel } from '../../composition/parallel.ts'
import { textOfParts } from '../../messages/message.ts'
import type { Processor } from '../../processors/processor.ts'
import { Halt } from '../../signals.ts'
import { InMemoryRunStore } from '../../storage/in-memory-run-store.ts'
import { tool } from '../../tools/tool.ts'

expect.extend(matchers)

async function run(model: ScriptedModel, options: Partial<AgentOptions>) {
  const stream = new Agent({ model, ...options }).stream('Hi')
  const chunks = await collect(stream.fullStream)
  return { chunks, result: await stream.result }
}

const anything = z.object({}).loose()
const redactor: Processor = {
  id: 'redactor',
  processOutputResult: ({ messages }) =>
    messages.map((message) => ({
      ...message,
      content: {
        ...message.content,
        parts: message.content.parts.map((part) =>
          part.type === 'text' ? { ...part, text: part.text.replaceAll('secret', '[REDACTED]') } : part,
        ),
      },
    })),
}

const emits = ['live', 'step'] as const

describe.each(emits)("the answer of a halt, with emit '%s'", (emit) => {
  const halters: [string, Processor, Partial<AgentOptions>?][] = [
    ['processInput', { id: 'halter', processInput: ({ halt }) => halt('A secret.') }],
    ['processInputStep', { id: 'halter', processInputStep: ({ halt }) => halt('A secret.') }],
    ['wrapModelCall', { id: 'halter', wrapModelCall: ({ halt }) => halt('A secret.') }],
    [
      'processOutputStream',
      {
        id: 'halter',
        processOutputStream: ({ part, halt }) => (part.type === 'text-delta' ? halt('A secret.') : part),
      },
    ],
    ['processOutputStep', { id: 'halter', processOutputStep: ({ halt }) => halt('A secret.') }],
    ['processToolCall', { id: 'halter', processToolCall: ({ halt }) => halt('A secret.') }],
    ['processToolResult', { id: 'halter', processToolResult: ({ halt }) => halt('A secret.') }],
    ['processToolStep', { id: 'halter', processToolStep: ({ halt }) => halt('A secret.') }],
    ['processOutputResult', { id: 'halter', processOutputResult: ({ halt }) => halt('A secret.') }],
  ]

  test.each(halters)('passes processOutputResult once, and no other output hook: %s', async (_, halter) => {
    const reviewed: string[] = []
    const stored: string[] = []
    const watcher: Processor = {
      id: 'watcher',
      processOutputResult: ({ result }) => {
        reviewed.push(result.text)
      },
    }
    const keeper: Processor = {
      id: 'keeper',
      processOutputResult: ({ messages }) => {
        stored.push(...messages.map(({ content }) => textOfParts(content.parts)))
      },
    }
    const model = new ScriptedModel([['Let me look. ', toolCall('look')], 'Done.'])
    const { chunks, result } = await run(model, {
      emit,
      tools: { look: tool({ inputSchema: anything, execute: () => 'seen' }) },
      processors: [watcher, redactor, halter, keeper],
    })
    expect(result).toHaveStatus('halted')
    expect(result).toHaveText('A [REDACTED].')
    expect(result.halt).toMatchObject({ processorId: 'halter', hook: _ })
    expect(reviewed.filter((text) => text === 'A secret.')).toHaveLength(1)
    expect(stored.at(-1)).toContain('A [REDACTED].')
    expect(result).toLeakNothingOf('secret')
    expect(chunks).toLeakNothingOf('secret')
    expect(textOf(chunks).endsWith('A [REDACTED].')).toBe(true)
    expect(chunks.slice(-2)).toMatchObject([{ type: 'halt' }, { type: 'finish', status: 'halted' }])
    expect(chunks.filter(({ type }) => type === 'finish')).toHaveLength(1)
    expect(result.messages).toPairEveryToolCall()
  })
})

test('an empty answer has no text and no message', async () => {
  const { chunks, result } = await run(new ScriptedModel([]), {
    processors: [{ id: 'halter', processInput: ({ halt }) => halt('', { reason: 'quiet', metadata: 7 }) }],
  })
  expect(result).toHaveStatus('halted')
  expect(result.messages).toEqual([])
  expect(result.halt).toEqual({
    reason: 'quiet',
    metadata: 7,
    processorId: 'halter',
    hook: 'processInput',
  })
  expect(chunks).toHaveChunkTypes(['start', 'halt', 'finish'])
})

test('usage of the halted step counts', async () => {
  const { result } = await run(new ScriptedModel(['x']), {
    processors: [{ id: 'halter', processOutputStep: ({ halt }) => halt('No.') }],
  })
  expect(result.usage.totalTokens).toBe(15)
})

describe('calls of a halted step', () => {
  const call = () => [toolCall('look', { at: 1 }), toolCall('look', { at: 2 }), toolCall('look', { at: 3 })]

  test('get a denial each, and nothing runs, if a call is refused by a halt', async () => {
    let executed = 0
    const { result, chunks } = await run(new ScriptedModel([call()]), {
      tools: { look: tool({ inputSchema: anything, execute: () => ++executed }) },
      processors: [
        {
          id: 'halter',
          processToolCall: ({ toolCall, halt }) =>
            (toolCall.input as { at: number }).at === 2 ? halt('No.', { reason: 'not allowed' }) : undefined,
        },
      ],
    })
    expect(executed).toBe(0)
    expect(result.steps[0]?.toolResults.map(({ status }) => status)).toEqual(['denied', 'denied', 'denied'])
    expect(chunks.filter(({ type }) => type === 'tool-denied')).toMatchObject([
      { toolCallId: 'call-1', reason: 'not allowed' },
      { toolCallId: 'call-2', reason: 'not allowed' },
      { toolCallId: 'call-3', reason: 'not allowed' },
    ])
    expect(result.messages).toPairEveryToolCall()
  })

  test.each<[string, Partial<AgentOptions>]>([
    [
      'a tool',
      {
        tools: {
          look: tool({
            inputSchema: anything,
            execute: ({ at }) => {
              ran.push(Number(at))
              if (at === 1) throw new Halt('No.')
              return 'seen'
            },
          }),
        },
      },
    ],
    [
      'processToolResult',
      {
        tools: { look: noting() },
        processors: [{ id: 'halter', processToolResult: ({ halt }) => halt('No.') }],
      },
    ],
    [
      'processToolResult, after a while,',
      {
        tools: { look: noting() },
        processors: [
          {
            id: 'halter',
            processToolResult: async ({ halt }) => {
              await new Promise(setImmediate)
              halt('No.')
            },
          },
        ],
      },
    ],
    [
      'processOutputStream',
      {
        tools: { look: noting() },
        processors: [
          {
            id: 'halter',
            processOutputStream: async ({ part, halt }) => {
              if (part.type !== 'tool-result') return part
              await new Promise(setImmediate)
              return halt('No.')
            },
          },
        ],
      },
    ],
  ])('are not started after %s has halted', async (_, options) => {
    ran.length = 0
    const { result } = await run(new ScriptedModel([call()]), {
      ...options,
      toolConcurrency: 1,
      processors: [...((options.processors ?? []) as Processor[]), slowReview()],
    })
    expect(result).toHaveStatus('halted')
    expect(ran).toHaveLength(1)
    expect(result.messages).toPairEveryToolCall()
  })

  test('are not started if their input is still being validated when a tool halts', async () => {
    const halted = latch()
    let executed = false
    let validations = 0
    const validates = {
      '~standard': {
        version: 1,
        vendor: 'test',
        jsonSchema: { input: () => ({}) },
        validate: async (value: unknown) => {
          // The first time it is decided what becomes of the call; the second time it is about to execute.
          if (++validations === 2) await halted.released
          return { value }
        },
      },
    } as const
    const { result } = await run(new ScriptedModel([[toolCall('slow'), toolCall('stop')]]), {
      tools: {
        slow: tool({
          inputSchema: validates,
          execute: () => {
            executed = true
          },
        }),
        stop: tool({
          inputSchema: anything,
          execute: () => {
            setImmediate(halted.release)
            throw new Halt('No.')
          },
        }),
      },
    })
    expect(result).toHaveStatus('halted')
    await new Promise(setImmediate)
    await new Promise(setImmediate)
    expect(executed).toBe(false)
  })

  test('that were answered keep their answers, and are answered once', async () => {
    const { result, chunks } = await run(new ScriptedModel([call()]), {
      tools: { look: noting() },
      processors: [
        {
          id: 'halter',
          processToolResult: ({ toolCall, halt }) => {
            if ((toolCall.input as { at: number }).at === 2) halt('No.')
          },
        },
      ],
    })
    expect(result).toHaveStatus('halted')
    // The other calls were executed too, and their outputs were not reviewed.
    expect(result.steps[0]?.toolResults.map(({ status }) => status)).toEqual(['success', 'error', 'error'])
    expect(chunks.filter(({ type }) => type === 'tool-result' || type === 'tool-error')).toMatchObject([
      { type: 'tool-result', toolCallId: 'call-1' },
      { type: 'tool-error', toolCallId: 'call-2', error: expect.stringContaining('was executed') },
      { type: 'tool-error', toolCallId: 'call-3', error: expect.stringContaining('was executed') },
    ])
    expect(result.messages).toPairEveryToolCall()
  })

  test('that are running are aborted, and their late outputs are dropped', async () => {
    const begun = latch()
    const waiting = latch()
    let signal: AbortSignal | undefined
    const { result } = await run(new ScriptedModel([[toolCall('long'), toolCall('stop')]]), {
      tools: {
        long: tool({
          inputSchema: anything,
          async *execute(_, { abortSignal }) {
            signal = abortSignal
            begun.release()
            await waiting.released
            yield 'preliminary secret'
            yield 'secret'
          },
        }),
        stop: tool({
          inputSchema: anything,
          execute: async () => {
            await begun.released
            throw new Halt('No.')
          },
        }),
      },
      processors: [slowReview(waiting.release)],
    })
    expect(result).toHaveStatus('halted')
    expect(result).toLeakNothingOf('secret')
    expect(result.messages).toPairEveryToolCall()
    expect(result.steps[0]?.toolResults.map(({ status }) => status)).toEqual(['error', 'denied'])
    expect(signal?.aborted).toBe(true)
  })

  test('stay denied if a stream hook halts on the denial', async () => {
    const { result, chunks } = await run(new ScriptedModel([call()]), {
      tools: { look: noting() },
      processors: [
        { id: 'first', processToolCall: ({ halt }) => halt('First.') },
        {
          id: 'second',
          processOutputStream: ({ part, halt }) => (part.type === 'tool-denied' ? halt('Second.') : part),
        },
      ],
    })
    expect(result).toHaveStatus('halted')
    expect(result.messages).toPairEveryToolCall()
    expect(chunks.filter(({ type }) => type === 'halt')).toHaveLength(1)
  })
})

test('a step that is finished when processOutputResult halts is finished once', async () => {
  const { chunks, result } = await run(new ScriptedModel([[text('Look. '), toolCall('look')]]), {
    maxSteps: 1,
    tools: { look: noting() },
    processors: [
      {
        id: 'halter',
        processOutputResult: ({ result, halt }) => (result.text === 'Look. ' ? halt('No.') : undefined),
      },
    ],
  })
  expect(result).toHaveStatus('halted')
  expect(chunks.filter(({ type }) => type === 'step-finish')).toHaveLength(1)
  expect(result.steps).toHaveLength(1)
})

describe('in the review of the answer', () => {
  test('another processor may halt with its own answer, which is reviewed like the first', async () => {
    const { chunks, result } = await run(new ScriptedModel(['x']), {
      processors: [
        redactor,
        { id: 'first', processInput: ({ halt }) => halt('Wrong.') },
        {
          id: 'second',
          processOutputResult: ({ result, halt }) =>
            result.text === 'Wrong.' ? halt('The other secret.') : undefined,
        },
      ],
    })
    expect(result).toHaveText('The other [REDACTED].')
    expect(result.halt?.processorId).toBe('second')
    expect([result, chunks]).toLeakNothingOf(['secret', 'Wrong.'])
  })

  const appending = (text: string): Processor => ({
    id: 'writer',
    processOutputResult: ({ messages }) =>
      messages.map((message) => {
        const last = message.content.parts.findLast((part) => part.type === 'text')
        const parts = message.content.parts.map((part) =>
          part === last && part.type === 'text' ? { ...part, text: part.text + text } : part,
        )
        return { ...message, content: { ...message.content, parts } }
      }),
  })
  const guard = (id: string, response: string): Processor => ({
    id,
    processOutputResult: ({ result, halt }) => {
      if (result.text.includes('secret')) halt(response)
    },
  })

  test('the processor that halted reviews what an earlier processor made of its answer', async () => {
    const { chunks, result } = await run(new ScriptedModel(['A secret.']), {
      processors: [appending(' And a secret.'), guard('guard', 'I cannot say that.')],
    })
    expect(result).toHaveTripped({ processorId: 'guard', hook: 'processOutputResult' })
    expect(result.messages).toEqual([])
    expect(JSON.stringify([result, chunks.at(-1)])).not.toContain('secret')
  })

  test('the processor that halted passes an answer that it does not halt on', async () => {
    const { chunks, result } = await run(new ScriptedModel(['A secret.']), {
      processors: [appending(' Sorry.'), guard('guard', 'I cannot say that.')],
    })
    expect(result).toHaveStatus('halted')
    expect(result).toHaveText('I cannot say that. Sorry.')
    expect(textOf(chunks).endsWith('I cannot say that. Sorry.')).toBe(true)
  })

  test('the processor that halted is called after a suspension too', async () => {
    const storage = new InMemoryRunStore()
    const options: Partial<AgentOptions> = {
      storage,
      processors: [
        {
          id: 'editor',
          processOutputResult: ({ result, resumeData, suspend, messages }) => {
            if (!result.text.startsWith('I cannot')) return
            if (resumeData === undefined) suspend('May this go out?')
            const part = messages.at(-1)?.content.parts.findLast(({ type }) => type === 'text')
            if (part?.type === 'text') part.text += ` And a ${resumeData}.`
          },
        },
        guard('guard', 'I cannot say that.'),
      ],
    }
    const { result } = await run(new ScriptedModel(['A secret.']), options)
    expect(result).toHaveStatus('suspended')
    const resume = (data: string) =>
      new Agent({ model: new ScriptedModel([]), ...options }).resume(result.suspension?.runId ?? '', data)
    const end = await resume('secret')
    expect(end).toHaveTripped({ processorId: 'guard' })
    expect(JSON.stringify(end.messages)).not.toContain('secret')
  })

  test('a composed processor reviews the answer of its member', async () => {
    const top: Processor = {
      id: 'guard',
      processOutputResult: ({ result, abort }) => {
        if (result.text.includes('hidden')) abort('no')
      },
    }
    const { result } = await run(new ScriptedModel(['A secret.']), {
      processors: [top, parallel(guard('guard', 'The name is hidden.'))],
    })
    expect(result).toHaveTripped({ reason: 'no' })
  })

  test('two processors that never agree abort the run', async () => {
    const disagree = (id: string): Processor => ({
      id,
      processOutputResult: ({ result, halt }) => (result.text === id ? undefined : halt(id)),
    })
    const { result } = await run(new ScriptedModel(['x']), { processors: [disagree('a'), disagree('b')] })
    expect(result).toHaveTripped()
    expect(result.messages).toEqual([])
  })

  test('an abort discards the whole answer', async () => {
    const { chunks, result } = await run(new ScriptedModel(['x']), {
      processors: [
        { id: 'halter', processInput: ({ halt }) => halt('A secret.') },
        { id: 'judge', processOutputResult: ({ abort }) => abort('no', { retry: true }) },
      ],
    })
    expect(result).toHaveTripped({ processorId: 'judge', hook: 'processOutputResult' })
    expect([result, chunks]).toLeakNothingOf('secret')
  })

  test('a suspension waits with the answer, and emits none of it before', async () => {
    const storage = new InMemoryRunStore()
    const options: Partial<AgentOptions> = {
      storage,
      processors: [
        { id: 'halter', processInput: ({ halt }) => halt('A secret.', { reason: 'why' }) },
        {
          id: 'editor',
          processOutputResult: ({ resumeData, suspend }) => {
            if (resumeData === undefined) suspend('May this go out?')
          },
        },
        redactor,
      ],
    }
    const { chunks, result } = await run(new ScriptedModel([]), options)
    expect(result).toHaveStatus('suspended')
    expect([chunks, result.messages]).toLeakNothingOf('secret')

    const resumed = new Agent({ model: new ScriptedModel([]), ...options }).resume(
      result.suspension?.runId ?? '',
      'yes',
    )
    const rest = await collect(resumed.fullStream)
    const end = await resumed
    expect(end).toHaveStatus('halted')
    expect(end).toHaveText('A [REDACTED].')
    expect(end.halt).toMatchObject({ reason: 'why', processorId: 'halter' })
    expect(rest).toHaveChunkTypes(['start', 'text-start', 'text-delta', 'text-end', 'halt', 'finish'])
    expect(rest).toLeakNothingOf('secret')
  })

  test('an error fails the run, and emits none of the answer', async () => {
    const stream = new Agent({
      model: new ScriptedModel([]),
      processors: [
        { id: 'halter', processInput: ({ halt }) => halt('A secret.') },
        {
          id: 'broken',
          processOutputResult: () => {
            throw new Error('x')
          },
        },
      ],
    }).stream('Hi')
    const chunks = await collect(stream.fullStream)
    await expect(stream.result).rejects.toMatchObject({ code: 'PROCESSOR_FAILED' })
    expect(chunks).toHaveChunkTypes(['start', 'error'])
  })
})

test('a tool may halt the run, and its call is denied', async () => {
  const { result } = await run(new ScriptedModel([toolCall('look')]), {
    tools: {
      look: tool({
        inputSchema: anything,
        execute: () => {
          throw new Halt('From the tool.', { reason: 'done' })
        },
      }),
    },
  })
  expect(result).toHaveStatus('halted')
  expect(result).toHaveText('From the tool.')
  expect(result.halt).toEqual({
    reason: 'done',
    processorId: undefined,
    hook: undefined,
    metadata: undefined,
  })
  expect(result.steps[0]?.toolResults).toMatchObject([{ status: 'denied', reason: 'done' }])
})

test('a processor that catches what halt throws has still halted', async () => {
  const { result } = await run(new ScriptedModel(['x']), {
    processors: [
      {
        id: 'halter',
        processOutputStep: ({ halt }) => {
          try {
            halt('Halted.')
          } catch {
            // As a processor with a broad catch would.
          }
          return undefined
        },
      },
    ],
  })
  expect(result).toHaveText('Halted.')
  expect(result).toHaveStatus('halted')
})

/** What the tools below were called with. */
const ran: number[] = []

function noting() {
  return tool({
    inputSchema: anything,
    execute: ({ at }) => {
      ran.push(Number(at))
      return 'seen'
    },
  })
}

function latch(): { released: Promise<void>; release: () => void } {
  let release = (): void => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  return { released, release }
}

/** Keeps the run busy after it was halted, long enough for anything that still runs to be noticed. */
function slowReview(then?: () => void): Processor {
  return {
    id: 'slow',
    processOutputResult: async () => {
      then?.()
      for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
    },
  }
}
