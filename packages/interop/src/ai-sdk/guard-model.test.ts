import { APICallError, type LanguageModelV4Prompt, type LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { Processor } from '@millrace/core'
import { KeywordGuard } from '@millrace/guards/keyword-guard'
import { RegexFilter } from '@millrace/guards/regex-filter'
import { collect, rateLimited, ScriptedModel, text, toolCall } from '@millrace/testing'
import {
  generateText,
  isStepCount,
  readUIMessageStream,
  streamText,
  ToolLoopAgent,
  tool,
  wrapLanguageModel,
} from 'ai'
import { convertArrayToReadableStream, convertReadableStreamToArray, MockLanguageModelV4 } from 'ai/test'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { guardModel } from './guard-model.ts'
import { GuardRejection } from './guard-rejection.ts'
import { GuardSession } from './guard-session.ts'
import { guardTools } from './guard-tools.ts'

const PASSES: Processor = {
  id: 'passes',
  processInput: () => {},
  processInputStep: () => {},
  processOutputStream: ({ part }) => part,
  processOutputStep: () => {},
  processToolCall: () => {},
  processToolResult: () => {},
  processOutputResult: () => {},
}

const USAGE = {
  inputTokens: { total: 7, noCache: 5, cacheRead: 2, cacheWrite: undefined },
  outputTokens: { total: 3, text: 2, reasoning: 1 },
  raw: { prompt_tokens: 7 },
}
const FINISH: LanguageModelV4StreamPart = {
  type: 'finish',
  finishReason: { unified: 'tool-calls', raw: 'tool_use' },
  usage: USAGE,
  providerMetadata: { acme: { cost: 2 } },
}

const EVERY_PART: LanguageModelV4StreamPart[] = [
  { type: 'stream-start', warnings: [{ type: 'other', message: 'Careful.' }] },
  { type: 'response-metadata', id: 'r-1', modelId: 'acme-1', timestamp: new Date(0) },
  { type: 'reasoning-start', id: 'a', providerMetadata: { acme: { signature: 's' } } },
  { type: 'reasoning-delta', id: 'a', delta: 'Hm.' },
  { type: 'reasoning-end', id: 'a' },
  { type: 'text-start', id: 'b' },
  { type: 'text-delta', id: 'b', delta: 'Hel' },
  { type: 'text-delta', id: 'b', delta: 'lo' },
  { type: 'text-end', id: 'b', providerMetadata: { acme: { at: 1 } } },
  { type: 'source', sourceType: 'url', id: 's', url: 'https://example.com/a', title: 'A' },
  { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'aGk=' } },
  { type: 'custom', kind: 'acme.note' },
  {
    type: 'tool-call',
    toolCallId: 'p',
    toolName: 'search',
    input: '{"q":1}',
    providerExecuted: true,
    dynamic: true,
  },
  { type: 'tool-result', toolCallId: 'p', toolName: 'search', result: { hits: 2 }, dynamic: true },
  { type: 'tool-input-start', id: 'c', toolName: 'lookUp' },
  { type: 'tool-input-delta', id: 'c', delta: '{"key":' },
  { type: 'tool-input-delta', id: 'c', delta: '"x"}' },
  { type: 'tool-input-end', id: 'c' },
  {
    type: 'tool-call',
    toolCallId: 'c',
    toolName: 'lookUp',
    input: '{"key":"x"}',
    providerMetadata: { acme: { n: 1 } },
  },
  FINISH,
]

const PROMPT: LanguageModelV4Prompt = [
  { role: 'system', content: 'Be brief.', providerOptions: { acme: { cache: true } } },
  {
    role: 'user',
    content: [{ type: 'text', text: 'Look.', providerOptions: { acme: { n: 1 } } }],
    providerOptions: { acme: { cache: true } },
  },
  {
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'Hm.', providerOptions: { acme: { signature: 's' } } },
      { type: 'text', text: '' },
      { type: 'tool-call', toolCallId: 'x', toolName: 'lookUp', input: { key: 'a' } },
      { type: 'tool-call', toolCallId: 'y', toolName: 'lookUp', input: { key: 'b' } },
    ],
  },
  {
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        toolCallId: 'x',
        toolName: 'lookUp',
        output: { type: 'json', value: 'a string' },
      },
      {
        type: 'tool-result',
        toolCallId: 'y',
        toolName: 'lookUp',
        output: { type: 'error-json', value: { no: 1 } },
      },
    ],
    providerOptions: { acme: { cache: true } },
  },
  { role: 'assistant', content: [{ type: 'text', text: 'There.' }] },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'And this?' },
      { type: 'file', mediaType: 'text/plain', filename: 'a.txt', data: { type: 'text', text: 'plain' } },
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: new Uint8Array([1, 2]) } },
    ],
  },
]

const TOOLS = [{ type: 'function' as const, name: 'lookUp', inputSchema: { type: 'object' as const } }]

function mock(parts: readonly LanguageModelV4StreamPart[] = EVERY_PART): MockLanguageModelV4 {
  return new MockLanguageModelV4({
    supportedUrls: { 'image/*': [/example/] },
    doStream: async () => ({
      stream: convertArrayToReadableStream([...parts]),
      request: { body: 'asked' },
      response: { headers: { 'x-id': '1' } },
    }),
  })
}

const hidesDigits = (strategy: 'redact' | 'block') => new RegexFilter({ patterns: [/\d{4}/], strategy })

describe('processors that change nothing', () => {
  test('leave a stream unchanged', async () => {
    const guarded = guardModel(mock(), [PASSES])
    const { stream, request, response } = await guarded.doStream({ prompt: PROMPT, tools: TOOLS })
    const given = await convertReadableStreamToArray(stream)
    // Calls come once all of the answer is known; everything else keeps its place.
    expect(given).toEqual(EVERY_PART)
    expect({ request, response }).toEqual({
      request: { body: 'asked' },
      response: { headers: { 'x-id': '1' } },
    })
  })

  test('leave a result unchanged', async () => {
    const model = new MockLanguageModelV4({
      doGenerate: {
        content: [
          { type: 'reasoning', text: 'Hm.', providerMetadata: { acme: { signature: 's' } } },
          { type: 'text', text: 'Hello' },
          { type: 'source', sourceType: 'url', id: 's', url: 'https://example.com/a' },
          { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'aGk=' } },
          { type: 'tool-call', toolCallId: 'c', toolName: 'lookUp', input: '{"key":"x"}' },
        ],
        finishReason: { unified: 'tool-calls', raw: 'tool_use' },
        usage: USAGE,
        providerMetadata: { acme: { cost: 2 } },
        warnings: [{ type: 'other', message: 'Careful.' }],
        request: { body: 'asked' },
        response: { id: 'r-1', modelId: 'acme-1', timestamp: new Date(0), headers: { 'x-id': '1' } },
      },
    })
    const result = await guardModel(model, [PASSES]).doGenerate({ prompt: PROMPT, tools: TOOLS })
    expect(result).toEqual(await model.doGenerate({ prompt: PROMPT }))
  })

  test('leave the request to the model unchanged', async () => {
    const inner = mock()
    const options = {
      prompt: PROMPT,
      temperature: 0.5,
      maxOutputTokens: 10,
      seed: 1,
      stopSequences: ['x'],
      reasoning: 'low' as const,
      headers: { 'x-a': 'b' },
      providerOptions: { acme: { mode: 'fast' } },
      responseFormat: { type: 'json' as const, schema: { type: 'object' as const }, name: 'answer' },
      toolChoice: { type: 'tool' as const, toolName: 'lookUp' },
      tools: [
        {
          type: 'function' as const,
          name: 'lookUp',
          description: 'Looks.',
          inputSchema: { type: 'object' as const },
          strict: true,
        },
        { type: 'provider' as const, name: 'search', id: 'acme.search' as const, args: { depth: 1 } },
      ],
    }
    const { stream } = await guardModel(inner, [PASSES]).doStream(options)
    await convertReadableStreamToArray(stream)
    const { abortSignal: _, ...asked } = inner.doStreamCalls[0] as typeof options & { abortSignal: unknown }
    expect(asked).toEqual(options)
  })

  test("keep the model's names, URLs, and JSON without a schema", async () => {
    const inner = mock()
    const guarded = guardModel(inner, [PASSES])
    expect(guarded).toMatchObject({
      specificationVersion: 'v4',
      provider: inner.provider,
      modelId: inner.modelId,
    })
    expect(await guarded.supportedUrls).toEqual(await inner.supportedUrls)
    const { stream } = await guarded.doStream({ prompt: PROMPT, responseFormat: { type: 'json' } })
    await convertReadableStreamToArray(stream)
    expect(inner.doStreamCalls[0]?.responseFormat).toEqual({ type: 'json' })
  })

  test('work around a middleware, and a middleware around them', async () => {
    const guarded = guardModel(wrapLanguageModel({ model: mock(), middleware: [] }), [PASSES])
    const outer = wrapLanguageModel({ model: guarded, middleware: [] })
    const { stream } = await outer.doStream({ prompt: PROMPT, tools: TOOLS })
    expect(await convertReadableStreamToArray(stream)).toEqual(EVERY_PART)
  })
})

describe('content that no processor has seen is left out', () => {
  test('raw chunks, and the body of the response', async () => {
    const inner = mock([{ type: 'raw', rawValue: 'secret' }, ...EVERY_PART])
    const { stream } = await guardModel(inner, [PASSES]).doStream({ prompt: PROMPT, includeRawChunks: true })
    expect(JSON.stringify(await convertReadableStreamToArray(stream))).not.toContain('secret')
    const result = await guardModel(
      new MockLanguageModelV4({
        doGenerate: {
          content: [{ type: 'text', text: 'Hello' }],
          structuredOutputText: 'secret',
          finishReason: { unified: 'stop', raw: 'stop' },
          usage: USAGE,
          warnings: [],
          response: { body: 'secret' },
        },
      }),
      [PASSES],
    ).doGenerate({ prompt: PROMPT })
    expect(JSON.stringify(result)).not.toContain('secret')
  })
})

describe('a rejection', () => {
  const late: Processor = {
    id: 'late',
    processOutputStep: ({ text: said, abort }) =>
      said.includes('bad') ? abort('No.', { metadata: 7 }) : undefined,
  }

  test('is an AI SDK error with its processor and hook, and is not retried', async () => {
    const model = new ScriptedModel(['bad', 'bad'])
    const error = await generateText({ model: guardModel(model, [late]), prompt: 'Hi' }).catch(
      (thrown) => thrown,
    )
    expect(GuardRejection.isInstance(error)).toBe(true)
    expect(error).toMatchObject({
      reason: 'No.',
      processorId: 'late',
      hook: 'processOutputStep',
      metadata: 7,
      isRetraction: false,
    })
    expect(model.callCount).toBe(1)
  })

  test('retracts what was streamed by an error part, and nothing follows', async () => {
    const { stream } = await guardModel(new ScriptedModel([text(['so ', 'bad'])]), [late]).doStream({
      prompt: PROMPT,
    })
    const parts = await convertReadableStreamToArray(stream)
    expect(parts.at(-1)).toMatchObject({ type: 'error', error: { reason: 'No.', isRetraction: true } })
  })

  test("sends no part of the answer with emit: 'step'", async () => {
    const guarded = guardModel(new ScriptedModel([text(['so ', 'bad'])]), [late], { emit: 'step' })
    await expect(guarded.doStream({ prompt: PROMPT })).rejects.toMatchObject({
      reason: 'No.',
      isRetraction: false,
    })
  })

  test('with retry causes another attempt, with the reason as feedback', async () => {
    const retries: Processor = {
      id: 'retries',
      processOutputStep: ({ text: said, abort }) =>
        said === 'bad' ? abort('Be good.', { retry: true }) : undefined,
    }
    const model = new ScriptedModel(['bad', 'good'])
    const result = await generateText({ model: guardModel(model, [retries]), prompt: 'Hi' })
    expect(result.text).toBe('good')
    expect(JSON.stringify(model.lastPrompt)).toContain('Be good.')
    expect(result.usage.inputTokens).toBe(20)
  })

  test('reaches a chat client as an error, and the stream ends normally', async () => {
    const result = streamText({
      model: guardModel(new ScriptedModel([text(['so ', 'bad'])]), [late]),
      prompt: 'Hi',
      onError() {},
    })
    const response = result.toUIMessageStreamResponse({ onError: (error) => (error as Error).message })
    const body = await response.text()
    expect(body).toContain('"errorText":"No."')
    expect(body).toContain('[DONE]')
  })

  test('of text that changed after it was streamed says so', async () => {
    const rewrites: Processor = {
      id: 'rewrites',
      processOutputResult: ({ messages }) =>
        messages.map((message) => ({ ...message, content: { parts: [{ type: 'text', text: 'other' }] } })),
    }
    const streamed = await guardModel(new ScriptedModel(['some']), [rewrites]).doStream({ prompt: PROMPT })
    expect((await convertReadableStreamToArray(streamed.stream)).at(-1)).toMatchObject({ type: 'error' })
    const { text: whole } = await generateText({
      model: guardModel(new ScriptedModel(['some']), [rewrites]),
      prompt: 'Hi',
    })
    expect(whole).toBe('other')
  })
})

describe('provider errors', () => {
  test('are passed on, and the AI SDK retries them', async () => {
    const model = new ScriptedModel([rateLimited({ retryAfterMs: 0 }), 'Hello.'])
    const guarded = guardModel(model, [PASSES])
    await expect(
      guardModel(new ScriptedModel([rateLimited({ retryAfterMs: 0 })]), [PASSES]).doGenerate({
        prompt: PROMPT,
      }),
    ).rejects.toSatisfy(APICallError.isInstance)
    expect((await generateText({ model: guarded, prompt: 'Hi', maxRetries: 1 })).text).toBe('Hello.')
  })
})

describe('a call that a processor answers', () => {
  const denies: Processor = {
    id: 'denies',
    processToolCall: ({ toolCall: { input } }) =>
      (input as { key: string }).key === 'secret' ? { deny: 'Not that.' } : undefined,
  }
  const lookUp = tool({ inputSchema: z.object({ key: z.string() }), execute: ({ key }) => `found ${key}` })

  test('is not executed, and the model gets the answer in the same call', async () => {
    const model = new ScriptedModel([[toolCall('lookUp', { key: 'secret' })], 'I may not.'])
    const result = await generateText({ model: guardModel(model, [denies]), prompt: 'Hi', tools: { lookUp } })
    expect(result.text).toBe('I may not.')
    expect(result.steps).toHaveLength(1)
    expect(model.callCount).toBe(2)
  })

  test('next to one that runs is an ordinary denied call in the next prompt', async () => {
    const model = new ScriptedModel([
      [toolCall('lookUp', { key: 'secret' }), toolCall('lookUp', { key: 'a' })],
      'Found one.',
    ])
    const result = streamText({
      model: guardModel(model, [denies]),
      prompt: 'Hi',
      tools: { lookUp },
      stopWhen: isStepCount(3),
    })
    expect(await result.text).toBe('Found one.')
    const [, assistant, results] = model.lastPrompt
    expect(JSON.stringify(assistant)).not.toContain('providerExecuted')
    expect(results).toMatchObject({
      role: 'tool',
      content: expect.arrayContaining([
        expect.objectContaining({ toolCallId: 'call-1', output: { type: 'error-text', value: 'Not that.' } }),
        expect.objectContaining({ toolCallId: 'call-2', output: { type: 'text', value: 'found a' } }),
      ]),
    })
  })
})

describe('a session', () => {
  const counts = (seen: unknown[]): Processor => ({
    id: 'counts',
    processInputStep({ state }) {
      state.calls = ((state.calls as number | undefined) ?? 0) + 1
      seen.push(state.calls)
    },
  })

  test('keeps the state of processors between calls; without it, each call is independent', async () => {
    const seen: unknown[] = []
    const session = new GuardSession()
    const model = new ScriptedModel(['a', 'b', 'c', 'd'])
    const kept = guardModel(model, [counts(seen)], { session })
    const alone = guardModel(model, [counts(seen)])
    for (const guarded of [kept, kept, alone, alone]) await generateText({ model: guarded, prompt: 'Hi' })
    expect(seen).toEqual([1, 2, 1, 1])
  })

  test('reviews a message, and a tool result, once', async () => {
    const asked: string[] = []
    const judge: Processor = {
      id: 'judge',
      processToolResult: ({ toolCall: { toolCallId } }) => void asked.push(toolCallId),
    }
    const model = new ScriptedModel([[toolCall('lookUp', {})], [toolCall('lookUp', {})], 'Done.', 'Again.'])
    const session = new GuardSession()
    const guarded = guardModel(model, [judge, hidesDigits('redact')], { session })
    const tools = { lookUp: tool({ inputSchema: z.object({}), execute: () => 'It is 1234.' }) }
    const { response } = await generateText({ model: guarded, tools, prompt: 'Hi', stopWhen: isStepCount(5) })
    const messages = [
      { role: 'user' as const, content: 'Hi' },
      ...response.messages,
      { role: 'user' as const, content: 'More' },
    ]
    await generateText({ model: guarded, tools, messages })
    await generateText({
      model: guarded,
      tools,
      messages: [...messages, { role: 'user', content: '9999' }],
    }).catch(() => {})
    expect(JSON.stringify(model.calls.map(({ prompt }) => prompt))).not.toMatch(/1234|9999/)
    // A message that grows by a step is read anew; one that has ended is not.
    expect(asked.filter((id) => id === 'call-2').length).toBeLessThan(4)
  })

  test('runs processInput once per turn, and keeps its changes', async () => {
    let asked = 0
    const adds: Processor = {
      id: 'adds',
      processInput({ messages, systemMessages, messageList }) {
        asked++
        const [first] = messages
        if (first)
          messageList.add(
            { ...first, id: `note-${asked}`, content: { parts: [{ type: 'text', text: 'A note.' }] } },
            'context',
          )
        return { systemMessages: [...systemMessages, { role: 'system', content: `Turn ${asked}.` }] }
      },
    }
    const model = new ScriptedModel([[toolCall('lookUp', {})], [toolCall('lookUp', {})], 'Done.', 'Next.'])
    const guarded = guardModel(model, [adds, hidesDigits('redact')], { session: new GuardSession() })
    const tools = { lookUp: tool({ inputSchema: z.object({}), execute: () => 'It is 1234.' }) }
    const { response } = await generateText({
      model: guarded,
      tools,
      prompt: 'Hi 5678',
      stopWhen: isStepCount(5),
    })
    expect(asked).toBe(1)
    for (const { prompt } of model.calls) {
      expect(prompt[0]).toMatchObject({ role: 'system', content: 'Turn 1.' })
      expect(JSON.stringify(prompt)).toContain('A note.')
      expect(JSON.stringify(prompt)).toContain('Hi [REDACTED]')
    }
    expect(model.lastPrompt.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'user',
      'assistant',
      'tool',
      'assistant',
      'tool',
    ])
    await generateText({
      model: guarded,
      messages: [
        { role: 'user', content: 'Hi 5678' },
        ...response.messages,
        { role: 'user', content: 'More' },
      ],
    })
    expect(asked).toBe(2)
    expect(JSON.stringify(model.calls.map(({ prompt }) => prompt))).not.toMatch(/1234|5678/)
  })

  test('rejects concurrent calls', async () => {
    const guarded = guardModel(new ScriptedModel(['a', 'b', 'c']), [PASSES], { session: new GuardSession() })
    const { stream } = await guarded.doStream({ prompt: PROMPT })
    await expect(guarded.doGenerate({ prompt: PROMPT })).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
    await stream.cancel()
    await expect(guarded.doGenerate({ prompt: PROMPT })).resolves.toBeDefined()
  })
})

describe('history', () => {
  const blocks = new KeywordGuard({ keywords: ['forbidden'], strategy: 'block' })

  test('leaves out messages that would be blocked, and the conversation continues', async () => {
    const model = new ScriptedModel(['Fine.'])
    await generateText({
      model: guardModel(model, [blocks]),
      messages: [
        { role: 'user', content: 'forbidden' },
        { role: 'assistant', content: 'No.' },
        { role: 'user', content: 'Hello' },
      ],
    })
    expect(JSON.stringify(model.lastPrompt)).not.toContain('forbidden')
    expect(JSON.stringify(model.lastPrompt)).toContain('Hello')
  })

  test('passes in-place edits of a processor to the model', async () => {
    const model = new ScriptedModel(['Fine.'])
    const edits: Processor = {
      id: 'edits',
      processInputStep({ messages }) {
        for (const { content } of messages)
          for (const part of content.parts)
            if ('output' in part) (part.output as { deep: { key: string } }).deep.key = 'gone'
      },
    }
    await guardModel(model, [edits]).doGenerate({
      prompt: [
        { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
        {
          role: 'assistant',
          content: [{ type: 'tool-call', toolCallId: 'x', toolName: 'lookUp', input: {} }],
        },
        {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              toolCallId: 'x',
              toolName: 'lookUp',
              output: { type: 'json', value: { deep: { key: 'secret' } } },
            },
          ],
        },
      ],
    })
    expect(JSON.stringify(model.lastPrompt)).not.toContain('secret')
    expect(JSON.stringify(model.lastPrompt)).toContain('gone')
  })

  test('with a late result, or one without a call, does not bypass the processors', async () => {
    const call = { type: 'tool-call' as const, toolCallId: 'x', toolName: 'lookUp', input: {} }
    const result = {
      role: 'tool' as const,
      content: [
        {
          type: 'tool-result' as const,
          toolCallId: 'x',
          toolName: 'lookUp',
          output: { type: 'text' as const, value: '1234' },
        },
      ],
    }
    const user = { role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }
    const session = new GuardSession()
    const model = new ScriptedModel(['a', 'b', 'c'])
    const guarded = guardModel(model, [hidesDigits('redact')], { session })
    await guarded.doGenerate({ prompt: [user, { role: 'assistant', content: [call] }, user, result] })
    await guarded.doGenerate({
      prompt: [
        user,
        { role: 'assistant', content: [call] },
        { role: 'assistant', content: [{ type: 'text', text: 'a' }] },
        result,
      ],
    })
    expect(JSON.stringify(model.calls.map(({ prompt }) => prompt))).not.toContain('1234')
    await expect(guarded.doGenerate({ prompt: [user, result] })).rejects.toMatchObject({
      code: 'RUN_INPUT_INVALID',
    })
  })
})

describe('tools behind guardTools', () => {
  const seenBy = (list: unknown[]) => (value: unknown) => void list.push(value)

  test('return what the processors leave, also for preliminary results and errors', async () => {
    const seen: unknown[] = []
    const tools = guardTools(
      {
        streams: tool({
          inputSchema: z.object({}),
          async *execute() {
            yield 'at K1234'
            yield 'at K5678'
          },
        }),
        fails: tool({
          inputSchema: z.object({}),
          execute: (): string => {
            throw new Error('broken at K1234')
          },
        }),
      },
      [new RegexFilter({ patterns: [/K\d{4}/], strategy: 'redact' })],
    )
    const model = new ScriptedModel([[toolCall('streams', {}), toolCall('fails', {})], 'Done.'])
    const result = streamText({ model, tools, prompt: 'Hi', stopWhen: isStepCount(3) })
    for await (const part of result.stream) seenBy(seen)(part)
    expect(
      JSON.stringify([seen, await result.steps, model.lastPrompt], (_, value) =>
        value instanceof Error ? value.message : value,
      ),
    ).not.toMatch(/K1234|K5678/)
    expect(JSON.stringify(model.lastPrompt)).toContain('broken at [REDACTED]')
  })

  test('do not change a tool without execute, and reject an invalid processor', () => {
    const client = { inputSchema: z.object({}) }
    expect(guardTools({ client }, [PASSES]).client).toBe(client)
    expect(() => guardTools({ client }, [{ id: 'idle' }])).toThrow(
      expect.objectContaining({ code: 'CONFIG_HOOK_MISSING' }),
    )
  })
})

test("a ToolLoopAgent works with a guarded model, and its UI stream builds the client's message", async () => {
  const model = new ScriptedModel([[toolCall('lookUp', { key: 'a' })], text(['It is 12', '34.'])])
  const agent = new ToolLoopAgent({
    model: guardModel(model, [hidesDigits('redact')]),
    tools: { lookUp: tool({ inputSchema: z.object({ key: z.string() }), execute: () => 'x' }) },
  })
  const result = await agent.stream({ prompt: 'Hi' })
  const messages = await collect(readUIMessageStream({ stream: result.toUIMessageStream() }))
  expect(messages.at(-1)?.parts).toContainEqual(
    expect.objectContaining({ type: 'text', text: 'It is [REDACTED].' }),
  )
})

test('a call in an incomplete answer is reviewed too, because the AI SDK may execute it', async () => {
  const denies: Processor = { id: 'denies', processToolCall: () => ({ deny: 'No.' }) }
  const parts = EVERY_PART.map((part) =>
    part.type === 'finish' ? { ...part, finishReason: { unified: 'length' as const, raw: 'max' } } : part,
  )
  const { stream } = await guardModel(mock(parts), [denies]).doStream({ prompt: PROMPT, tools: TOOLS })
  const given = await convertReadableStreamToArray(stream)
  expect(given).toContainEqual(
    expect.objectContaining({ type: 'tool-call', toolCallId: 'c', providerExecuted: true }),
  )
  expect(given.at(-1)).toMatchObject({ finishReason: { unified: 'length', raw: 'max' } })
})

test('an approval request of the provider is passed on after its call', async () => {
  const request = { type: 'tool-approval-request' as const, approvalId: 'a', toolCallId: 'p' }
  const { stream } = await guardModel(mock([...EVERY_PART.slice(0, -1), request, FINISH]), [PASSES]).doStream(
    {
      prompt: PROMPT,
      tools: TOOLS,
    },
  )
  expect((await convertReadableStreamToArray(stream)).slice(-2)).toEqual([request, FINISH])
})

test('data chunks of processors go to onData', async () => {
  const data: unknown[] = []
  const writes: Processor = {
    id: 'writes',
    processInput: ({ writer }) => writer.write({ type: 'data-note', data: 1 }),
    processOutputStream: async ({ part, writer }) => {
      if (part.type === 'text-end') await writer.write({ type: 'data-note', data: 2 })
      return part
    },
  }
  const guarded = guardModel(new ScriptedModel(['x']), [writes], { onData: (chunk) => data.push(chunk.data) })
  await guarded.doGenerate({ prompt: PROMPT })
  expect(data).toEqual([1, 2])
})

test('a reader that leaves ends the model call, and only the buffer is read', async () => {
  const model = new ScriptedModel([text(Array.from({ length: 500 }, (_, index) => `${index} `))])
  const { stream } = await guardModel(model, [PASSES]).doStream({ prompt: PROMPT })
  const reader = stream.getReader()
  for (let part = 0; part < 5; part++) await reader.read()
  await reader.cancel()
  await expect.poll(() => model.lastStream.outcome).toMatch(/aborted|cancelled/)
})

test('a guard that hangs is stopped by the timeout', async () => {
  const hangs: Processor = { id: 'hangs', processInput: () => new Promise(() => {}) }
  await expect(
    guardModel(new ScriptedModel(['x']), [hangs], { timeout: 5 }).doGenerate({ prompt: PROMPT }),
  ).rejects.toMatchObject({
    code: 'RUN_TIMEOUT',
  })
})

test('invalid options and processors throw at construction', () => {
  const model = new ScriptedModel([])
  expect(() => guardModel(model, [{ id: 'idle' }])).toThrow(
    expect.objectContaining({ code: 'CONFIG_HOOK_MISSING' }),
  )
  expect(() => guardModel(model, [PASSES], { emit: 'later' as 'live' })).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID' }),
  )
  expect(() => guardModel(model, [PASSES], { maxSteps: 0 })).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID' }),
  )
})
