import {
  collect,
  cut,
  finish,
  gate,
  raw,
  reasoning,
  ScriptedModel,
  text,
  toolCall,
  toolResult,
} from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { tool as aiTool, dynamicTool } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent } from '../../agent/agent.ts'
import type { AgentOptions } from '../../agent/agent-options.ts'
import type { Chunk } from '../../results/chunk.ts'
import { Suspend } from '../../signals.ts'
import { type Tool, tool } from '../../tools/tool.ts'

expect.extend(matchers)

const anything = z.object({}).loose()

function echo(calls: unknown[] = []) {
  return tool({
    inputSchema: z.object({ say: z.string() }),
    execute: (input) => {
      calls.push(input)
      return `echo ${input.say}`
    },
  })
}

/** Runs an agent whose model makes one turn with calls and then answers. */
async function run(
  turn: ConstructorParameters<typeof ScriptedModel>[0] & readonly any[],
  options: Partial<AgentOptions>,
) {
  const model = new ScriptedModel([...turn, 'Done.', 'Done.'])
  const agent = new Agent({ model, ...options })
  const stream = agent.stream('Go')
  const chunks = await collect(stream.fullStream)
  return { model, chunks, result: await stream.result }
}

function ofType<TYPE extends Chunk['type']>(chunks: readonly Chunk[], type: TYPE) {
  return chunks.filter((chunk): chunk is Extract<Chunk, { type: TYPE }> => chunk.type === type)
}

describe('calls', () => {
  test('runs a call with its parsed and validated input and shows the model the result', async () => {
    const inputs: unknown[] = []
    const lookup = tool({
      inputSchema: z.object({ id: z.coerce.number(), limit: z.number().default(10) }),
      execute: (input) => {
        inputs.push(input)
        return { found: input.id }
      },
    })
    const { model, chunks, result } = await run([toolCall('lookup', { id: '7' })], { tools: { lookup } })

    expect(inputs).toEqual([{ id: 7, limit: 10 }])
    expect(result.steps[0]?.toolCalls).toMatchObject([{ toolName: 'lookup', input: { id: 7, limit: 10 } }])
    expect(result.steps[0]?.toolResults).toMatchObject([{ status: 'success', output: { found: 7 } }])
    expect(ofType(chunks, 'tool-result')).toMatchObject([{ toolCallId: 'call-1', output: { found: 7 } }])
    expect(model.lastPrompt).toPairEveryToolCall()
    // The transcript keeps what the model wrote.
    expect(model.lastPrompt[1]).toMatchObject({ content: [{ type: 'tool-call', input: { id: '7' } }] })
    expect(model.lastPrompt[2]).toMatchObject({
      role: 'tool',
      content: [{ type: 'tool-result', output: { type: 'json', value: { found: 7 } } }],
    })
  })

  test('gives a tool its call id, the prompt without system messages, the signal and the request context', async () => {
    let seen: any
    const look = tool({
      inputSchema: anything,
      execute: (_, options) => {
        seen = options
        return 'ok'
      },
    })
    await run([toolCall('look', {}, { id: 'the-call' })], { tools: { look }, instructions: 'Be brief.' })
    expect(seen.toolCallId).toBe('the-call')
    expect(seen.messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'Go' }] }])
    expect(seen.abortSignal).toBeInstanceOf(AbortSignal)
    expect(seen.requestContext.get('nothing')).toBeUndefined()
  })

  test('accepts an empty input for a tool without parameters', async () => {
    const { result } = await run([toolCall('look', {}, { rawInput: '' })], {
      tools: { look: tool({ inputSchema: z.object({}), execute: () => 'seen' }) },
    })
    expect(result.steps[0]?.toolResults).toMatchObject([{ status: 'success', output: 'seen' }])
  })

  test('runs calls in parallel, at most as many as the agent allows', async () => {
    let running = 0
    let most = 0
    const gates = Array.from({ length: 6 }, () => latch())
    const work = tool({
      inputSchema: z.object({ index: z.number() }),
      execute: async ({ index }) => {
        most = Math.max(most, ++running)
        if (running === 2) for (const { release } of gates) release()
        await gates[index]?.released
        running--
        return index
      },
    })
    const calls = gates.map((_, index) => toolCall('work', { index }))
    const { result } = await run([calls], { tools: { work }, toolConcurrency: 2 })
    expect(most).toBe(2)
    expect(result.steps[0]?.toolResults.map((item) => item.status === 'success' && item.output)).toEqual([
      0, 1, 2, 3, 4, 5,
    ])
  })

  test('emits results in the order of the calls, in whatever order they finish', async () => {
    const done = [latch(), latch(), latch()]
    const work = tool({
      inputSchema: z.object({ index: z.number() }),
      execute: async ({ index }) => {
        await done[index + 1]?.released
        done[index]?.release()
        return index
      },
    })
    const { model, chunks, result } = await run([[0, 1, 2].map((index) => toolCall('work', { index }))], {
      tools: { work },
    })
    expect(ofType(chunks, 'tool-result').map(({ output }) => output)).toEqual([0, 1, 2])
    expect(result.steps[0]?.toolResults.map(({ toolCallId }) => toolCallId)).toEqual([
      'call-1',
      'call-2',
      'call-3',
    ])
    expect(model.lastPrompt).toPairEveryToolCall()
  })
})

describe('calls that cannot run get an error result, which the model sees once', () => {
  const cases: [string, any, Partial<AgentOptions>, RegExp][] = [
    ['an unknown tool', toolCall('nothing', { say: 'x' }), {}, /no tool 'nothing'.*echo/],
    ['a name from Object.prototype', toolCall('constructor'), {}, /no tool 'constructor'/],
    ['the name __proto__', toolCall('__proto__'), {}, /no tool '__proto__'/],
    ['invalid JSON', toolCall('echo', {}, { rawInput: '{"say": "x' }), {}, /not valid JSON/],
    ['input against the schema', toolCall('echo', { say: 7 }), {}, /not valid: say/],
    ['a tool outside activeTools', toolCall('echo', { say: 'x' }), { activeTools: [] }, /no tool 'echo'/],
    ["toolChoice 'none'", toolCall('echo', { say: 'x' }), { toolChoice: 'none' }, /no tool 'echo'/],
  ]
  test.each(cases)('%s', async (_, call, options, expected) => {
    const inputs: unknown[] = []
    const { model, chunks, result } = await run([['Trying. ', call]], {
      tools: { echo: echo(inputs) },
      ...options,
    })

    expect(inputs).toEqual([])
    expect(result).toBeCompleted()
    expect(result.steps[0]?.toolResults).toMatchObject([
      { status: 'error', error: expect.stringMatching(expected) },
    ])
    expect(ofType(chunks, 'tool-error')).toHaveLength(1)
    expect(model.callCount).toBe(2)
    expect(model.lastPrompt).toPairEveryToolCall()
    const errors = JSON.stringify(model.lastPrompt).match(/error-text/g)
    expect(errors).toHaveLength(1)
    expect(result.messages).toPairEveryToolCall()
  })

  test.each([
    ['an error', () => thrown(new Error('Out of paper.')), 'Out of paper.'],
    ['an error after a wait', () => Promise.reject(new RangeError('Too far.')), 'Too far.'],
    ['an error without a message', () => thrown(new TypeError()), 'TypeError'],
    ['something else', () => thrown('a string'), 'a string'],
  ] as const)('a tool that throws %s', async (_, execute, error) => {
    const { model, result } = await run([toolCall('print')], {
      tools: { print: tool({ inputSchema: anything, execute: execute as () => string }) },
    })
    expect(result.steps[0]?.toolResults).toMatchObject([{ status: 'error', error }])
    expect(model.lastPrompt.at(-1)).toMatchObject({
      role: 'tool',
      content: [{ output: { type: 'error-text', value: error } }],
    })
  })

  test('a schema whose validation throws', async () => {
    const { result } = await run([toolCall('look')], {
      tools: {
        look: tool({
          inputSchema: z.object({}).refine(() => thrown(new Error('Broken rule.'))),
          execute: () => 'never',
        }),
      },
    })
    expect(result.steps[0]?.toolResults).toMatchObject([
      { status: 'error', error: expect.stringContaining('Broken rule.') },
    ])
  })

  test('a tool without execute', async () => {
    const { model, result } = await run([toolCall('ask')], { tools: { ask: { inputSchema: anything } } })
    if (result.status === 'completed') expect(model.lastPrompt).toPairEveryToolCall()
  })

  test('an invalid call does not prevent the others from running', async () => {
    const inputs: unknown[] = []
    const { model, result } = await run(
      [[toolCall('echo', { say: 'a' }), toolCall('nothing'), toolCall('echo', { say: 'b' })]],
      { tools: { echo: echo(inputs) } },
    )
    expect(inputs).toEqual([{ say: 'a' }, { say: 'b' }])
    expect(result.steps[0]?.toolResults.map(({ status }) => status)).toEqual(['success', 'error', 'success'])
    expect(model.lastPrompt).toPairEveryToolCall()
  })
})

describe('a response that ended early', () => {
  const cutOff = ['length', 'content-filter', 'error'] as const
  test.each(cutOff)('has none of its calls executed: %s', async (reason) => {
    const inputs: unknown[] = []
    const { model, chunks, result } = await run(
      [['Half ', toolCall('echo', { say: 'x' }), finish({ reason })]],
      { tools: { echo: echo(inputs) } },
    )
    expect(inputs).toEqual([])
    expect(model.callCount).toBe(1)
    expect(result.finishReason).toBe(reason)
    expect(result.steps[0]?.toolResults).toMatchObject([{ status: 'error' }])
    expect(result.messages).toPairEveryToolCall()
    expect(chunks).toHaveChunkTypes(
      [
        ...['start', 'step-start', 'text-start', 'text-delta', 'text-end'],
        ...['tool-input-start', 'tool-input-delta', 'tool-input-end', 'tool-call', 'tool-error'],
        ...['step-finish', 'finish'],
      ],
      { mergeDeltas: true },
    )
  })

  test('has none of its calls executed: the stream closed without a finish part', async () => {
    const inputs: unknown[] = []
    const { result } = await run([['Half ', toolCall('echo', { say: 'x' }), cut()]], {
      tools: { echo: echo(inputs) },
    })
    expect(inputs).toEqual([])
    expect(result.messages).toPairEveryToolCall()
  })
})

describe('preliminary results', () => {
  const progress = tool({
    inputSchema: anything,
    async *execute() {
      yield '10 %'
      yield '50 %'
      yield 'done'
    },
  })

  test('are emitted as they arrive; the last value is the result', async () => {
    const { model, chunks, result } = await run([toolCall('progress')], { tools: { progress } })
    expect(ofType(chunks, 'tool-result').map(({ output, preliminary }) => [output, preliminary])).toEqual([
      ['10 %', true],
      ['50 %', true],
      ['done', true],
      ['done', undefined],
    ])
    expect(result.steps[0]?.toolResults).toMatchObject([{ status: 'success', output: 'done' }])
    expect(result.messages).toPairEveryToolCall()
    expect(JSON.stringify(model.lastPrompt)).not.toContain('50 %')
    expect(model.lastPrompt).toPairEveryToolCall()
  })

  test('are followed by one error if the tool throws after some', async () => {
    const { model, result } = await run([toolCall('breaks')], {
      tools: {
        breaks: tool({
          inputSchema: anything,
          async *execute() {
            yield 'half'
            throw new Error('Broke off.')
          },
        }),
      },
    })
    expect(result.steps[0]?.toolResults).toMatchObject([{ status: 'error', error: 'Broke off.' }])
    expect(model.lastPrompt).toPairEveryToolCall()
    expect(model.lastPrompt).toLeakNothingOf('half')
  })

  test('an abort on one of them ends the run', async () => {
    const { chunks, result } = await run([toolCall('progress')], {
      tools: { progress },
      processors: [
        {
          id: 'guard',
          processOutputStream: ({ part, abort }) => {
            if (part.type === 'tool-result' && part.output === '50 %') abort('Halfway is enough.')
            return part
          },
        },
      ],
    })
    expect(result).toHaveTripped({ reason: 'Halfway is enough.', hook: 'processOutputStream' })
    expect(ofType(chunks, 'tool-result').map(({ output }) => output)).toEqual(['10 %'])
  })

  test('an error on one of them fails the run and is not an error of the tool', async () => {
    const model = new ScriptedModel([toolCall('progress'), 'unused'])
    const agent = new Agent({
      model,
      tools: { progress },
      processors: [
        {
          id: 'judge',
          processOutputStream: async ({ part }) =>
            part.type === 'tool-result' ? thrown(new Error('Judge is down.')) : part,
        },
      ],
    })
    await expect(agent.generate('Go')).rejects.toMatchObject({ code: 'PROCESSOR_FAILED' })
    expect(model.callCount).toBe(1)
  })
})

describe('tools that the provider runs', () => {
  test('are not executed here, and their results stay with their calls', async () => {
    let ran = 0
    const search = tool({ inputSchema: anything, execute: () => ++ran })
    const { model, result } = await run(
      [
        [
          toolCall('search', { q: 'x' }, { providerExecuted: true }),
          toolResult('search', { hits: 2 }),
          'Found. ',
          toolCall('echo', { say: 'x' }),
        ],
      ],
      { tools: { search, echo: echo() } },
    )
    expect(ran).toBe(0)
    expect(result.steps[0]?.toolResults).toMatchObject([
      { toolName: 'search', status: 'success', output: { hits: 2 }, providerExecuted: true },
      { toolName: 'echo', status: 'success', output: 'echo x' },
    ])
    expect(model.lastPrompt).toPairEveryToolCall()
    expect(model.lastPrompt[1]).toMatchObject({
      role: 'assistant',
      content: [
        { type: 'tool-call', providerExecuted: true },
        { type: 'tool-result', output: { type: 'json', value: { hits: 2 } } },
        { type: 'text' },
        { type: 'tool-call' },
      ],
    })
  })

  test('do not continue the loop by themselves', async () => {
    const { model, result } = await run(
      [
        [
          toolCall('search', {}, { providerExecuted: true, dynamic: true }),
          toolResult('search', 'hit'),
          'Yes.',
        ],
      ],
      {},
    )
    expect(model.callCount).toBe(1)
    expect(result).toHaveText('Yes.')
  })

  test('may fail there', async () => {
    const { result } = await run(
      [
        [
          toolCall('search', {}, { providerExecuted: true }),
          toolResult('search', 'Quota spent.', { isError: true }),
          'Sorry.',
        ],
      ],
      { tools: { search: { type: 'provider', id: 'scripted.search', args: {}, inputSchema: anything } } },
    )
    expect(result.steps[0]?.toolResults).toMatchObject([{ status: 'error', error: 'Quota spent.' }])
  })

  test('are described to the model by id and arguments', async () => {
    const { model } = await run(['Hello.'], {
      tools: {
        search: { type: 'provider', id: 'scripted.search', args: { size: 3 }, inputSchema: anything },
      },
    })
    expect(model.lastCall.tools).toEqual([
      { type: 'provider', name: 'search', id: 'scripted.search', args: { size: 3 } },
    ])
  })
})

describe('tools of the AI SDK', () => {
  test('tool() and dynamicTool() run as they are', async () => {
    const { result } = await run([[toolCall('weather', { city: 'Oslo' }), toolCall('anything', { a: 1 })]], {
      tools: {
        weather: aiTool({
          description: 'The weather',
          inputSchema: z.object({ city: z.string() }),
          execute: ({ city }) => `Rain in ${city}`,
        }) as Tool,
        anything: dynamicTool({ inputSchema: z.unknown(), execute: async (input) => ({ input }) }) as Tool,
      },
    })
    expect(result.steps[0]?.toolResults).toMatchObject([
      { status: 'success', output: 'Rain in Oslo' },
      { status: 'success', output: { input: { a: 1 } }, dynamic: true },
    ])
    expect(result.messages[0]?.content.parts.map(({ type }) => type)).toContain('dynamic-tool')
  })

  test('toModelOutput only changes what the model receives', async () => {
    const { model, result } = await run([toolCall('shot')], {
      tools: {
        shot: tool({
          inputSchema: anything,
          execute: () => ({ bytes: 'AAAA' }),
          toModelOutput: ({ output, toolCallId }) => ({
            type: 'text',
            value: `${toolCallId}: ${output.bytes}`,
          }),
        }),
      },
    })
    expect(model.lastPrompt.at(-1)).toMatchObject({
      content: [{ output: { type: 'text', value: 'call-1: AAAA' } }],
    })
    expect(result.steps[0]?.toolResults).toMatchObject([{ output: { bytes: 'AAAA' } }])
  })
})

describe('an output', () => {
  const showing = (toModelOutput: NonNullable<Tool['toModelOutput']>, output: unknown = 1) => ({
    tools: { look: { ...tool({ inputSchema: anything, execute: () => output }), toModelOutput } },
  })

  test('that is a cycle is allowed if the tool has toModelOutput', async () => {
    const circle: Record<string, unknown> = {}
    circle.self = circle
    const { result } = await run(
      [toolCall('look')],
      showing(() => ({ type: 'text', value: 'ok' }), circle),
    )
    expect(result).toHaveText('Done.')
  })

  test('whose toModelOutput throws does not end the run', async () => {
    const { model, result } = await run(
      [toolCall('look')],
      showing(() => thrown(new Error('boom'))),
    )
    expect(result).toHaveText('Done.')
    expect(model.lastPrompt).toPairEveryToolCall()
  })

  test("may be content in the AI SDK's forms", async () => {
    const url = 'https://example.com/a.png'
    const { model } = await run(
      [toolCall('look')],
      showing(() => ({ type: 'content', value: [{ type: 'image-url', url }] }) as never),
    )
    expect(model.lastPrompt.at(-1)).toMatchObject({
      content: [{ output: { type: 'content', value: [{ type: 'file' }] } }],
    })
  })
})

describe('call ids', () => {
  test('are made unique where a response uses one twice', async () => {
    const inputs: unknown[] = []
    const { model, chunks, result } = await run(
      [[toolCall('echo', { say: 'a' }, { id: 'x' }), toolCall('echo', { say: 'b' }, { id: 'x' })]],
      { tools: { echo: echo(inputs) } },
    )
    expect(inputs).toEqual([{ say: 'a' }, { say: 'b' }])
    expect(new Set(result.steps[0]?.toolCalls.map(({ toolCallId }) => toolCallId)).size).toBe(2)
    expect(model.lastPrompt).toPairEveryToolCall()
    const ids = new Set(ofType(chunks, 'tool-call').map(({ toolCallId }) => toolCallId))
    for (const { toolCallId } of ofType(chunks, 'tool-input-start')) expect(ids).toContain(toolCallId)
    for (const { toolCallId } of ofType(chunks, 'tool-input-delta')) expect(ids).toContain(toolCallId)
  })

  test('are made unique where every response numbers its calls anew', async () => {
    const inputs: unknown[] = []
    const turn = (say: string) => toolCall('echo', { say }, { id: '0', streamInput: false })
    const { model, result } = await run([turn('a'), turn('b'), turn('c')], { tools: { echo: echo(inputs) } })
    expect(inputs).toEqual([{ say: 'a' }, { say: 'b' }, { say: 'c' }])
    expect(
      new Set(result.steps.flatMap(({ toolCalls }) => toolCalls.map((call) => call.toolCallId))).size,
    ).toBe(3)
    expect(
      result.steps.map(({ toolResults }) => toolResults.map((item) => 'output' in item && item.output)),
    ).toEqual([['echo a'], ['echo b'], ['echo c'], []])
    expect(model.lastPrompt).toPairEveryToolCall()
  })

  test('are made unique against the calls of the history', async () => {
    const model = new ScriptedModel([toolCall('echo', { say: 'new' }, { id: 'x' }), 'Done.'])
    const agent = new Agent({ model, tools: { echo: echo() } })
    const result = await agent.generate(
      [
        { role: 'user', content: 'Go' },
        {
          role: 'assistant',
          content: [{ type: 'tool-call', toolCallId: 'x', toolName: 'echo', input: { say: 'old' } }],
        },
        {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              toolCallId: 'x',
              toolName: 'echo',
              output: { type: 'text', value: 'old' },
            },
          ],
        },
        { role: 'user', content: 'Again' },
      ],
      { trusted: true },
    )
    expect(result.steps[0]?.toolResults).toMatchObject([{ output: 'echo new' }])
    expect(model.lastPrompt).toPairEveryToolCall()
  })
})

describe('the loop around tools', () => {
  const look = tool({ inputSchema: anything, execute: () => 'seen' })

  test('continues with reasoning, text and calls of each step in the next prompt', async () => {
    const { model } = await run([[reasoning('Hm.'), 'Looking. ', toolCall('look')]], { tools: { look } })
    expect(model.lastPrompt.slice(1)).toMatchObject([
      {
        role: 'assistant',
        content: [{ type: 'reasoning', text: 'Hm.' }, { type: 'text' }, { type: 'tool-call' }],
      },
      { role: 'tool', content: [{ type: 'tool-result', output: { type: 'text', value: 'seen' } }] },
    ])
  })

  test("ends as 'limit' after the last step if the model still calls tools", async () => {
    const model = new ScriptedModel(() => ['More. ', toolCall('look')])
    const stream = new Agent({ model, tools: { look }, maxSteps: 3 }).stream('Go')
    const chunks = await collect(stream.fullStream)
    const result = await stream.result
    expect(result).toHaveStatus('limit')
    expect(result.steps).toHaveLength(3)
    expect(result.finishReason).toBe('tool-calls')
    expect(result.steps[2]?.toolResults).toHaveLength(1)
    expect(chunks.at(-1)).toMatchObject({ type: 'finish', status: 'limit' })
    expect(model.callCount).toBe(3)
  })

  test('ends as completed when a stop condition is true', async () => {
    const seen: number[] = []
    const model = new ScriptedModel(() => toolCall('look'))
    const agent = new Agent({ model, tools: { look } })
    const result = await agent.generate('Go', {
      stopWhen: [
        ({ steps }) => {
          seen.push(steps.length)
          return false
        },
        async ({ steps }) => steps.length === 2,
      ],
    })
    expect(result).toBeCompleted()
    expect(seen).toEqual([1, 2])
    expect(result.steps).toHaveLength(2)
  })

  test('drops a call that a stream hook drops', async () => {
    const inputs: unknown[] = []
    const { model, result } = await run([[toolCall('echo', { say: 'x' }), text('Text.')]], {
      tools: { echo: echo(inputs) },
      processors: [
        {
          id: 'no-calls',
          processOutputStream: ({ part }) => (part.type.startsWith('tool-') ? undefined : part),
        },
      ],
    })
    expect(inputs).toEqual([])
    expect(model.callCount).toBe(1)
    expect(result).toHaveText('Text.')
    expect(result.steps[0]?.toolCalls).toEqual([])
  })

  test('runs the call after the stream hook, not the one before', async () => {
    const inputs: unknown[] = []
    const { result } = await run([toolCall('echo', { say: 'secret' })], {
      tools: { echo: echo(inputs) },
      processors: [
        {
          id: 'rewriter',
          processOutputStream: ({ part }) => {
            if (part.type === 'tool-input-delta') return undefined
            return part.type === 'tool-call' ? { ...part, input: { say: 'safe' } } : part
          },
        },
      ],
    })
    expect(inputs).toEqual([{ say: 'safe' }])
    expect(result).toLeakNothingOf('secret')
  })

  test('starts no tool before the response is complete', async () => {
    const inputs: unknown[] = []
    const stop = gate()
    const model = new ScriptedModel([[toolCall('echo', { say: 'x' }), stop, 'And more.'], 'Done.'])
    const result = new Agent({ model, tools: { echo: echo(inputs) } }).generate('Go')
    await stop.reached
    expect(inputs).toEqual([])
    stop.open()
    await result
    expect(inputs).toEqual([{ say: 'x' }])
  })
})

function thrown(error: unknown): never {
  throw error
}

function latch(): { released: Promise<void>; release: () => void } {
  let release = (): void => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  return { released, release }
}

test.each(['live', 'step'] as const)(
  'emits a call before its error where processOutputStep may change calls: emit %s',
  async (emit) => {
    const { chunks } = await run([[toolCall('echo', { say: 'x' }), finish({ reason: 'length' })]], {
      tools: { echo: echo() },
      emit,
      processors: [{ id: 'looker', processOutputStep: () => {} }],
    })
    const types = chunks.map(({ type }) => type)
    expect(types.indexOf('tool-call')).toBeLessThan(types.indexOf('tool-error'))
    expect(types.indexOf('tool-error')).toBeLessThan(types.indexOf('step-finish'))
  },
)

test('reports as much as possible of what a tool throws', async () => {
  const thrown = [new Error('broken'), new TypeError(), 'a text', { message: 'of an API' }, undefined, null]
  const tools = {
    throws: tool({
      inputSchema: z.object({ at: z.number() }),
      execute: ({ at }) => {
        throw thrown[at]
      },
    }),
  }
  const { result } = await run([thrown.map((_, at) => toolCall('throws', { at }))], { tools })
  expect(result.steps[0]?.toolResults.map((one) => one.status === 'error' && one.error)).toEqual([
    'broken',
    'TypeError',
    'a text',
    'of an API',
    'undefined',
    'null',
  ])
})

test('an output that is not JSON is an error that the model and a chat client see', async () => {
  const circle: { self?: unknown } = {}
  circle.self = circle
  for (const output of [new Map(), { rows: [{ ids: new Set([1]) }] }, circle]) {
    const model = new ScriptedModel([toolCall('count'), 'Done.'])
    const count = tool({ inputSchema: z.object({}), execute: () => output as unknown })
    const response = new Agent({ model, tools: { count } }).stream('Go').toUIMessageStreamResponse()
    const events = await response.text()
    expect(events).toContain('"type":"tool-output-error"')
    expect(events).toContain('"delta":"Done."')
    expect(model.lastPrompt.at(-1)?.content).toMatchObject([
      {
        output: {
          type: 'error-text',
          value: expect.stringContaining("output of 'count' is not JSON: output"),
        },
      },
    ])
  }
})

describe('the input callbacks of a tool', () => {
  function listening(log: unknown[], overrides: Partial<Tool> = {}) {
    return aiTool({
      inputSchema: z.object({ say: z.string().default('nothing') }),
      onInputStart: ({ toolCallId, messages }) => void log.push(['start', toolCallId, messages.length]),
      onInputDelta: () => void log.push(['delta']),
      onInputAvailable: async ({ input, toolCallId }) => void log.push(['available', input, toolCallId]),
      execute: ({ say }) => {
        log.push(['execute', say])
        return 'said'
      },
      ...(overrides as object),
    })
  }

  test("are called directly before it executes, as the AI SDK's tools expect it without streaming", async () => {
    const log: unknown[] = []
    await run([toolCall('echo', {}, { id: 'a' })], {
      tools: { echo: listening(log) },
    })
    expect(log).toEqual([
      ['start', 'a', 1],
      ['available', { say: 'nothing' }, 'a'],
      ['execute', 'nothing'],
    ])
  })

  test('are not called for a call that is denied, or whose input is invalid', async () => {
    const log: unknown[] = []
    await run([[toolCall('echo', { say: 'no' }), toolCall('echo', { say: 1 })]], {
      tools: { echo: listening(log) },
      processors: [
        {
          id: 'guard',
          processToolCall: ({ toolCall: { input } }) =>
            (input as { say: unknown }).say === 'no' ? { deny: 'No.' } : undefined,
        },
      ],
    })
    expect(log).toEqual([])
  })

  test('are called once, also if the call suspends and continues', async () => {
    const log: unknown[] = []
    const execute = (_: unknown, { resumeData }: { resumeData?: unknown }) => {
      log.push('execute')
      if (resumeData === undefined) throw new Suspend()
      return 'said'
    }
    const agent = new Agent({
      model: new ScriptedModel([toolCall('echo', {}, { id: 'a' }), 'Done.']),
      tools: { echo: listening(log, { execute }) },
    })
    const suspended = await agent.generate('Go')
    await suspended.suspension?.resume('go on')
    expect(log).toEqual([['start', 'a', 1], ['available', { say: 'nothing' }, 'a'], 'execute', 'execute'])
  })

  test('fail the call if they throw', async () => {
    const log: unknown[] = []
    const onInputAvailable = () => Promise.reject(new Error('Cannot hear.'))
    const { result } = await run([toolCall('echo')], {
      tools: { echo: listening(log, { onInputAvailable }) },
    })
    expect(result.steps[0]?.toolResults).toMatchObject([{ status: 'error', error: 'Cannot hear.' }])
    expect(log).toEqual([['start', 'call-1', 1]])
  })
})

test('a provider that waits for the approval of its own call is reported', async () => {
  const { result } = await run(
    [
      raw(
        { type: 'tool-call', toolCallId: 'a', toolName: 'mcp', input: '{}', providerExecuted: true },
        { type: 'tool-approval-request', approvalId: 'b', toolCallId: 'a' },
      ),
    ],
    {},
  )
  expect(result.warnings).toMatchObject([
    { type: 'model', warning: { type: 'unsupported', feature: 'tool-approval-request' } },
  ])
})
