import type { Processor } from '@millrace/core'
import { RegexFilter } from '@millrace/guards/regex-filter'
import { collect } from '@millrace/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AgentsRequest, AgentsResponse, AgentsStreamEvent } from './agents-types.ts'
import { guardModel, guardModelProvider } from './guard-model.ts'

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

const USAGE = { requests: 1, inputTokens: 7, outputTokens: 3, totalTokens: 10 }

/** Answers with items, and with deltas where it is streamed: by default all text, each as one. */
class FakeModel {
  readonly requests: AgentsRequest[] = []
  readonly #output: object[]
  readonly #events: AgentsStreamEvent[] | undefined

  constructor(output: object[], events?: AgentsStreamEvent[]) {
    this.#output = output
    this.#events = events
  }

  async getResponse(request: AgentsRequest): Promise<AgentsResponse> {
    this.requests.push(request)
    return {
      usage: USAGE,
      output: this.#output,
      responseId: 'r-1',
      requestId: 'q-1',
      ...{ providerData: { raw: JSON.stringify(this.#output) } },
    }
  }

  async *getStreamedResponse(request: AgentsRequest): AsyncGenerator<AgentsStreamEvent> {
    this.requests.push(request)
    yield { type: 'response_started' }
    yield { type: 'model', event: { raw: JSON.stringify(this.#output) } }
    yield* this.#events ?? textsOf(this.#output).map(deltaOf)
    yield {
      type: 'response_done',
      response: { id: 'r-1', requestId: 'q-1', usage: USAGE, output: this.#output },
    }
  }
}

interface Words {
  id?: string
  role?: string
  content: { type: string; text: string }[]
}

function textsOf(output: readonly object[]): { text: string; itemId: string | undefined }[] {
  return (output as Words[])
    .filter(({ role }) => role === 'assistant')
    .flatMap(({ id, content }) => content.map(({ type, text }) => ({ type, text, itemId: id })))
    .filter(({ type }) => type === 'output_text')
}

function deltaOf({ text: delta, itemId }: { text: string; itemId: string | undefined }): AgentsStreamEvent {
  return { type: 'output_text_delta', delta, itemId }
}

function request(fields: Partial<AgentsRequest> = {}): AgentsRequest {
  return {
    input: 'Hello.',
    modelSettings: {},
    tools: [],
    handoffs: [],
    outputType: 'text',
    tracing: true,
    ...fields,
  }
}

function said(...texts: string[]) {
  return {
    type: 'message' as const,
    role: 'assistant' as const,
    id: 'm-1',
    status: 'completed' as const,
    content: texts.map((text) => ({ type: 'output_text' as const, text })),
  }
}

const hides = (strategy: 'redact' | 'block' = 'redact') =>
  new RegexFilter({ patterns: [/KEY-\d{4}/], strategy })

const SECRET = 'KEY-1234'

async function answerOf(
  model: FakeModel,
  processors: Processor[],
  { streamed, ...fields }: Partial<AgentsRequest> & { streamed: boolean },
): Promise<{ output: object[]; text: string; all: unknown }> {
  const guarded = guardModel(model, processors)
  if (!streamed) {
    const response = await guarded.getResponse(request(fields) as never)
    return { output: response.output, text: '', all: response }
  }
  const events: AgentsStreamEvent[] = []
  for await (const event of guarded.getStreamedResponse(request(fields) as never)) events.push(event)
  const done = events.find((event) => event.type === 'response_done')
  const deltas = events.flatMap((event) => (event.type === 'output_text_delta' ? [event.delta] : []))
  return {
    output: done?.type === 'response_done' ? done.response.output : [],
    text: deltas.join(''),
    all: events,
  }
}

const each = test.each([{ streamed: false }, { streamed: true }])

const INPUT = [
  { role: 'system', content: 'Be kind.' },
  { type: 'message', role: 'user', content: 'Look.' },
  { type: 'reasoning', id: 'rs-1', content: [], providerData: { encrypted_content: 'abc' } },
  {
    type: 'reasoning',
    content: [{ type: 'input_text', text: 'Hm.' }],
    rawContent: [{ type: 'reasoning_text', text: 'Hmm.' }],
  },
  { ...said('One.', 'Two.'), phase: 'commentary', providerData: { model: 'x' } },
  {
    type: 'function_call',
    callId: 'c-1',
    id: 'f-1',
    name: 'lookUp',
    arguments: '{"key":"a"}',
    status: 'completed',
  },
  { type: 'function_call', callId: 'c-2', name: 'lookUp', arguments: '{"key":"b"}' },
  {
    type: 'function_call_result',
    callId: 'c-1',
    name: 'lookUp',
    status: 'completed',
    output: { type: 'text', text: 'found' },
  },
  {
    type: 'function_call_result',
    callId: 'c-2',
    name: 'lookUp',
    status: 'completed',
    output: [
      { type: 'input_text', text: 'and', providerData: { n: 1 } },
      { type: 'input_image', image: 'https://example.com/a.png', detail: 'low' },
    ],
  },
  {
    type: 'hosted_tool_call',
    id: 'ws-1',
    name: 'web_search_call',
    status: 'completed',
    output: 'hits',
    providerData: { type: 'web_search_call', sources: ['https://example.com'] },
  },
  { role: 'assistant', status: 'completed', content: [{ type: 'refusal', refusal: 'No.' }] },
  {
    role: 'user',
    content: [
      { type: 'input_text', text: 'And this?', promptCacheBreakpoint: { mode: 'explicit' } },
      { type: 'input_image', image: 'data:image/png;base64,aGk=', detail: 'high' },
      { type: 'input_image', image: { id: 'file-1' } },
      { type: 'input_file', file: { url: 'https://example.com/a.pdf' }, filename: 'a.pdf' },
      { type: 'input_file', file: 'aGk=' },
    ],
  },
]

const TOOLS = [
  {
    type: 'function',
    name: 'lookUp',
    description: 'Looks.',
    parameters: { type: 'object' },
    strict: true,
    namespace: 'n',
  },
  { type: 'hosted_tool', name: 'web_search', providerData: { type: 'web_search', depth: 1 } },
]

const HANDOFF = {
  toolName: 'transfer_to_billing',
  toolDescription: 'Hands off.',
  inputJsonSchema: { type: 'object' },
  strictJsonSchema: true,
}

const OUTPUT = [
  { type: 'reasoning', id: 'rs-0', content: [] },
  {
    type: 'reasoning',
    id: 'rs-2',
    content: [{ type: 'input_text', text: 'So.' }],
    providerData: { encrypted_content: 'x' },
  },
  {
    ...said('There ', 'it is.'),
    phase: 'commentary',
    content: [
      { type: 'output_text', text: 'There ', providerData: { annotations: [{ title: 'A' }] } },
      { type: 'output_text', text: 'it is.' },
      { type: 'refusal', refusal: 'But no.' },
    ],
  },
  {
    type: 'hosted_tool_call',
    id: 'fs-1',
    name: 'file_search_call',
    status: 'completed',
    providerData: { results: [1] },
  },
  {
    type: 'function_call',
    callId: 'c-3',
    id: 'f-3',
    name: 'lookUp',
    namespace: 'n',
    arguments: '{"key":"b"}',
    status: 'completed',
  },
  { ...said('Bye.'), id: 'm-2' },
]

describe('processors that change nothing', () => {
  each('change nothing of what the model is asked (streamed: $streamed)', async ({ streamed }) => {
    const model = new FakeModel(OUTPUT)
    const asked = {
      systemInstructions: 'Be brief.',
      input: INPUT,
      tools: TOOLS,
      handoffs: [HANDOFF],
      modelSettings: {
        temperature: 0.5,
        maxTokens: 10,
        toolChoice: 'lookUp',
        store: false,
        providerData: { a: 1 },
      },
      outputType: { type: 'json_schema' as const, name: 'answer', strict: true, schema: { type: 'object' } },
    }
    await answerOf(model, [PASSES], { ...asked, streamed })
    const { signal: _, tracing: __, ...left } = model.requests[0] as AgentsRequest
    expect(left).toEqual(asked)
    // The very same objects: nothing is copied on the way.
    expect(left.input).toBe(INPUT)
    expect(left.tools[0]).toBe(TOOLS[0])
  })

  test.each([false, true])(
    'sends an object in place of broken arguments (streamed: %s)',
    async (streamed) => {
      const model = new FakeModel([said('Hi.')])
      const input = INPUT.map((item) => ('arguments' in item ? { ...item, arguments: 'no JSON' } : item))
      await answerOf(model, [PASSES], { input, streamed })
      expect(JSON.stringify(model.requests[0]?.input)).toContain('"arguments":"{}"')
      expect(JSON.stringify(model.requests[0]?.input)).not.toContain('no JSON')
    },
  )

  each('change nothing of the answer (streamed: $streamed)', async ({ streamed }) => {
    const { output, all } = await answerOf(new FakeModel(OUTPUT), [PASSES], {
      input: INPUT,
      tools: TOOLS,
      streamed,
    })
    expect(output).toEqual(OUTPUT)
    if (streamed) {
      const deltas = (all as AgentsStreamEvent[]).filter(({ type }) => type === 'output_text_delta')
      expect(deltas).toEqual(textsOf(OUTPUT).map(deltaOf))
    }
    const about = { usage: USAGE, requestId: 'q-1' }
    if (streamed) expect((all as unknown[]).at(-1)).toMatchObject({ response: { id: 'r-1', ...about } })
    else expect(all).toMatchObject({ responseId: 'r-1', ...about })
  })

  each('ask again with all that was answered (streamed: $streamed)', async ({ streamed }) => {
    const model = new FakeModel([said('Fine.')])
    const result = {
      type: 'function_call_result',
      callId: 'c-3',
      name: 'lookUp',
      status: 'completed',
      output: 'x',
    }
    const input = [...INPUT, ...OUTPUT, result]
    await answerOf(model, [PASSES], { input, streamed })
    expect(model.requests[0]?.input).toBe(input)
  })
})

describe('a redaction', () => {
  test('in the input changes only its own item', async () => {
    const model = new FakeModel([said('Fine.')])
    const input = INPUT.map((item, index) =>
      index === 1 ? { role: 'user', content: `It is ${SECRET}.` } : item,
    )
    await answerOf(model, [hides()], { input, systemInstructions: 'Be brief.', streamed: false })
    const left = model.requests[0]?.input as object[]
    expect(left).toHaveLength(input.length)
    for (const [index, item] of left.entries())
      if (index !== 1) expect(item, String(index)).toBe(input[index])
    expect(left[1]).toEqual({ role: 'user', content: 'It is [REDACTED].' })
  })

  each(
    'is redacted wherever it stands in an item of the input (streamed: $streamed)',
    async ({ streamed }) => {
      const places: object[][] = [
        [{ role: 'user', content: [{ type: 'input_text', text: SECRET }] }],
        [{ role: 'user', content: [{ type: 'input_text', text: 'x', providerData: { note: SECRET } }] }],
        [{ role: 'user', content: 'x', providerData: { note: SECRET } }],
        [{ role: 'user', content: [{ type: 'input_file', file: 'aGk=', filename: `${SECRET}.txt` }] }],
        [{ role: 'user', content: 'x' }, said(`a ${SECRET}`), { role: 'user', content: 'y' }],
        [
          { role: 'user', content: 'x' },
          { type: 'reasoning', content: [], rawContent: [{ type: 'reasoning_text', text: SECRET }] },
        ],
        [{ role: 'user', content: 'x', hidden: SECRET }],
        [{ role: 'user', content: [{ type: 'input_text', text: 'x', hidden: SECRET }] }],
        ...[
          SECRET,
          { type: 'text', text: SECRET },
          { type: 'text', text: 'x', providerData: { note: SECRET } },
          [{ type: 'input_text', text: SECRET }],
          [{ type: 'input_text', text: 'x', providerData: { note: SECRET } }],
        ].map((output) => [
          { role: 'user', content: 'x' },
          { type: 'function_call', callId: 'c', name: 'lookUp', arguments: '{}' },
          { type: 'function_call_result', callId: 'c', name: 'lookUp', status: 'completed', output },
        ]),
        [
          { role: 'user', content: 'x' },
          { type: 'function_call', callId: 'c', name: 'lookUp', arguments: `{"key":"${SECRET}","key":"x"}` },
          { type: 'function_call_result', callId: 'c', name: 'lookUp', status: 'completed', output: 'x' },
        ],
        [
          { role: 'user', content: 'x' },
          { type: 'hosted_tool_call', id: 'h', name: 'web_search_call', providerData: { found: [SECRET] } },
        ],
      ]
      for (const input of places) {
        const model = new FakeModel([said('Fine.')])
        await answerOf(model, [hides()], { input, streamed })
        expect(JSON.stringify(model.requests), JSON.stringify(input)).not.toContain(SECRET)
        expect(model.requests[0]?.input, JSON.stringify(input)).toHaveLength(input.length)
      }
    },
  )

  each('is redacted wherever it stands in an answer (streamed: $streamed)', async ({ streamed }) => {
    const call = { type: 'function_call', callId: 'c', name: 'lookUp', arguments: '{}' }
    const outputs: object[][] = [
      [said(`It is ${SECRET}.`)],
      [said('It is KEY-', '1234.')],
      [said('It is KEY-'), { ...said('1234.'), id: 'm-2' }],
      [{ ...said('It is.'), content: [{ type: 'output_text', text: 'x', providerData: { title: SECRET } }] }],
      [{ ...said('It is.'), providerData: { title: SECRET } }],
      [said('It is.'), { ...said('It is.'), id: 'm-2', providerData: { title: SECRET } }],
      [said('It is KEY-'), { ...said('1234.'), id: 'm-2', providerData: { logprobs: ['KEY', '-12', '34'] } }],
      [{ ...said('It is.'), content: [{ type: 'output_text', text: 'x', annotations: [SECRET] }] }],
      [{ ...said('It is.'), hidden: SECRET }],
      [
        {
          ...said(SECRET),
          content: [{ type: 'output_text', text: SECRET, providerData: { logprobs: ['KEY', '-12', '34'] } }],
        },
      ],
      [{ ...said(), content: [{ type: 'refusal', refusal: `Not ${SECRET}.` }] }],
      [{ type: 'reasoning', content: [{ type: 'input_text', text: SECRET }] }, said('x')],
      [{ type: 'reasoning', content: [], rawContent: [{ type: 'reasoning_text', text: SECRET }] }, said('x')],
      [{ type: 'reasoning', content: [], providerData: { summary: SECRET } }, said('x')],
      [{ ...call, arguments: `{"key":"${SECRET}"}` }],
      [{ ...call, arguments: `{"key":"${SECRET}","key":"x"}` }],
      [{ ...call, arguments: `no JSON ${SECRET}` }],
      [{ ...call, providerData: { note: SECRET } }],
      [{ type: 'hosted_tool_call', id: 'h', name: 's', arguments: `{"q":"${SECRET}"}`, output: 'x' }],
      [{ type: 'hosted_tool_call', id: 'h', name: 's', output: `a ${SECRET}` }],
      [{ type: 'hosted_tool_call', id: 'h', name: 's', providerData: { found: [{ text: SECRET }] } }],
    ]
    for (const output of outputs) {
      const unnamed = textsOf(output).map(({ text }) => deltaOf({ text, itemId: undefined }))
      for (const events of streamed ? [undefined, unnamed] : [undefined]) {
        const { all, output: left } = await answerOf(new FakeModel(output, events), [hides()], { streamed })
        expect(JSON.stringify(all), JSON.stringify(output)).not.toContain(SECRET)
        expect(JSON.stringify(all), JSON.stringify(output)).not.toContain('logprobs')
        expect(left.length, JSON.stringify(output)).toBeGreaterThan(0)
      }
    }
  })

  test('keeps its message, at every split and item boundary', async () => {
    const word = fc.constantFrom('KEY-', '1234', 'a', ' ', 'KEY-1234', '12', '-')
    const messages = fc.array(fc.array(word, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(messages, fc.boolean(), fc.integer({ min: 1, max: 5 }), async (given, named, size) => {
        const output = given.map((texts, index) => ({ ...said(...texts), id: `m-${index}` }))
        const events = textsOf(output).flatMap(({ text, itemId }) =>
          (text.match(new RegExp(`.{1,${size}}`, 'g')) ?? []).map((delta) =>
            deltaOf({ text: delta, itemId: named ? itemId : undefined }),
          ),
        )
        const whole = given.flat().join('')
        const {
          all,
          text,
          output: left,
        } = await answerOf(new FakeModel(output, events), [hides()], { streamed: true })
        expect(JSON.stringify(all)).not.toContain(SECRET)
        expect(text).toBe(whole.replaceAll(/KEY-\d{4}/g, '[REDACTED]'))
        expect(
          textsOf(left)
            .map((each) => each.text)
            .join(''),
        ).toBe(text)
        if (!whole.includes(SECRET)) expect(left).toEqual(output)
      }),
      { numRuns: 150 },
    )
  })
})

describe('content that processors could not see is rejected:', () => {
  test.each([
    { previousResponseId: 'r-0' },
    { conversationId: 'c-0' },
    { prompt: { promptId: 'p-0' } },
    { tools: [{ type: 'shell', name: 'shell' }] },
  ])('%j in a request', async (fields) => {
    const model = new FakeModel([said('Fine.')])
    await expect(answerOf(model, [PASSES], { ...fields, streamed: false })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    })
    await expect(answerOf(model, [PASSES], { ...fields, streamed: true })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    })
    expect(model.requests).toEqual([])
  })

  const UNSEEN = [
    { type: 'compaction', encrypted_content: SECRET },
    { type: 'unknown', providerData: { text: SECRET } },
    { type: 'shell_call', callId: 'c', action: { commands: [SECRET] } },
    { type: 'hosted', text: SECRET },
    {
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'audio', audio: 'aGk=', transcript: SECRET }],
    },
    { role: 'tool', content: SECRET },
    { role: 'user', content: [{ type: 'input_text', text: { toString: () => SECRET } }] },
    { role: 'user', content: [{ type: 'input_image' }] },
    { type: 'function_call_result', callId: 'c', name: 'x' },
    { type: 'function_call', callId: 'c', name: 'x', arguments: { key: SECRET } },
  ]

  test.each(UNSEEN)('%j in the input', async (item) => {
    const model = new FakeModel([said('Fine.')])
    const input = [{ role: 'user', content: 'x' }, item]
    const error = await answerOf(model, [hides()], { input, streamed: false }).catch(
      (thrown: unknown) => thrown,
    )
    expect(error).toMatchObject({
      code: 'RUN_INPUT_INVALID',
      message: expect.stringContaining('Item 1 of the input'),
    })
    expect(String(error)).not.toContain(SECRET)
    expect(model.requests).toEqual([])
  })

  test.each(UNSEEN)('%j in an answer', async (item) => {
    for (const streamed of [false, true]) {
      const error = await answerOf(new FakeModel([item]), [hides()], { streamed }).catch(
        (thrown: unknown) => thrown,
      )
      expect(error).toMatchObject({
        code: 'RUN_INPUT_INVALID',
        message: expect.stringContaining('Item 0 of the answer'),
      })
    }
  })
})

describe('a stream', () => {
  test('whose response differs from what was streamed fails', async () => {
    for (const events of [
      [deltaOf({ text: 'Good.', itemId: 'm-1' })],
      [deltaOf({ text: `x${SECRET}`, itemId: 'm-1' })],
    ]) {
      const model = new FakeModel([said(SECRET)], events)
      await expect(answerOf(model, [hides()], { streamed: true })).rejects.toMatchObject({
        code: 'MODEL_STREAM_FAILED',
      })
    }
  })

  test('with less text than its response is completed from it', async () => {
    const model = new FakeModel([said('One ', 'two KEY-1234.')], [deltaOf({ text: 'One t', itemId: 'm-1' })])
    const { text, output } = await answerOf(model, [hides()], { streamed: true })
    expect(text).toBe('One two [REDACTED].')
    expect(
      textsOf(output)
        .map((each) => each.text)
        .join(''),
    ).toBe(text)
  })

  test('without an end fails', async () => {
    const model = {
      getResponse: () => Promise.reject(new Error('not asked')),
      async *getStreamedResponse(_: AgentsRequest): AsyncGenerator<AgentsStreamEvent> {
        yield { type: 'output_text_delta', delta: 'Hm' }
      },
    }
    const guarded = guardModel(model, [PASSES])
    await expect(collect(guarded.getStreamedResponse(request()))).rejects.toMatchObject({
      code: 'MODEL_STREAM_FAILED',
    })
  })

  test("that is left early ends the model's stream", async () => {
    let ended = false
    const model = {
      getResponse: () => Promise.reject(new Error('not asked')),
      async *getStreamedResponse(_: AgentsRequest): AsyncGenerator<AgentsStreamEvent> {
        try {
          for (;;) yield { type: 'output_text_delta', delta: 'More. ' }
        } finally {
          ended = true
        }
      },
    }
    for await (const event of guardModel(model, [PASSES]).getStreamedResponse(request()))
      if (event.type === 'output_text_delta') break
    await expect.poll(() => ended).toBe(true)
  })

  test('has no content that processors have not seen', async () => {
    const { all } = await answerOf(new FakeModel([said(`a ${SECRET}`)]), [hides()], { streamed: true })
    expect((all as AgentsStreamEvent[]).map(({ type }) => type)).not.toContain('model')
  })
})

describe('the model', () => {
  test('writes no content to traces, because no processor has seen it', async () => {
    for (const [tracing, left] of [
      [true, 'enabled_without_data'],
      [false, false],
    ] as const) {
      const model = new FakeModel([said('Fine.')])
      await answerOf(model, [PASSES], { tracing, streamed: false })
      expect(model.requests[0]?.tracing).toBe(left)
    }
  })

  test('receives the changes that processors make to a step', async () => {
    const model = new FakeModel([said('Fine.')])
    const changes: Processor = {
      id: 'changes',
      processInputStep: ({ systemMessages, modelSettings }) => ({
        systemMessages: [...systemMessages, { role: 'system', content: 'Be kind.' }],
        modelSettings: { ...modelSettings, temperature: 0 },
        activeTools: ['lookUp'],
        toolChoice: 'required',
      }),
    }
    await answerOf(model, [changes], {
      systemInstructions: 'Be brief.',
      modelSettings: { temperature: 1, store: false },
      tools: TOOLS,
      handoffs: [HANDOFF],
      streamed: false,
    })
    expect(model.requests[0]).toMatchObject({
      systemInstructions: 'Be brief.\n\nBe kind.',
      modelSettings: { temperature: 0, store: false, toolChoice: 'required' },
      tools: [TOOLS[0]],
      handoffs: [],
    })
  })

  test('fails with its own error, and its retry advice is kept', async () => {
    const failure = new Error('Overloaded.')
    const model = {
      getResponse: (_: AgentsRequest): Promise<AgentsResponse> => Promise.reject(failure),
      getStreamedResponse: (_: AgentsRequest): AsyncIterable<AgentsStreamEvent> => {
        throw failure
      },
      getRetryAdvice: ({ error }: { error: unknown }) => ({ suggested: error === failure }),
    }
    const guarded = guardModel(model, [PASSES]) as typeof model
    await expect(guarded.getResponse(request())).rejects.toBe(failure)
    await expect(collect(guarded.getStreamedResponse(request()))).rejects.toBe(failure)
    expect(guarded.getRetryAdvice({ error: failure })).toEqual({ suggested: true })
  })
})

test('the cost of an answer and a history with many thousand pieces is linear', async () => {
  const many = Array.from({ length: 5_000 }, (_, index) => `${index} `)
  const output = [said(...many)]
  const input = [
    { role: 'user', content: 'x' },
    ...many.map((text) => said(text)),
    { role: 'user', content: 'y' },
  ]
  const model = new FakeModel(output)
  const { text } = await answerOf(model, [PASSES], { input, streamed: true })
  expect(text).toBe(many.join(''))
  expect(model.requests[0]?.input).toBe(input)
})

test('a rejection is not retried', async () => {
  const model = new FakeModel([said(SECRET)])
  const guarded = guardModel(model, [hides('block')])
  const error = await guarded.getResponse(request() as never).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ name: 'GuardRejection', processorId: 'regex-filter' })
  const { getRetryAdvice } = guarded as unknown as { getRetryAdvice(args: unknown): unknown }
  expect(getRetryAdvice.call(guarded, { error })).toEqual({ suggested: false })
})

test('invalid options and models throw at construction', () => {
  expect(() => guardModel('gpt-5' as never, [])).toThrow(/guardModelProvider/)
  expect(() => guardModel(new FakeModel([]), [], { timeout: -1 })).toThrow(/timeout/)
  expect(() => guardModelProvider({ getModel: () => new FakeModel([]) }, [], { maxSteps: 0 })).toThrow(
    /maxSteps/,
  )
})

test('a provider returns guarded models', async () => {
  const model = new FakeModel([said(SECRET)])
  const names: unknown[] = []
  const provider = guardModelProvider(
    {
      getModel: (name?: string) => {
        names.push(name)
        return model
      },
    },
    [hides()],
  )
  const response = await (await provider.getModel('gpt-5')).getResponse(request())
  expect(JSON.stringify(response)).not.toContain(SECRET)
  expect(names).toEqual(['gpt-5'])
})
