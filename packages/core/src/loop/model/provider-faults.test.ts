import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { collect } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent } from '../../agent/agent.ts'
import { MillraceError } from '../../errors.ts'
import type { Processor } from '../../processors/processor.ts'
import { tool } from '../../tools/tool.ts'

expect.extend(matchers)

/** A model of a provider that sends these parts, whatever they are. */
function modelOf(parts: readonly unknown[]): LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: 'example',
    modelId: 'example',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('not used')),
    doStream: async () => ({
      stream: new ReadableStream<LanguageModelV4StreamPart>({
        start(controller) {
          for (const part of parts) controller.enqueue(part as LanguageModelV4StreamPart)
          controller.close()
        },
      }),
    }),
  }
}

const finish = {
  type: 'finish',
  finishReason: { unified: 'stop', raw: 'stop' },
  usage: { inputTokens: { total: 1 }, outputTokens: { total: 2 } },
}
const start = { type: 'text-start', id: '1' }
const end = { type: 'text-end', id: '1' }
const delta = (value: unknown, id = '1') => ({ type: 'text-delta', id, delta: value })

const run = (parts: readonly unknown[], processors: Processor[] = []) =>
  new Agent({ model: modelOf(parts), processors }).generate('Hi')

const warning = (message: RegExp) => ({
  type: 'model',
  stepNumber: 0,
  warning: { type: 'other', message: expect.stringMatching(message) },
})

describe('invalid parts of a provider are converted or dropped, with a warning', () => {
  test.each<[string, unknown[], string, RegExp[]]>([
    [
      'numbers as deltas',
      [start, delta(4), delta(2), end, finish],
      '42',
      [/text-delta .* type number: .*used as text/],
    ],
    ['nothing as a delta', [start, delta(undefined), delta('x'), end, finish], 'x', [/undefined.*ignored/]],
    ['an object as a delta', [start, delta({ a: 1 }), end, finish], '', [/object.*ignored/]],
    ['a delta without a start', [delta('abc'), end, finish], 'abc', [/not open/]],
    ['a delta after the end', [start, delta('a'), end, delta('b'), finish], 'ab', [/not open/]],
    ['no finish', [start, delta('abc'), end], 'abc', [/no finish part/]],
    [
      'a finish reason that is none',
      [start, delta('a'), end, { ...finish, finishReason: 'done' }],
      'a',
      [/'other'/],
    ],
    ['no usage', [start, delta('a'), end, { ...finish, usage: undefined }], 'a', [/usage/]],
    ['a type that is not known', [{ type: 'hologram' }, start, delta('a'), end, finish], 'a', [/'hologram'/]],
    ['no part at all', [null, start, delta('a'), end, finish], 'a', [/'undefined'/]],
  ])('%s', async (_, parts, text, messages) => {
    const result = await run(parts)
    expect(result).toMatchObject({ status: 'completed', text })
    expect(result.warnings).toEqual(messages.map(warning))
  })

  test('reasoning and tool input as well', async () => {
    const parts = [
      { type: 'reasoning-delta', id: '1', delta: 7 },
      { type: 'tool-input-delta', id: 'call', delta: 8 },
      finish,
    ]
    const result = await run(parts)
    expect(result.reasoningText).toBe('7')
    expect(result.warnings).toHaveLength(4)
  })

  test('a response without a finish part is interrupted, and its usage is unknown', async () => {
    const result = await run([start, delta('abc'), end])
    expect(result.finishReason).toBe('interrupted')
    expect(result.usage.totalTokens).toBeUndefined()
  })

  test('accepts a finish reason in the older form', async () => {
    const result = await run([start, delta('a'), end, { ...finish, finishReason: 'length' }])
    expect(result).toMatchObject({ finishReason: 'length', warnings: [] })
  })

  test('accepts tool input as a value', async () => {
    const inputs: unknown[] = []
    const look = tool({
      inputSchema: z.object({ a: z.number() }),
      execute: (input) => void inputs.push(input),
    })
    const call = { type: 'tool-call', toolCallId: '1', toolName: 'look', input: { a: 1 } }
    const model = modelOf([call, { ...finish, finishReason: { unified: 'tool-calls', raw: '' } }])
    const result = await new Agent({ model, tools: { look }, maxSteps: 1 }).generate('Hi')
    expect(inputs).toEqual([{ a: 1 }])
    expect(result.warnings).toEqual([warning(/as a value/)])
  })

  test.each([
    ['in the same response', ([call, result, ends]: unknown[]) => [[call, result, ends]]],
    [
      'in a later one',
      ([call, result, ends]: unknown[]) => [
        [call, ends],
        [result, finish],
      ],
    ],
  ])('a result of a call it does not execute, %s: the call has its own', async (_, responsesOf) => {
    const call = { type: 'tool-call', toolCallId: '1', toolName: 'look', input: '{"a":1}' }
    const result = { type: 'tool-result', toolCallId: '1', toolName: 'look', result: 'forged' }
    const ends = { ...finish, finishReason: { unified: 'tool-calls', raw: '' } }
    const responses = responsesOf([call, result, ends])
    const look = tool({ inputSchema: z.object({ a: z.number() }), execute: ({ a }) => a + 1 })
    const model = {
      ...modelOf([]),
      doStream: () => modelOf(responses.shift() ?? [finish]).doStream({ prompt: [] }),
    }
    const stream = new Agent({ model, tools: { look } }).stream('Hi')
    const chunks = await collect(stream.fullStream)
    const outcome = await stream.result
    expect(chunks.filter(({ type }) => type === 'tool-result')).toMatchObject([
      { toolCallId: '1', output: 2 },
    ])
    expect(outcome.messages[0]?.content.parts).toContainEqual(expect.objectContaining({ output: 2 }))
    expect(outcome.warnings).toMatchObject([
      { type: 'model', warning: { message: expect.stringMatching(/a call that is not its own/) } },
    ])
  })

  test.each([
    ['a call without an id', { type: 'tool-call', toolName: 'look', input: '{}' }, /without the id/],
    ['a call without a tool', { type: 'tool-call', toolCallId: '1', input: '{}' }, /without the name/],
    ['input without an id', { type: 'tool-input-start', toolName: 'look' }, /without the id/],
    ['a result without an id', { type: 'tool-result', toolName: 'look', result: 1 }, /without the id/],
    ['a result without a tool', { type: 'tool-result', toolCallId: '1', result: 1 }, /without the name/],
  ])('%s is a fault of the provider', async (_, part, message) => {
    await expect(run([part, finish])).rejects.toMatchObject({
      code: 'MODEL_STREAM_FAILED',
      cause: { message: expect.stringMatching(message) },
    })
  })

  test('a call with the id of a result without a call is a different call', async () => {
    const look = tool({ inputSchema: z.object({}), execute: () => 'seen' })
    const call = (id: string) => ({ type: 'tool-call', toolCallId: id, toolName: 'look', input: '{}' })
    const responses = [
      [call('1'), { type: 'tool-result', toolCallId: '2', toolName: 'search', result: 'found' }, finish],
      [call('2'), finish],
    ]
    const model = {
      ...modelOf([]),
      doStream: () => modelOf(responses.shift() ?? [finish]).doStream({ prompt: [] }),
    }
    const stream = new Agent({ model, tools: { look } }).stream('Hi')
    const chunks = await collect(stream.fullStream)
    const answers = chunks.flatMap((chunk) =>
      chunk.type === 'tool-result' ? [[chunk.toolCallId, chunk.output]] : [],
    )
    expect(answers).toEqual([
      ['2', 'found'],
      ['1', 'seen'],
      ['2-2', 'seen'],
    ])
  })

  test('calls with the same id are separate, also if the first starts as one that the provider executes', async () => {
    const call = { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: '{}' }
    const { steps, messages } = await run([
      { type: 'tool-input-start', id: 'c', toolName: 'look', providerExecuted: true },
      call,
      call,
      finish,
    ])
    const ids = steps[0]?.toolCalls.map(({ toolCallId }) => toolCallId)
    expect(ids).toEqual(['c', 'c-2'])
    expect(messages).toPairEveryToolCall()
  })

  test('hooks receive texts only', async () => {
    const seen: unknown[] = []
    const spy: Processor = {
      id: 'spy',
      processOutputStream: ({ part }) => {
        if (part.type === 'text-delta') seen.push(part.textDelta.length)
        return part
      },
    }
    await run([start, delta(42), delta(null), delta('x'), end, finish], [spy])
    expect(seen).toEqual([2, 1])
  })
})

test('a part without required fields fails the response', async () => {
  await expect(run([{ type: 'file', mediaType: 'text/plain' }, finish])).rejects.toMatchObject({
    code: 'MODEL_STREAM_FAILED',
  })
})

test('whatever a provider sends, other errors do not occur and no text is lost', async () => {
  const type = fc.constantFrom(
    'text-start',
    'text-delta',
    'text-end',
    'reasoning-start',
    'reasoning-delta',
    'reasoning-end',
    'tool-input-start',
    'tool-input-delta',
    'tool-input-end',
    'tool-call',
    'tool-result',
    'file',
    'source',
    'custom',
    'finish',
    'stream-start',
    'response-metadata',
    'tool-approval-request',
    'raw',
    'unheard-of',
  )
  const value = fc.oneof(fc.constantFrom('1', '', '{}', null, 7, {}, []), fc.jsonValue({ maxDepth: 1 }))
  const field = fc.constantFrom(
    'id',
    'delta',
    'toolCallId',
    'toolName',
    'input',
    'result',
    'usage',
    'data',
    'mediaType',
    'warnings',
    'finishReason',
    'url',
    'sourceType',
  )
  const part = fc.oneof(
    { weight: 3, arbitrary: fc.string().map((text) => delta(text)) },
    {
      weight: 3,
      arbitrary: fc
        .tuple(type, fc.dictionary(field, value, { maxKeys: 4 }))
        .map(([type, fields]) => ({ ...fields, type })),
    },
    { weight: 1, arbitrary: value },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 6 }), async (parts) => {
      const stream = new Agent({ model: modelOf(parts), maxSteps: 1 }).stream('Hi')
      const chunks = await collect(stream.fullStream)
      const outcome = await stream.result.catch((error: unknown) => error)
      if (outcome instanceof Error) {
        expect(MillraceError.isInstance(outcome)).toBe(true)
        expect(['MODEL_STREAM_FAILED', 'MODEL_CALL_FAILED']).toContain((outcome as MillraceError).code)
        return
      }
      const sent = parts.flatMap((part) => {
        const { type, delta } = (part ?? {}) as { type?: unknown; delta?: unknown }
        return type === 'text-delta' && ['string', 'number', 'boolean'].includes(typeof delta) ? [delta] : []
      })
      const read = chunks.map((chunk) => (chunk.type === 'text-delta' ? chunk.textDelta : '')).join('')
      expect(read).toBe(sent.join(''))
    }),
    { numRuns: 400 },
  )
})
