import type { LanguageModelV4, LanguageModelV4Prompt, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { Agent, type Chunk, isStepCount, type RunResult, tool } from '@millrace/core'
import fc from 'fast-check'
import { z } from 'zod'
import { type FuzzTarget, hold, same } from '../target.ts'
import { oddWords, withOddValues } from './odd-values.ts'
import { holdPaired, holdStated } from './prompt.ts'

/** The model's responses: a list of parts for each call. */
type Responses = unknown[][]

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
const finish = { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage }
const called = { type: 'finish', finishReason: { unified: 'tool-calls' }, usage }
const call = (toolName: string, input: unknown, toolCallId = 'c1') => ({
  type: 'tool-call',
  toolCallId,
  toolName,
  input: JSON.stringify(input),
})
const says = (text: string, id = '1') => [
  { type: 'text-start', id },
  { type: 'text-delta', id, delta: text },
  { type: 'text-end', id },
]

const ids = fc.constantFrom('1', '2', 'c1', 'c2')
const part = fc.oneof(
  fc.record({ type: fc.constantFrom('text-start', 'text-end', 'reasoning-start', 'reasoning-end'), id: ids }),
  fc.record({
    type: fc.constantFrom('text-delta', 'reasoning-delta'),
    id: ids,
    delta: fc.constantFrom('a', 'b ', '', '😀'),
  }),
  fc.record({ type: fc.constant('tool-input-start'), id: ids, toolName: fc.constantFrom('add', 'none') }),
  fc.record({
    type: fc.constantFrom('tool-input-delta', 'tool-input-end'),
    id: ids,
    delta: fc.constant('{}'),
  }),
  fc.record({
    type: fc.constant('tool-call'),
    toolCallId: ids,
    toolName: fc.constantFrom('add', 'fail', 'count', 'none'),
    input: fc.constantFrom('{"a":1}', '{}', '', '{', '[]', 'null'),
  }),
  fc.constantFrom<unknown>(finish, called, ...oddWords),
)

/** For any parts of a provider, the run ends, reports errors with a code, and emits valid output. */
export const providerParts: FuzzTarget = {
  covers: ['packages/core/src'],
  dictionary: [
    ...['type', 'id', 'delta', 'toolCallId', 'toolName', 'input', 'text-start', 'text-delta', 'text-end'],
    ...[
      'reasoning-start',
      'reasoning-delta',
      'reasoning-end',
      'tool-input-start',
      'tool-input-delta',
      'tool-input-end',
    ],
    ...[
      'tool-call',
      'tool-result',
      'tool-approval-request',
      'approvalId',
      'result',
      'isError',
      'preliminary',
      'file',
    ],
    ...[
      'reasoning-file',
      'mediaType',
      'data',
      'source',
      'sourceType',
      'url',
      'custom',
      'kind',
      'finish',
      'stream-start',
    ],
    ...[
      'warnings',
      'response-metadata',
      'timestamp',
      'modelId',
      'raw',
      'rawValue',
      'error',
      'finishReason',
      'unified',
    ],
    ...[
      'usage',
      'inputTokens',
      'outputTokens',
      'total',
      'providerExecuted',
      'dynamic',
      'title',
      'providerMetadata',
    ],
    ...[
      'add',
      'fail',
      'count',
      'none',
      '__proto__',
      'c1',
      'c2',
      '1',
      '2',
      '{"a":1}',
      '{',
      'inputEncoding',
      'ping',
    ],
    ...oddWords,
  ],
  seeds: () => [
    [[...says('Hello'), finish]],
    [
      [
        { type: 'reasoning-start', id: '1' },
        { type: 'reasoning-delta', id: '1', delta: 'Hm.' },
        ...says('Hi', '2'),
        finish,
      ],
    ],
    [
      [call('add', { a: 1 }), called],
      [...says('1'), finish],
    ],
    [
      [call('add', { a: 1 }), call('fail', {}, 'c2'), called],
      [call('count', {}), called],
      [...says('2'), finish],
    ],
    [
      [
        { type: 'stream-start', warnings: [{ type: 'other', message: 'old' }] },
        { type: 'response-metadata', id: 'r', modelId: 'm', timestamp: '$date' },
        { type: 'tool-input-start', id: 'c1', toolName: 'add' },
        { type: 'tool-input-delta', id: 'c1', delta: '{"a":1}' },
        { type: 'tool-input-end', id: 'c1' },
        call('add', { a: 1 }),
        { ...call('search', {}, 'c2'), providerExecuted: true },
        { type: 'tool-result', toolCallId: 'c2', toolName: 'search', result: { a: 1 } },
        { type: 'source', sourceType: 'url', id: 's', url: 'https://example.com' },
        { type: 'file', mediaType: 'image/png', data: { type: 'data', data: '$bytes' } },
        called,
      ],
    ],
    [[{ type: 'text-delta', id: '1', delta: 'no start' }]],
    [
      [
        { type: 'text-start', id: '1' },
        { type: 'text-delta', id: '1', delta: 7 },
      ],
    ],
    [[...says('a'), { type: 'error', error: '$error' }]],
    [[]],
  ],
  arbitrary: fc.array(fc.array(part, { maxLength: 8 }), { minLength: 1, maxLength: 3 }),
  async run(input) {
    if (!Array.isArray(input) || input.length > 8 || !input.every(Array.isArray)) return
    const responses = input.map((parts) => parts.map(withOddValues)) as Responses
    const generated = await end(async (agent) => agent.generate('Go'), responses)
    const streamed = await end(async (agent) => {
      const chunks: Chunk[] = []
      const stream = agent.stream('Go')
      for await (const chunk of stream.fullStream) chunks.push(chunk)
      const result = await stream.result
      compare(chunks, result)
      return result
    }, responses)
    hold(same(outcomeOf(generated), outcomeOf(streamed)), () => {
      return `generate: ${JSON.stringify(outcomeOf(generated))}, stream: ${JSON.stringify(outcomeOf(streamed))}`
    })
  },
}

async function end(
  run: (agent: Agent) => Promise<RunResult>,
  responses: Responses,
): Promise<RunResult | undefined> {
  const prompts: LanguageModelV4Prompt[] = []
  const agent = new Agent({
    model: modelOf(responses, prompts),
    stopWhen: isStepCount(4),
    tools: {
      add: tool({ inputSchema: z.object({ a: z.number() }), execute: ({ a }) => a + 1 }),
      fail: tool({ inputSchema: z.object({}), execute: () => Promise.reject(new Error('No.')) }),
      count: tool({
        inputSchema: z.object({}),
        async *execute() {
          yield 1
          yield 2
        },
      }),
    },
  })
  try {
    return await run(agent)
  } catch (error) {
    holdStated(error)
    return undefined
  } finally {
    for (const prompt of prompts) holdPaired(prompt)
  }
}

function modelOf(responses: Responses, prompts: LanguageModelV4Prompt[]): LanguageModelV4 {
  let asked = 0
  return {
    specificationVersion: 'v4',
    provider: 'fuzz',
    modelId: 'fuzz',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('The agent streams.')),
    async doStream({ prompt }) {
      prompts.push(structuredClone(prompt))
      const parts = responses[asked++] ?? [...says('End.'), finish]
      return { stream: ReadableStream.from(parts as LanguageModelV4StreamPart[]) }
    },
  }
}

/** The stream and its result are equal, and every call has one answer. */
function compare(chunks: readonly Chunk[], result: RunResult): void {
  const last = chunks.slice(chunks.findLastIndex(({ type }) => type === 'step-start') + 1)
  const text = textOf(last)
  hold(
    result.text === text,
    () => `streamed ${JSON.stringify(text)}, and the result has ${JSON.stringify(result.text)}`,
  )
  hold(chunks.at(-1)?.type === 'finish', () => `the last chunk is ${chunks.at(-1)?.type}`)
  if (result.status !== 'completed' && result.status !== 'limit') return
  const answers = new Map<string, number>()
  for (const chunk of chunks) {
    // Provider-executed calls need no answer.
    if (chunk.type === 'tool-call' && !chunk.providerExecuted) answers.set(chunk.toolCallId, 0)
  }
  for (const chunk of chunks) {
    if (chunk.type === 'tool-error' || chunk.type === 'tool-denied' || chunk.type === 'tool-result') {
      if ('preliminary' in chunk && chunk.preliminary) continue
      const count = answers.get(chunk.toolCallId)
      if (count !== undefined) answers.set(chunk.toolCallId, count + 1)
    }
  }
  for (const [id, count] of answers) hold(count === 1, () => `the call ${id} has ${count} answers`)
}

/** The text of the parts, in the order of their starts. */
function textOf(chunks: readonly Chunk[]): string {
  const parts: string[] = []
  const open = new Map<string, number>()
  for (const chunk of chunks) {
    if (chunk.type === 'text-start') open.set(chunk.id, parts.push('') - 1)
    else if (chunk.type === 'text-end') open.delete(chunk.id)
    else if (chunk.type === 'text-delta') {
      const index = open.get(chunk.id) ?? parts.push('') - 1
      open.set(chunk.id, index)
      parts[index] += chunk.textDelta
    }
  }
  return parts.join('')
}

function outcomeOf(result: RunResult | undefined): unknown {
  return result && { status: result.status, text: result.text, steps: result.steps.length }
}
