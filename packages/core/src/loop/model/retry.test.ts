import { collect, finish, ScriptedModel, text, textOf, tokens, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent } from '../../agent/agent.ts'
import type { AgentOptions } from '../../agent/agent-options.ts'
import type { Processor } from '../../processors/processor.ts'
import type { Chunk } from '../../results/chunk.ts'
import { tool } from '../../tools/tool.ts'

expect.extend(matchers)

const REASON = 'Say it politely.'

/** Three processors that reject every answer with BAD in it, each in another hook. */
const REVIEWERS = {
  processOutputStream: {
    id: 'reviewer',
    processOutputStream: ({ part, state, abort }) => {
      if (part.type === 'step-start') state.text = ''
      if (part.type === 'text-delta') state.text += part.textDelta
      if (part.type === 'text-end' && String(state.text).includes('BAD')) abort(REASON, { retry: true })
      return part
    },
  },
  processOutputStep: {
    id: 'reviewer',
    processOutputStep: ({ text, abort }) => {
      if (text.includes('BAD')) abort(REASON, { retry: true })
    },
  },
  processOutputResult: {
    id: 'reviewer',
    processOutputResult: ({ result, abort }) => {
      if (result.text.includes('BAD')) abort(REASON, { retry: true })
    },
  },
} satisfies Record<string, Processor>

const HOOKS = Object.keys(REVIEWERS) as (keyof typeof REVIEWERS)[]

function reviewed(
  hook: keyof typeof REVIEWERS,
  turns: readonly string[],
  options: Partial<AgentOptions> = {},
): { agent: Agent; model: ScriptedModel } {
  const model = new ScriptedModel(turns)
  return { model, agent: new Agent({ model, processors: [REVIEWERS[hook]], ...options }) }
}

describe.each(HOOKS)('a retry asked for in %s', (hook) => {
  test('discards the rejected answer completely', async () => {
    const { agent, model } = reviewed(hook, ['BAD answer', 'GOOD answer'])
    const stream = agent.stream('Hello')
    const chunks = await collect(stream.fullStream)
    const result = await stream.result

    expect(result).toBeCompleted()
    expect(result).toHaveText('GOOD answer')
    expect(result).toLeakNothingOf('BAD')
    expect(textOf(chunks)).toBe('GOOD answer')
    const discarded = chunks.findIndex(({ type }) => type === 'step-discarded')
    expect(chunks[discarded]).toMatchObject({ type: 'step-discarded', stepNumber: 0, retry: true })
    expect(chunks.slice(discarded)).toLeakNothingOf('BAD')
    expect(chunks.filter(({ type }) => type === 'step-discarded')).toHaveLength(1)
    expect(chunks.at(-1)?.type).toBe('finish')
    expect(model.calls).toLeakNothingOf('BAD')
  })

  test('passes the reason to the model as one user message, in that prompt only', async () => {
    const reviewer = REVIEWERS[hook]
    const model = new ScriptedModel([
      'BAD answer',
      [text('Looking. '), toolCall('look')],
      'GOOD answer',
      'Next answer',
    ])
    const agent = new Agent({
      model,
      processors: [reviewer],
      tools: { look: tool({ inputSchema: z.object({}), execute: () => 'seen' }) },
    })
    const result = await agent.generate('Hello')

    expect(result).toHaveText('GOOD answer')
    expect(model.calls[1]?.prompt).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
      { role: 'user', content: [{ type: 'text', text: REASON }] },
    ])
    expect(model.calls[2]?.prompt).toLeakNothingOf(REASON)
    expect(result.messages).toLeakNothingOf(REASON)

    await agent.generate([{ id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }])
    expect(model.lastPrompt).toLeakNothingOf(REASON)
  })

  test('keeps the reason and the usage of the attempt, and the number of the step', async () => {
    const { agent } = reviewed(hook, ['BAD one', 'BAD two', 'GOOD answer'])
    const result = await agent.generate('Hello')

    // A rejected stream is cut off before the provider says what it cost.
    const cut = hook === 'processOutputStream'
    const usage = expect.objectContaining({ totalTokens: cut ? undefined : 15 })
    expect(result.steps).toHaveLength(1)
    expect(result.steps[0]).toMatchObject({
      stepNumber: 0,
      text: 'GOOD answer',
      discarded: [
        { reason: REASON, processorId: 'reviewer', usage },
        { reason: REASON, processorId: 'reviewer', usage },
      ],
    })
    expect(result.usage.totalTokens).toBe(cut ? 15 : 45)
  })

  test('is a tripwire after the last retry', async () => {
    const { agent, model } = reviewed(hook, ['BAD 1', 'BAD 2', 'BAD 3', 'BAD 4'])
    const stream = agent.stream('Hello')
    const chunks = await collect(stream.fullStream)
    const result = await stream.result

    expect(result).toHaveTripped({ processorId: 'reviewer', hook, reason: REASON, retryCount: 3 })
    expect(model.callCount).toBe(4)
    expect(chunks.at(-1)).toMatchObject({ type: 'tripwire', reason: REASON, retryCount: 3 })
    expect(chunks.filter(({ type }) => type === 'tripwire')).toHaveLength(1)
    expect(chunks.findLast(({ type }) => type === 'step-discarded')).toMatchObject({ retry: false })
    expect(textOf(chunks)).toBe('')
    expect(result).toLeakNothingOf('BAD')
  })

  test('is a tripwire at once if the agent allows none', async () => {
    const { agent, model } = reviewed(hook, ['BAD 1'], { maxProcessorRetries: 0 })
    expect(await agent.generate('Hello')).toHaveTripped({ hook, retryCount: 0 })
    expect(model.callCount).toBe(1)
  })

  test("emits nothing of the rejected answer with emit 'step'", async () => {
    const { agent } = reviewed(hook, ['BAD answer', 'GOOD answer'], { emit: 'step' })
    const stream = agent.stream('Hello')
    const chunks = await collect(stream.fullStream)

    expect(chunks).toLeakNothingOf('BAD')
    expect(chunks.map(({ type }) => type)).not.toContain('step-discarded')
    expect(chunks).toHaveChunkTypes(
      ['start', 'step-start', 'text-start', 'text-delta', 'text-end', 'step-finish', 'finish'],
      { mergeDeltas: true },
    )
    expect(await stream.result).toLeakNothingOf('BAD')
  })

  test("textStream yields only the accepted answer with emit 'step'", async () => {
    const { agent } = reviewed(hook, ['BAD answer', 'GOOD answer'], { emit: 'step' })
    expect((await collect(agent.stream('Hello').textStream)).join('')).toBe('GOOD answer')
  })

  test('textStream never joins a rejected answer and the accepted one', async () => {
    const { agent } = reviewed(hook, ['BAD answer', 'GOOD answer'])
    const pieces: string[] = []
    let error: unknown
    try {
      for await (const piece of agent.stream('Hello').textStream) pieces.push(piece)
    } catch (thrown) {
      error = thrown
    }
    if (error === undefined) expect(pieces.join('')).toBe('GOOD answer')
    else {
      expect(error).toMatchObject({ code: 'RUN_TEXT_RETRACTED' })
      expect(pieces.join('')).not.toContain('GOOD')
    }
  })
})

test('counts retries over all hooks and passes the count to every hook', async () => {
  const seen: string[] = []
  const processor: Processor = {
    id: 'counter',
    processInputStep: ({ retryCount }) => {
      seen.push(`input ${retryCount}`)
    },
    processOutputStep: ({ retryCount, text, abort }) => {
      seen.push(`step ${retryCount}`)
      if (text === 'one') abort('Not one.', { retry: true })
    },
    processOutputResult: ({ retryCount, result, abort }) => {
      seen.push(`result ${retryCount}`)
      if (result.text === 'two') abort('Not two.', { retry: true })
    },
  }
  const agent = new Agent({ model: new ScriptedModel(['one', 'two', 'three']), processors: [processor] })
  const result = await agent.generate('Count')

  expect(result).toHaveText('three')
  expect(seen).toEqual([
    'input 0',
    'step 0',
    'input 1',
    'step 1',
    'result 1',
    'input 2',
    'step 2',
    'result 2',
  ])
  expect(result.steps[0]?.discarded.map(({ reason }) => reason)).toEqual(['Not one.', 'Not two.'])
})

test('runs only the rejected step again and keeps the steps before it', async () => {
  let looked = 0
  const model = new ScriptedModel([['First. ', toolCall('look')], 'BAD answer', 'GOOD answer'])
  const agent = new Agent({
    model,
    processors: [REVIEWERS.processOutputStep],
    tools: { look: tool({ inputSchema: z.object({}), execute: () => `seen ${++looked}` }) },
  })
  const stream = agent.stream('Hello')
  const chunks = await collect(stream.fullStream)
  const result = await stream.result

  expect(looked).toBe(1)
  expect(result.steps.map(({ stepNumber, text }) => [stepNumber, text])).toEqual([
    [0, 'First. '],
    [1, 'GOOD answer'],
  ])
  expect(chunks.filter(({ type }) => type === 'step-discarded')).toMatchObject([
    { type: 'step-discarded', stepNumber: 1, retry: true },
  ])
  expect(model.lastPrompt).toPairEveryToolCall()
  expect(result.messages).toHaveLength(1)
  expect(result.messages[0]?.content.parts.map(({ type }) => type)).toEqual([
    'step-start',
    'text',
    'tool-look',
    'step-start',
    'text',
  ])
})

test('discards the calls of a rejected step before any of them has run', async () => {
  let ran = 0
  const model = new ScriptedModel([toolCall('remove', { all: true }), 'I will not.'])
  const agent = new Agent({
    model,
    tools: { remove: tool({ inputSchema: z.object({ all: z.boolean() }), execute: () => ++ran }) },
    processors: [
      {
        id: 'no-removal',
        processOutputStep: ({ toolCalls, abort }) => {
          if (toolCalls.length > 0) abort('Remove nothing.', { retry: true })
        },
      },
    ],
  })
  const stream = agent.stream('Clean up')
  const chunks = await collect(stream.fullStream)
  const result = await stream.result

  expect(ran).toBe(0)
  expect(result).toHaveText('I will not.')
  expect(result.steps[0]?.toolCalls).toEqual([])
  expect(chunks.map(({ type }) => type)).not.toContain('tool-call')
  expect(model.lastPrompt).toLeakNothingOf('call-1')
})

test('frees the id of a rejected call for the next attempt', async () => {
  const model = new ScriptedModel([
    toolCall('look', { bad: true }, { id: 'one' }),
    toolCall('look', {}, { id: 'one' }),
    'Done.',
  ])
  const agent = new Agent({
    model,
    tools: { look: tool({ inputSchema: z.object({}).loose(), execute: () => 'seen' }) },
    processors: [
      {
        id: 'judge',
        processOutputStep: ({ toolCalls, abort }) => {
          if ((toolCalls[0]?.input as { bad?: boolean } | undefined)?.bad) abort('no', { retry: true })
        },
      },
    ],
  })
  const result = await agent.generate('Go')
  expect(result.steps[0]?.toolCalls).toMatchObject([{ toolCallId: 'one' }])
})

test('does not repeat a step whose tools have run', async () => {
  let ran = 0
  const agent = new Agent({
    model: new ScriptedModel([toolCall('pay'), 'Paid.'], { repeat: 'last' }),
    tools: { pay: tool({ inputSchema: z.object({}), execute: () => ++ran }) },
    stopWhen: () => true,
    processors: [{ id: 'late', processOutputResult: ({ abort }) => abort('Too late.', { retry: true }) }],
  })
  const result = await agent.generate('Pay')

  expect(result).toHaveTripped({ reason: 'Too late.', hook: 'processOutputResult', retryCount: 0 })
  expect(ran).toBe(1)
})

test('is an ordinary abort in processInput', async () => {
  const model = new ScriptedModel(['unused'])
  const agent = new Agent({
    model,
    processors: [{ id: 'input', processInput: ({ abort }) => abort('No.', { retry: true }) }],
  })
  expect(await agent.generate('Hello')).toHaveTripped({ hook: 'processInput', retryCount: 0 })
  expect(model.callCount).toBe(0)
})

test('restarts the stream hook for every attempt', async () => {
  const starts: number[] = []
  const counts: number[] = []
  const processor: Processor = {
    id: 'watcher',
    processOutputStream: ({ part, streamParts, stepNumber }) => {
      if (part.type === 'step-start') {
        starts.push(stepNumber)
        counts.push(streamParts.length)
      }
      return part
    },
  }
  const model = new ScriptedModel(['BAD answer', 'GOOD answer'])
  const agent = new Agent({ model, processors: [processor, REVIEWERS.processOutputStep] })
  await agent.generate('Hello')

  expect(starts).toEqual([0, 0])
  expect(counts).toEqual([1, 1])
})

test('counts the usage of every attempt once', async () => {
  const model = new ScriptedModel([
    ['BAD', finish({ usage: tokens({ input: 100, output: 1, cacheRead: 40, reasoning: 1 }) })],
    ['GOOD', finish({ usage: tokens({ input: 200, output: 20 }) })],
  ])
  const agent = new Agent({ model, processors: [REVIEWERS.processOutputStep] })
  const stream = agent.stream('Hello')
  const chunks = await collect(stream.fullStream)
  const { usage, steps } = await stream.result

  expect(usage).toEqual({
    inputTokens: 300,
    outputTokens: 21,
    totalTokens: 321,
    inputTokenDetails: { noCacheTokens: 260, cacheReadTokens: 40, cacheWriteTokens: 0 },
    outputTokenDetails: { textTokens: 20, reasoningTokens: 1 },
  })
  expect(steps[0]?.usage.totalTokens).toBe(220)
  expect(steps[0]?.discarded[0]?.usage.totalTokens).toBe(101)
  expect(chunks.at(-1)).toMatchObject({ type: 'finish', usage })
})

test('discards a step also after its step-finish, and the following chunks belong to the next attempt', async () => {
  const { agent } = reviewed('processOutputResult', ['BAD answer', 'GOOD answer'])
  const chunks: Chunk[] = await collect(agent.stream('Hello').fullStream)

  expect(chunks).toHaveChunkTypes(
    [
      ...['start', 'step-start', 'text-start', 'text-delta', 'text-end', 'step-finish', 'step-discarded'],
      ...['step-start', 'text-start', 'text-delta', 'text-end', 'step-finish', 'finish'],
    ],
    { mergeDeltas: true },
  )
})

test('textStream joins no rejected answer where steps and results are both reviewed', async () => {
  const { agent } = reviewed('processOutputResult', ['BAD answer', 'GOOD answer'], {
    processors: [{ id: 'looker', processOutputStep: () => {} }, REVIEWERS.processOutputResult],
  })
  const pieces: string[] = []
  try {
    for await (const piece of agent.stream('Hello').textStream) pieces.push(piece)
  } catch {}
  const joined = pieces.join('')
  expect(joined.includes('BAD') && joined.includes('GOOD')).toBe(false)
})
