import { setImmediate as turn } from 'node:timers/promises'
import { Agent, type AgentOptions, type Chunk, type Message, type Processor, tool } from '@millrace/core'
import {
  collect,
  file,
  finish,
  gate,
  raw,
  reasoning,
  ScriptedModel,
  type ScriptPart,
  source,
  text,
  toolCall,
  toolResult,
} from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { guard, reporting, value } from '../../test/key-guard.ts'
import { type Check, WindowGuard } from '../judge/index.ts'
import { Scanner } from '../scanner/scanner.ts'
import type { TextGuardOptions } from './text-guard.ts'

expect.extend(matchers)

const tools = { echo: tool({ inputSchema: z.any(), execute: () => 'done' }) }

async function run(
  processors: Processor[],
  turns: (string | ScriptPart | (string | ScriptPart)[])[],
  options: Partial<AgentOptions> = {},
) {
  const model = new ScriptedModel(turns)
  const stream = new Agent({ name: 'a', model, tools, processors, ...options }).stream('Hi')
  const chunks: Chunk[] = await collect(stream.fullStream)
  return { chunks, model, result: await stream.result }
}

function ofType<TYPE extends Chunk['type']>(chunks: readonly Chunk[], type: TYPE) {
  return chunks.filter((chunk): chunk is Extract<Chunk, { type: TYPE }> => chunk.type === type)
}

function order(chunks: readonly Chunk[]): string[] {
  return chunks
    .map(({ type }) => type)
    .filter((type) => !/^(start|step-start|step-finish|finish)$/.test(type))
}

const said = { acme: { cited: `See ${value}.` } }
const cleaned = { acme: { cited: 'See [REDACTED].' } }

/** A text, a thought and a call in pieces, of each of which the provider says something in one place. */
const WITH_METADATA: [string, Chunk['type'], ScriptPart][] = (['start', 'delta', 'end'] as const).flatMap(
  (place) => {
    const at = (each: string) => (each === place ? { providerMetadata: said } : {})
    return (['text', 'reasoning'] as const).map((kind): [string, Chunk['type'], ScriptPart] => [
      `${kind}-${place}`,
      `${kind}-${place}`,
      raw(
        { type: `${kind}-start`, id: 't', ...at('start') },
        { type: `${kind}-delta`, id: 't', delta: `It is ${value} `, ...at('delta') },
        { type: `${kind}-delta`, id: 't', delta: 'or KEY-' },
        { type: `${kind}-delta`, id: 't', delta: '5678.', ...at('delta') },
        { type: `${kind}-end`, id: 't', ...at('end') },
      ),
    ])
  },
)

describe('what a provider says of a piece is looked at, and the piece too:', () => {
  test.each(WITH_METADATA)('%s', async (_, type, part) => {
    const { guard: redacts, findings } = reporting()
    const { chunks, result } = await run([redacts], [[part, 'Fine.']])
    expect([chunks, result]).toLeakNothingOf([value, '5678'])
    const own = ofType(chunks, type).map(
      (chunk) => (chunk as { providerMetadata?: unknown }).providerMetadata,
    )
    expect(own).toContainEqual(cleaned)
    const kind = type.startsWith('text') ? 'text' : 'reasoning'
    const pieces = ofType(chunks, `${kind}-delta`).filter(({ id }) => id.startsWith('t'))
    expect(`${result.reasoningText}${result.text}`).toBe('It is [REDACTED] or [REDACTED].Fine.')
    expect(pieces.map(({ textDelta }) => textDelta).join('')).toContain('It is [REDACTED] or [REDACTED].')
    expect(order(chunks).slice(0, 2)).toEqual([`${kind}-start`, `${kind}-delta`])
    const surfaces = new Set(findings.map(({ surface }) => surface))
    expect(surfaces).toEqual(new Set(['answer', kind === 'text' ? 'answer' : 'reasoning']))
  })

  test.each(WITH_METADATA)('%s, which is left alone where nothing is found', async (_, type, part) => {
    const found = new Scanner([{ type: 'none', pattern: /nothing of this/ }])
    const plain = await run([], [[part, 'Fine.']])
    const guarded = await run([guard({ scanner: found })], [[part, 'Fine.']])
    expect(ofType(guarded.chunks, type)).toEqual(ofType(plain.chunks, type))
    expect(guarded.result.messages[0]?.content).toEqual(plain.result.messages[0]?.content)
  })

  test('of the input of a call', async () => {
    const metadata = { providerMetadata: said }
    const part = raw(
      { type: 'tool-input-start', id: 'c1', toolName: 'echo', ...metadata },
      { type: 'tool-input-delta', id: 'c1', delta: `{"to":"${value}`, ...metadata },
      { type: 'tool-input-delta', id: 'c1', delta: '"}' },
      { type: 'tool-input-end', id: 'c1', ...metadata },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'echo', input: `{"to":"${value}"}`, ...metadata },
    )
    const { chunks, result } = await run([guard()], [[part], 'Fine.'])
    expect([chunks, result]).toLeakNothingOf(value)
    expect(inputOf(chunks)).toBe('{"to":"[REDACTED]"}')
    expect(ofType(chunks, 'tool-input-start')).toMatchObject([{ providerMetadata: cleaned }])
  })
})

function inputOf(chunks: readonly Chunk[]): string {
  return ofType(chunks, 'tool-input-delta')
    .map(({ inputTextDelta }) => inputTextDelta)
    .join('')
}

describe('the input of a call, in pieces,', () => {
  const turn = [
    toolCall('echo', { to: value, cc: 'me' }, { id: 'c1', chunkSize: 3 }),
    toolCall('echo', { to: 'you' }, { id: 'c2', chunkSize: 3 }),
  ]

  test('goes out with replacements, and is reported once, as a whole', async () => {
    for (const strategy of ['redact', 'filter'] as const) {
      const { guard: redacts, findings } = reporting({ strategy })
      const { chunks } = await run([redacts], [turn, 'Fine.'])
      expect(inputOf(chunks)).toBe('{"to":"[REDACTED]","cc":"me"}{"to":"you"}')
      expect(findings).toMatchObject([{ surface: 'tool-input', toolCallId: 'c1' }])
      const types = order(chunks).filter((type) => type !== 'tool-input-delta')
      const each = ['tool-input-start', 'tool-input-end', 'tool-call']
      expect(types.slice(0, 6)).toEqual([...each, ...each])
    }
  })

  test('goes out as it is where the guard only reports', async () => {
    const { guard: warns, findings } = reporting({ strategy: 'warn' })
    const plain = await run([], [turn, 'Fine.'])
    const { chunks } = await run([warns], [turn, 'Fine.'])
    expect(chunks.slice(1)).toEqual(plain.chunks.slice(1))
    expect(findings).toMatchObject([{ surface: 'tool-input', toolCallId: 'c1' }])
  })

  test('ends the run as soon as something is found in it', async () => {
    const { guard: blocks, findings } = reporting({ strategy: 'block' })
    const { chunks, result } = await run([blocks], [turn])
    expect(result).toMatchObject({ status: 'tripwire', rejection: { metadata: { surface: 'tool-input' } } })
    expect(ofType(chunks, 'tool-call')).toEqual([])
    expect(chunks).toLeakNothingOf('KEY-')
    expect(findings).toMatchObject([{ toolCallId: 'c1' }])
  })

  test('is valid JSON where the value is spelled with escapes', async () => {
    const json = JSON.stringify({ to: value }).replace('K', '\\u004b')
    const call = toolCall('echo', {}, { rawInput: json, chunkSize: 2 })
    const { chunks } = await run([guard()], [[call], 'Fine.'])
    expect(JSON.parse(inputOf(chunks))).toEqual({ to: '[REDACTED]' })
  })
})

describe('what a provider says of a step', () => {
  const metadata = { acme: { tokens: ['It', 'is', 'KEY', '-1234'] } }
  const turns = (part: string | ScriptPart | (string | ScriptPart)[]) => [
    [...[part].flat(), finish({ providerMetadata: metadata })],
    'Fine.',
  ]
  const metadataOf = (chunks: readonly Chunk[]) => ofType(chunks, 'step-finish')[0]?.providerMetadata

  test('stays where nothing was found in the step', async () => {
    const { chunks, result } = await run([guard()], turns('It is fine.'))
    expect(metadataOf(chunks)).toEqual(metadata)
    expect(result.steps[0]?.providerMetadata).toEqual(metadata)
  })

  test.each<[string, string | ScriptPart]>([
    ['the answer', `It is ${value}.`],
    ['the reasoning', reasoning(value)],
    ['a call', toolCall('echo', { to: value }, { streamInput: false })],
    ['a source', source({ url: 'https://example.com', title: value })],
    ['a file', file('text/plain', new TextEncoder().encode(value))],
  ])('goes where something was found in %s: it may have it once more, in pieces', async (_, part) => {
    const { chunks, result } = await run([guard()], turns(part))
    expect(metadataOf(chunks)).toBeUndefined()
    expect(result.steps[0]?.providerMetadata).toBeUndefined()
    const warned = await run([guard({ strategy: 'warn' })], turns(part))
    expect(metadataOf(warned.chunks)).toEqual(metadata)
  })

  test('stays where something was found in what a tool gave: the model has not said it', async () => {
    const parts = [
      toolCall('search', {}, { id: 'p', providerExecuted: true }),
      toolResult('search', { hit: value }, { id: 'p' }),
    ]
    expect(metadataOf((await run([guard()], turns(parts))).chunks)).toEqual(metadata)
  })

  test('of one step says nothing of the next', async () => {
    const { chunks } = await run(
      [guard()],
      [
        [text(`It is ${value}.`), toolCall('echo')],
        ['Fine.', finish({ providerMetadata: metadata })],
      ],
    )
    expect(ofType(chunks, 'step-finish')[1]?.providerMetadata).toEqual(metadata)
  })

  test('is looked at itself', async () => {
    const { chunks } = await run([guard()], [['Fine.', finish({ providerMetadata: said })]])
    expect(metadataOf(chunks)).toEqual(cleaned)
  })
})

describe('a value that a remembered answer begins and this one ends', () => {
  const past: Message = {
    id: 'past',
    role: 'assistant',
    content: { parts: [{ type: 'text', text: 'It is KEY-' }] },
    createdAt: new Date(0),
  }
  const user: Message = { ...past, id: 'user', role: 'user' }

  async function play(first: Message, options: Partial<TextGuardOptions>, parts: ScriptPart) {
    const stored: Message[] = []
    const memory: Processor = {
      id: 'memory',
      processInput: ({ messageList }) => messageList.add(structuredClone(first), 'remembered'),
      processOutputResult: ({ messageList }) => void stored.push(...messageList.get()),
    }
    const { guard: redacts, findings } = reporting(options)
    const { result } = await run([memory, redacts], [[parts]])
    const kept = stored.find(({ id }) => id === first.id)
    return { result, findings, kept: JSON.stringify(kept?.content.parts) }
  }

  test('is found, and its beginning is taken away where the guard looks at the history', async () => {
    const { result, findings, kept } = await play(past, {}, text('1234, so.'))
    expect(result.text).toBe('[REDACTED], so.')
    expect(kept).toContain('It is ')
    expect(kept).not.toContain('KEY-')
    expect(findings).toMatchObject([{ surface: 'answer' }])
  })

  test('leaves the history alone where the guard does not look at it', async () => {
    const { result, kept } = await play(past, { surfaces: ['answer'] }, text('1234, so.'))
    expect(result.text).toBe('[REDACTED], so.')
    expect(kept).toContain('KEY-')
  })

  test('is none where a user began it, or where it goes on in the reasoning', async () => {
    expect((await play(user, {}, text('1234, so.'))).result.text).toBe('1234, so.')
    const thought = await play(past, {}, reasoning('1234, so.'))
    expect(thought.result.reasoningText).toBe('1234, so.')
    expect(thought.findings).toEqual([])
  })

  test('is found in reasoning too', async () => {
    const thought: Message = { ...past, content: { parts: [{ type: 'reasoning', text: 'It is KEY-' }] } }
    const { result, findings } = await play(thought, {}, reasoning('1234, so.'))
    expect(result.reasoningText).toBe('[REDACTED], so.')
    expect(findings).toMatchObject([{ surface: 'reasoning' }])
  })
})

describe('texts of different kinds', () => {
  test('are looked at apart, whatever order they come in', async () => {
    const parts = raw(
      { type: 'reasoning-start', id: 'r' },
      { type: 'text-start', id: 't' },
      { type: 'reasoning-delta', id: 'r', delta: 'Hm KEY-' },
      { type: 'text-delta', id: 't', delta: '1234 is KEY-' },
      { type: 'reasoning-delta', id: 'r', delta: '5678' },
      { type: 'text-delta', id: 't', delta: '9012' },
      { type: 'text-end', id: 't' },
      { type: 'reasoning-end', id: 'r' },
    )
    const { result, chunks } = await run([guard()], [[parts]])
    expect(result).toMatchObject({ text: '1234 is [REDACTED]', reasoningText: 'Hm [REDACTED]' })
    expect(ofType(chunks, 'text-end')).toHaveLength(1)
    expect(ofType(chunks, 'reasoning-end')).toHaveLength(1)
  })

  test('wait for one another where one began first', async () => {
    const { chunks } = await run(
      [guard()],
      [[text('It is KEY-'), source({ url: 'https://example.com' }), text('.')]],
    )
    expect(order(chunks)).toEqual([
      'text-start',
      ...ofType(chunks, 'text-delta')
        .slice(0, -1)
        .map(() => 'text-delta'),
      'text-end',
      'source',
      'text-start',
      'text-delta',
      'text-end',
    ])
  })
})

describe.each(['text', 'reasoning'] as const)('parts of %s', (kind) => {
  const start = (id: string) => ({ type: `${kind}-start` as const, id })
  const delta = (id: string, said: string) => ({ type: `${kind}-delta` as const, id, delta: said })
  const end = (id: string) => ({ type: `${kind}-end` as const, id })

  test('are one text, in the order in which they begin', async () => {
    const parts = raw(
      ...[start('a'), start('b'), delta('b', '1234 so'), delta('a', 'It is KEY-')],
      ...[end('b'), end('a')],
    )
    const { result } = await run([guard()], [[parts, text('Fine.')]])
    expect(`${result.reasoningText}${result.text}`).toBe('It is [REDACTED] soFine.')
  })

  test('do not wait for what does not concern them', async () => {
    const wait = gate()
    const parts = raw(
      ...[start('a'), start('b'), delta('b', 'Two. '), delta('a', 'One. '), end('a')],
      ...[delta('b', 'Three. ')],
    )
    const model = new ScriptedModel([[parts, wait, raw(end('b')), text('Fine.')]])
    const stream = new Agent({ model, processors: [guard()] }).stream('Hi')
    const chunks: Chunk[] = []
    const reading = (async () => {
      for await (const chunk of stream.fullStream) chunks.push(chunk)
    })()
    await wait.reached
    for (let count = 0; count < 10; count++) await turn()
    const said = ofType(chunks, `${kind}-delta`).map(({ textDelta }) => textDelta)
    wait.open()
    await reading
    expect(said).toEqual(['Two. ', 'One. ', 'Three. '])
  })
})

describe('calls at the same time', () => {
  const start = (id: string) => ({ type: 'tool-input-start' as const, id, toolName: 'echo' })
  const delta = (id: string, said: string) => ({ type: 'tool-input-delta' as const, id, delta: said })
  const end = (id: string) => ({ type: 'tool-input-end' as const, id })
  const call = (id: string, input: string) => ({
    type: 'tool-call' as const,
    toolCallId: id,
    toolName: 'echo',
    input,
  })

  test('have texts of their own', async () => {
    const parts = raw(
      ...[start('a'), start('b'), delta('a', '{"to":"KEY-'), delta('b', '{"to":"KEY-')],
      ...[delta('a', '1234"}'), delta('b', '12"}'), end('a'), end('b')],
      ...[call('a', '{"to":"KEY-1234"}'), call('b', '{"to":"KEY-12"}')],
    )
    const { chunks } = await run([guard()], [[parts], 'Fine.'])
    const inputs = ['a', 'b'].map((id) =>
      ofType(chunks, 'tool-input-delta').flatMap((chunk) =>
        chunk.toolCallId === id ? [chunk.inputTextDelta] : [],
      ),
    )
    expect(inputs.map((pieces) => pieces.join(''))).toEqual(['{"to":"[REDACTED]"}', '{"to":"KEY-12"}'])
  })

  test('have given all of their input when it ends', async () => {
    const parts = raw(start('a'), delta('a', '{"to":"KEY-'), end('a'), call('a', '{"to":"KEY-'))
    const { chunks } = await run([guard()], [[parts], 'Fine.'])
    expect(order(chunks).slice(0, 3)).toEqual(['tool-input-start', 'tool-input-delta', 'tool-input-end'])
    expect(inputOf(chunks)).toBe('{"to":"KEY-')
  })

  test('give their input as it ends, and not at the end of the response', async () => {
    const wait = gate()
    const parts = raw(start('a'), delta('a', '{"to":"KEY-'), end('a'))
    const model = new ScriptedModel([[parts, wait, raw(call('a', '{"to":"KEY-'))], 'Fine.'])
    const stream = new Agent({ model, tools, processors: [guard()] }).stream('Hi')
    const chunks: Chunk[] = []
    const reading = (async () => {
      for await (const chunk of stream.fullStream) chunks.push(chunk)
    })()
    await wait.reached
    for (let count = 0; count < 10; count++) await turn()
    const types = order(chunks)
    wait.open()
    await reading
    expect(types).toEqual(['tool-input-start', 'tool-input-delta', 'tool-input-end'])
  })

  test('are of this run from the moment they are made, for a guard that looks at results only', async () => {
    const show = tool({
      inputSchema: z.any(),
      execute: () => 'done',
      toModelOutput: () => ({ type: 'text', value }),
    })
    const blocks = guard({ strategy: 'block', surfaces: ['tool-result'] })
    const { result } = await run([blocks], [toolCall('show'), 'Fine.'], { tools: { show } })
    expect(result).toMatchObject({ status: 'tripwire', rejection: { metadata: { surface: 'tool-result' } } })
  })

  test('need no end of their input', async () => {
    const parts = raw(start('a'), delta('a', '{"to":"KEY-1234"}'), call('a', '{"to":"KEY-1234"}'))
    const { chunks, result } = await run([guard()], [[parts], 'Fine.'])
    expect(chunks).toLeakNothingOf(value)
    expect(result.text).toBe('Fine.')
  })
})

test('a structured answer stays JSON, in pieces', async () => {
  const json = JSON.stringify({ note: `It is ${value}.` }).replace('K', '\\u004b')
  const model = new ScriptedModel([[text(json, { chunkSize: 3 })]])
  const agent = new Agent({ model, processors: [guard()] })
  const stream = agent.stream('Hi', { output: z.object({ note: z.string() }) })
  const chunks: Chunk[] = await collect(stream.fullStream)
  expect((await stream.result).object).toEqual({ note: 'It is [REDACTED].' })
  const said = ofType(chunks, 'text-delta').map(({ textDelta }) => textDelta)
  expect(JSON.parse(said.join(''))).toEqual({ note: 'It is [REDACTED].' })
  expect(ofType(chunks, 'object-delta').at(-1)?.object).toEqual({ note: 'It is [REDACTED].' })
})

test('what an earlier step of the run began is taken away, also where the guard looks at answers only', async () => {
  for (const options of [{}, { surfaces: ['answer'] }] as const) {
    const { result } = await run(
      [guard(options)],
      [[text('It is KEY-'), toolCall('echo')], text('1234, so.')],
    )
    expect(result.steps.map((step) => step.text)).toEqual(['It is ', '[REDACTED], so.'])
  }
})

test('a judge is told when the step it judges is taken back', async () => {
  const signals: AbortSignal[] = []
  const check: Check = async (texts, { abortSignal }) => {
    signals.push(abortSignal)
    return texts.map(() => ({
      flagged: false,
      categories: [],
      score: 0,
      reason: '',
      calls: 1,
      inputTokens: 0,
      outputTokens: 0,
    }))
  }
  let attempts = 0
  const retries: Processor = {
    id: 'retries',
    processOutputStep: ({ abort }) => (attempts++ === 0 ? abort('Again.', { retry: true }) : undefined),
  }
  const judge = new WindowGuard({ id: 'judge', label: 'It was', check, surfaces: ['answer'] })
  const { result } = await run([judge, retries], ['One.', 'Two.'])
  expect(result.text).toBe('Two.')
  expect(signals).toHaveLength(2)
  expect(signals[0]?.aborted).toBe(true)
})
