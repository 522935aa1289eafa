import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Agent, type Message, type Processor, parallel, tool, userMessage } from '@millrace/core'
import { ScriptedModel, text, toolCall } from '@millrace/testing'
import { repeated } from '@millrace/testing/growth'
import { matchers } from '@millrace/testing/matchers'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { tokenParts } from '../../../scripts/build/token-parts.ts'
import { type EncodingName, encodingOf, loadEncoding } from './encoding.ts'
import { LimitedText } from './limited-text.ts'
import { MessageTokens } from './message-tokens.ts'
import { RankReader } from './rank-table.ts'
import { countTokens, tokensOf } from './text-tokens.ts'
import {
  type TokenFinding,
  TokenLimiterProcessor,
  type TokenLimiterProcessorOptions,
} from './token-limiter.ts'

expect.extend(matchers)

const encodings: EncodingName[] = ['o200k_base', 'cl100k_base', 'p50k_base', 'p50k_edit', 'r50k_base']
const runs = process.env.MILLRACE_THOROUGH === '1' ? 3_000 : 100

/** The number of tokens by another implementation. */
async function reference(name: EncodingName): Promise<(text: string) => number> {
  const { encode } = await import(`gpt-tokenizer/encoding/${name}`)
  return (text) => encode(text, { disallowedSpecial: new Set() }).length
}

const prose = 'The miller opens the gate, and the water (cold) turns the wheel 1234 times; it doesn’t stop. '

const snippets = fc
  .array(
    fc.constantFrom(
      ...[
        'the',
        ' miller',
        "'s",
        '’s',
        ' ',
        '\n\n',
        '12',
        '3456',
        '中文',
        'é',
        'e\u0301',
        '😀',
        '!!',
        '{"a":',
        'Aa',
        '<|endoftext|>',
      ],
      'x'.repeat(300),
      '-'.repeat(520),
      ' '.repeat(270),
      'łódź'.repeat(80),
    ),
    { maxLength: 12 },
  )
  .map((all) => all.join(''))

const any = fc.oneof(
  snippets,
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.string({ unit: 'grapheme', maxLength: 200 }),
)

describe('countTokens', () => {
  test.each(encodings)('counts like the tokenizer of %s', async (name) => {
    const encoding = await loadEncoding(name)
    const encode = await reference(name)
    fc.assert(
      fc.property(any, (text) => {
        expect(tokensOf(text, encoding)).toBe(encode(text))
      }),
      { numRuns: runs },
    )
    for (const piece of [
      'e\u0301',
      '\u0645\u064e',
      '\u{1f468}\u200d',
      '\ud800',
      '[a](',
      'aB3',
      '\ufdfa',
      ' \n',
    ]) {
      const text = repeated(piece, 500)
      expect(tokensOf(text, encoding)).toBe(encode(text))
    }
    expect(await countTokens(prose, { encoding: name })).toBe(encode(prose))
  })

  test('counts special tokens as text', async () => {
    expect(await countTokens('<|endoftext|>')).toBeGreaterThan(1)
  })

  test('knows the encodings of models by their ids', () => {
    expect(
      [
        'gpt-4o-mini',
        'openai/gpt-5.1',
        'o3',
        'gpt-4.1',
        'gpt-4-turbo',
        'gpt-3.5-turbo',
        'text-davinci-003',
        'davinci',
      ].map(encodingOf),
    ).toEqual([
      'o200k_base',
      'o200k_base',
      'o200k_base',
      'o200k_base',
      'cl100k_base',
      'cl100k_base',
      'p50k_base',
      'r50k_base',
    ])
    expect(encodingOf('anthropic/claude-sonnet-4')).toBe('estimate')
  })

  test('estimates more tokens than newer encodings have', async () => {
    const estimate = await countTokens(prose.repeat(5), { model: 'claude-sonnet-4' })
    for (const encoding of encodings) {
      expect(estimate).toBeGreaterThan(await countTokens(prose.repeat(5), { encoding }))
    }
  })
})

test.each(['o200k_base', 'cl100k_base', 'p50k_base', 'r50k_base'])(
  'reads the same ranks from the built parts of %s as from the module',
  async (name) => {
    const { default: table } = await import(`gpt-tokenizer/bpeRanks/${name}`)
    const file = createRequire(import.meta.url).resolve(`gpt-tokenizer/data/${name}.tiktoken`)
    const [one, other] = [new RankReader(), new RankReader()]
    for (const part of tokenParts(readFileSync(file, 'latin1'))) for (const _ of one.readPart(part));
    for (const _ of other.read(table));
    expect(new Map(one.ranks.entries())).toEqual(new Map(other.ranks.entries()))
    expect(one.parts).toEqual(other.parts)
    expect(one.pairs).toEqual(other.pairs)
    expect(one.longest).toBe(other.longest)
  },
)

describe('a limited answer', () => {
  test('ends within its limit, and does not depend on its split into chunks', async () => {
    const encoding = await loadEncoding('o200k_base')
    const encode = await reference('o200k_base')
    const limited = (pieces: readonly string[], limit: number): string => {
      const text = new LimitedText(encoding, { left: limit })
      return pieces.map((piece) => text.push(piece)).join('') + text.end()
    }
    fc.assert(
      fc.property(snippets, fc.nat(60), fc.integer({ min: 1, max: 9 }), (text, limit, size) => {
        const whole = limited([text], limit)
        expect(text.startsWith(whole)).toBe(true)
        expect(encode(whole)).toBeLessThanOrEqual(limit)
        expect(whole).not.toMatch(/[\ud800-\udfff]/u)
        const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
        expect(limited(pieces, limit)).toBe(whole)
        if (tokensOf(text, encoding) <= limit) expect(whole).toBe(text)
      }),
    )
  })

  test('is cut at the limit over all its steps, in the stream and in the store', async () => {
    const model = new ScriptedModel([
      [text(prose.repeat(3)), toolCall('look', {})],
      [text(prose.repeat(10), { chunkSize: 5 })],
    ])
    const tools = { look: tool({ inputSchema: z.object({}), execute: () => 'seen' }) }
    const outputProcessors = [new TokenLimiterProcessor(100)]
    const result = await new Agent({ name: 'a', model, tools, outputProcessors }).generate('hi')
    const texts = result.messages.flatMap(({ content }) =>
      content.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
    )
    const counts = await Promise.all(texts.map((text) => countTokens(text)))
    expect(counts[0]).toBe(await countTokens(prose.repeat(3)))
    expect((counts[0] as number) + (counts[1] as number)).toBe(100)
    expect(prose.repeat(10).startsWith(result.text)).toBe(true)
  })

  test('does not count the tokens of a rejected attempt', async () => {
    const strict: Processor = {
      id: 'strict',
      processOutputStep: ({ retryCount, abort }) => {
        if (retryCount === 0) abort('Again.', { retry: true })
      },
    }
    const model = new ScriptedModel([prose, prose.repeat(3)])
    const outputProcessors = [new TokenLimiterProcessor({ outputLimit: 30 }), strict]
    const result = await new Agent({ name: 'a', model, outputProcessors }).generate('hi')
    expect(await countTokens(result.text)).toBe(30)
  })

  test('aborts with block', async () => {
    const limiter = new TokenLimiterProcessor({ outputLimit: 20, strategy: 'block' })
    const agent = new Agent({ name: 'a', model: new ScriptedModel([prose.repeat(3)]), processors: [limiter] })
    expect(await agent.generate('hi')).toMatchObject({
      status: 'tripwire',
      rejection: { reason: 'The answer has more than 20 tokens, which is the limit.' },
    })
  })
})

describe('a limited prompt', () => {
  const history: Message[] = Array.from({ length: 10 }, (_, index) => ({
    id: `m${index}`,
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: { parts: [{ type: 'text', text: `${index} ${prose}` }] },
    createdAt: new Date(index),
  }))
  const memory: Processor = {
    id: 'memory',
    processInput: ({ messageList }) => messageList.add(structuredClone(history), 'remembered'),
  }
  const agentWith = (model: ScriptedModel, limiter: Processor) =>
    new Agent({
      name: 'a',
      model,
      instructions: 'Be brief.',
      processors: [memory, limiter],
      tools: {
        look: tool({ inputSchema: z.object({}), execute: () => ({ rows: Array(20).fill(prose) }) }),
        peek: tool({ inputSchema: z.object({}), execute: () => 'little' }),
      },
    })

  test('loses whole turns, oldest first', async () => {
    const model = new ScriptedModel(['ok'])
    const result = await agentWith(model, new TokenLimiterProcessor({ inputLimit: 220 })).generate('And now?')
    expect(result.status).toBe('completed')
    expect(model.lastPrompt.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
    ])
    expect(JSON.stringify(model.lastPrompt)).toContain('6 The miller')
  })

  test("keeps the newest user message and this run's tool pairs", async () => {
    const model = new ScriptedModel([[toolCall('peek', {})], [toolCall('peek', {})], 'ok'])
    await agentWith(model, new TokenLimiterProcessor({ inputLimit: 120 })).generate('And now?')
    expect(model.lastPrompt).toPairEveryToolCall()
    expect(model.lastPrompt.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
      'tool',
    ])
  })

  test('that cannot be reduced to the limit fails with both numbers', async () => {
    const model = new ScriptedModel([[toolCall('look', {})], 'ok'])
    const run = agentWith(model, new TokenLimiterProcessor({ inputLimit: 200 })).generate('And now?')
    await expect(run).rejects.toMatchObject({
      code: 'RUN_PROMPT_TOO_LONG',
      message: expect.stringMatching(/'token-limiter'.*have \d{3,} tokens; the limit is 200\./),
    })
  })

  test('that cannot be reduced to the limit fails with the same code in a composition, and only warns if skipped', async () => {
    const limiter = new TokenLimiterProcessor({ inputLimit: 10 })
    const beside = { id: 'beside', processInputStep: () => undefined }
    const model = new ScriptedModel(['ok'])
    await expect(agentWith(model, parallel(limiter, beside)).generate('And now?')).rejects.toMatchObject({
      code: 'RUN_PROMPT_TOO_LONG',
    })
    const skipped = new TokenLimiterProcessor({ inputLimit: 10, onError: 'skip' })
    const result = await agentWith(model, skipped).generate('And now?')
    expect(result.warnings).toMatchObject([{ error: { code: 'RUN_PROMPT_TOO_LONG' } }])
  })

  test('aborts with block', async () => {
    const limiter = new TokenLimiterProcessor({ inputLimit: 150, strategy: 'block' })
    const result = await agentWith(new ScriptedModel(['ok']), limiter).generate('And now?')
    expect(result).toMatchObject({ status: 'tripwire', rejection: { hook: 'processInputStep' } })
  })
})

describe('an exceeded limit', () => {
  const [question, answer] = [prose.repeat(6), prose.repeat(10)]

  async function ask(options: TokenLimiterProcessorOptions) {
    const found: TokenFinding[] = []
    const limiter = new TokenLimiterProcessor({
      limit: 50,
      onDetection: (finding) => found.push(finding),
      ...options,
    })
    const script = [[text(answer, { chunkSize: 5 }), toolCall('look', {})], text(answer, { chunkSize: 5 })]
    const model = new ScriptedModel(script as never)
    const tools = { look: tool({ inputSchema: z.object({}), execute: () => 'seen' }) }
    const agent = new Agent({ name: 'a', model, tools, processors: [limiter] })
    return { found, model, result: await agent.generate([history, userMessage('hi')]) }
  }

  const history: Message = { ...userMessage(question), id: 'earlier' }

  test('is reported: for every prompt, and once for the answer', async () => {
    const { found, result } = await ask({ inputLimit: 100 })
    expect(result).toBeCompleted()
    const about = {
      type: 'tokens',
      score: 1,
      processorId: 'token-limiter',
      strategy: 'truncate',
      enforced: true,
    }
    const prompt = { ...about, surface: 'input', limit: 100, tokens: expect.any(Number) }
    expect(found).toEqual([prompt, { ...about, surface: 'answer', limit: 50 }, prompt])
    expect(found[0]?.tokens).toBeGreaterThan(100)
  })

  test('is only reported in monitor mode, with any strategy', async () => {
    for (const strategy of ['truncate', 'block'] as const) {
      const { found, model, result } = await ask({ mode: 'monitor', strategy })
      expect(result).toBeCompleted()
      expect(result.steps.map((step) => step.text)).toEqual([answer, answer])
      expect(JSON.stringify(model.lastPrompt)).toContain(question)
      expect(found.map(({ surface, enforced }) => [surface, enforced])).toEqual([
        ['input', false],
        ['answer', false],
        ['input', false],
      ])
    }
  })

  test.each([
    [['input'], ['input', 'input']],
    [['answer'], ['answer']],
  ] as const)('is checked on the given surfaces: %j', async (surfaces, expected) => {
    const { found } = await ask({ surfaces, mode: 'monitor' })
    expect(found.map(({ surface }) => surface)).toEqual(expected)
  })

  test.each([
    { mode: 'enforced' as 'enforce' },
    { surfaces: ['output' as 'answer'] },
    { strategy: 'abort' as 'block' },
  ])('rejects unknown option values: %j', (options) => {
    expect(() => new TokenLimiterProcessor({ limit: 50, ...options })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    )
  })
})

test('rejects an invalid limit', () => {
  expect(() => new TokenLimiterProcessor(0)).toThrow('A token limit is 0')
  expect(() => new TokenLimiterProcessor({ surfaces: ['answer'] })).toThrow('no limit for the answer')
})

describe('without a limit', () => {
  const history = Array.from({ length: 60 }, (_, index) => userMessage(`${index} ${prose}`))

  test('keeps prompts within the context window of the agent, with room for the answer and the tools', async () => {
    const model = new ScriptedModel(['Fine.'], { modelId: 'gpt-5' })
    const described = 'Tells how the wheel turns. '.repeat(40)
    const look = tool({ description: described, inputSchema: z.object({ at: z.string() }), execute: () => 1 })
    const agent = new Agent({
      model,
      tools: { look },
      contextWindow: 1_200,
      modelSettings: { maxOutputTokens: 200 },
      processors: [new TokenLimiterProcessor()],
    })
    await agent.generate([...history, userMessage('And now?')])
    const { prompt, tools } = model.lastCall
    expect(prompt.length).toBeGreaterThan(5)
    expect(JSON.stringify(prompt.at(-1))).toContain('And now?')
    const said = prompt.map(({ content }) => (content as { text: string }[])[0]?.text ?? '')
    const counts = await Promise.all([...said, JSON.stringify(tools)].map((one) => countTokens(one)))
    expect(counts.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(1_000)
  })

  test('uses the context window that the model reports', async () => {
    const model = Object.assign(new ScriptedModel(['Fine.'], { modelId: 'gpt-5' }), { contextWindow: 400 })
    await new Agent({ model, processors: [new TokenLimiterProcessor()] }).generate([
      ...history,
      userMessage('Now'),
    ])
    expect(model.lastPrompt.length).toBeLessThan(20)
  })

  test('reports what is missing if the context window is unknown', async () => {
    const agent = new Agent({ model: new ScriptedModel(['x']), processors: [new TokenLimiterProcessor()] })
    await expect(agent.generate('Hi')).rejects.toMatchObject({
      code: 'PROCESSOR_FAILED',
      cause: { code: 'CONFIG_INVALID', message: expect.stringContaining('contextWindow') },
    })
  })
})

describe('MessageTokens', () => {
  const answered = (output: unknown, toolName = 'look'): Message => ({
    ...userMessage(''),
    role: 'assistant',
    content: {
      parts: [{ type: `tool-${toolName}`, toolCallId: 'c', state: 'output-available', input: {}, output }],
    },
  })

  test('counts a text once, also with a custom function, as long as it is unchanged', async () => {
    let calls = 0
    const tokens = new MessageTokens(async (said) => {
      calls++
      return said.length
    })
    const message = userMessage('Hello')
    await tokens.prepare([message], [{ role: 'system', content: 'Be brief.' }])
    expect([tokens.of(message), tokens.of(message)]).toEqual([9, 9])
    expect(tokens.ofSystem([{ role: 'system', content: 'Be brief.' }])).toBe(16)
    await tokens.prepare([message], [{ role: 'system', content: 'Be brief.' }])
    expect(calls).toBe(2)
    const [part] = message.content.parts as unknown as [{ text: string }]
    part.text = 'Hello there'
    expect(() => tokens.of(message)).toThrow('prepare()')
    await tokens.prepare([message], [])
    expect(tokens.of(message)).toBe(15)
  })

  test('counts the result of toModelOutput, with a file in it as a file', async () => {
    const tokens = new MessageTokens(await loadEncoding('o200k_base'))
    const views = new Map([['look', async () => ({ type: 'text', value: 'Short.' }) as const]])
    const long = answered({ secret: prose.repeat(100) })
    await tokens.prepare([long], [], { texts: [], views })
    expect(tokens.of(long)).toBeLessThan(40)
    const image = { type: 'image-data', data: 'A'.repeat(100_000), mediaType: 'image/png' }
    const shown = answered({ type: 'content', value: [{ type: 'text', text: 'Look:' }, image] })
    expect(tokens.of(shown)).toBeGreaterThan(1_600)
    expect(tokens.of(shown)).toBeLessThan(1_700)
  })

  test('counts the plain output if toModelOutput throws', async () => {
    const tokens = new MessageTokens(await loadEncoding('o200k_base'))
    const views = new Map([['look', () => Promise.reject(new Error('no'))]])
    const message = answered('The output.')
    await tokens.prepare([message], [], { texts: [], views })
    expect(tokens.of(message)).toBe(
      new MessageTokens(await loadEncoding('o200k_base')).of(answered('The output.')),
    )
  })

  test('has an upper bound for a message without counting it', async () => {
    const encoding = await loadEncoding('estimate')
    fc.assert(
      fc.property(any, (said) => {
        const message = userMessage(said)
        const atMost = new MessageTokens(encoding).atMost(message)
        expect(new MessageTokens(encoding).of(message)).toBeLessThanOrEqual(atMost)
      }),
      { numRuns: runs },
    )
  })
})
