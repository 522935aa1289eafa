import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { RunnableLambda } from '@langchain/core/runnables'
import { Command, MemorySaver } from '@langchain/langgraph'
import { RegexFilter } from '@millrace/guards/regex-filter'
import { fail, reasoning, ScriptedModel, text, toolCall } from '@millrace/testing'
import {
  createAgent,
  createMiddleware,
  humanInTheLoopMiddleware,
  providerStrategy,
  tool,
  toolStrategy,
} from 'langchain'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { millraceMiddleware } from '../src/langchain/index.ts'
import { type Outcome, type Turn, testWayOut } from '../test/ways-out/corpus.ts'
import { RecordingTracer } from './recording-tracer.ts'
import { ScriptedChatModel } from './scripted-chat-model.ts'

// By default LangChain calls handlers in a queue that a stream does not wait for: under load its end comes before its text.
process.env.LANGCHAIN_CALLBACKS_BACKGROUND = 'false'

async function run({
  processors,
  lookUp,
  object,
  abortSignal,
  input,
  timeout,
  model,
  stream,
}: Turn): Promise<Outcome> {
  const tracer = new RecordingTracer()
  const checkpointer = new MemorySaver()
  const agent = createAgent({
    model: new ScriptedChatModel(model),
    checkpointer,
    middleware: [millraceMiddleware(processors, { ...(timeout !== undefined && { timeout }) })],
    ...(lookUp && {
      tools: [
        tool((given) => lookUp(given) as string, {
          name: 'lookUp',
          description: 'Looks up a key.',
          schema: z.object({ key: z.string() }),
        }),
      ],
    }),
    ...(object && {
      responseFormat: providerStrategy(z.object(Object.fromEntries(object.map((key) => [key, z.string()])))),
    }),
  })
  const config = {
    configurable: { thread_id: 'one' },
    callbacks: [tracer],
    ...(abortSignal && { signal: abortSignal }),
  }
  const messages = [{ role: 'user' as const, content: input }]
  let text = ''
  let error: unknown
  const reader: unknown[] = []
  try {
    if (stream) {
      const parts = await agent.stream(
        { messages },
        { ...config, streamMode: ['messages', 'updates', 'custom'] },
      )
      for await (const [mode, part] of parts) {
        reader.push(part)
        if (mode !== 'messages') continue
        const [message] = part as unknown as [{ type: string; text: string }]
        if (message.type === 'ai') text += message.text
      }
    } else {
      const result = await agent.invoke({ messages }, config)
      reader.push(result)
      for (const message of result.messages) if (message.type === 'ai') text += message.text
    }
  } catch (thrown) {
    error = thrown
  }
  const kept: unknown[] = [tracer.seen]
  for await (const { values } of agent.graph.getStateHistory(config)) kept.push(values)
  for await (const saved of checkpointer.list(config)) kept.push(saved)
  return { text, reader, kept, error }
}

testWayOut('millraceMiddleware', { run })

describe('an agent of LangChain', () => {
  const redact = () => new RegexFilter({ patterns: [/KEY-\d{8}/], strategy: 'redact' })
  const SECRET = 'KEY-12345678'
  const config = { configurable: { thread_id: 'one' } }
  const agentOf = (script: ConstructorParameters<typeof ScriptedModel>[0], more: object = {}) => {
    const model = new ScriptedModel(script)
    const agent = createAgent({
      model: new ScriptedChatModel(model),
      middleware: [millraceMiddleware([redact()])],
      ...more,
    })
    return { model, agent }
  }
  const ask = (content: string) => ({ messages: [{ role: 'user' as const, content }] })
  const lookUpWith = (func: (input: object, config: object) => unknown, more: object = {}) =>
    tool(func as never, { name: 'lookUp', description: 'x', schema: z.object({}), ...more } as never)

  test('stores and traces the input as the processors left it, from the first call on', async () => {
    const tracer = new RecordingTracer()
    const { agent } = agentOf(['Fine.', 'Again.'], { checkpointer: new MemorySaver() })
    await agent.invoke(ask(`My key is ${SECRET}.`), { ...config, callbacks: [tracer] })
    const { messages } = await agent.invoke(ask('And?'), config)
    expect(messages.map((message) => message.text)).toEqual([
      'My key is [REDACTED].',
      'Fine.',
      'And?',
      'Again.',
    ])
    const raw = tracer.seen.filter((run) => run.includes(SECRET)).map((run) => JSON.parse(run).name)
    // What comes before any middleware cannot be had, and the run of the middleware itself begins with it.
    expect([...new Set(raw)].sort()).toEqual(['LangGraph', '__start__', 'millrace.before_agent'].sort())
  })

  test('is not changed by processors that change nothing', async () => {
    const passes = { id: 'passes', processOutputStep: () => undefined }
    const model = new ScriptedModel([[reasoning('Hm.'), text('Hello.'), toolCall('lookUp', {})], 'Done.'])
    const agent = createAgent({
      model: new ScriptedChatModel(model),
      tools: [lookUpWith(() => ({ a: 1 }))],
      middleware: [millraceMiddleware([passes])],
    })
    const user = new HumanMessage({
      id: 'u1',
      name: 'anna',
      content: [
        { type: 'text', text: 'See.', cache_control: { type: 'ephemeral' } },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } },
      ],
    })
    const { messages } = await agent.invoke({ messages: [user] })
    expect(messages[0]).toBe(user)
    expect(JSON.stringify(model.calls[0]?.prompt)).toContain('cache_control')
    expect(JSON.stringify(model.calls[0]?.prompt)).toContain('image_url')
    const [, answer, result] = messages
    expect(answer?.contentBlocks).toMatchObject([
      { type: 'reasoning', reasoning: 'Hm.' },
      { type: 'text', text: 'Hello.' },
      { type: 'tool_call', name: 'lookUp' },
    ])
    expect(answer?.response_metadata).toMatchObject({ model_name: 'scripted' })
    expect(result?.text).toBe('{"a":1}')
  })

  test('redacts part of a message, and leaves its other parts', async () => {
    const { agent } = agentOf(['Fine.'])
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } }
    const user = new HumanMessage({ id: 'u1', content: [{ type: 'text', text: `It is ${SECRET}.` }, image] })
    const { messages } = await agent.invoke({ messages: [user] })
    expect(messages[0]?.id).toBe('u1')
    expect(messages[0]?.content).toMatchObject([
      { type: 'text', text: 'It is [REDACTED].' },
      { type: 'image', mimeType: 'image/png', data: 'aGk=' },
    ])
  })

  test('redacts history from the application for the model and its trace, and tool results in the state too', async () => {
    const tracer = new RecordingTracer()
    const { agent, model } = agentOf(['Fine.'])
    const given = [
      new HumanMessage(`One ${SECRET}`),
      new AIMessage({ content: '', tool_calls: [{ id: 'c1', name: 'lookUp', args: { key: SECRET } }] }),
      new ToolMessage({ tool_call_id: 'c1', content: `Two ${SECRET}` }),
      new AIMessage(`Three ${SECRET}`),
      new HumanMessage('And?'),
    ]
    const { messages } = await agent.invoke({ messages: given }, { callbacks: [tracer] })
    expect(messages.map(({ type }) => type)).toEqual(['human', 'ai', 'tool', 'ai', 'human', 'ai'])
    expect(messages[2]?.text).toBe('Two [REDACTED]')
    expect(JSON.stringify(model.calls)).not.toContain(SECRET)
    const calls = tracer.seen.filter((run) => JSON.parse(run).run_type === 'llm')
    expect(calls.length).toBeGreaterThan(0)
    for (const call of calls) expect(call).not.toContain(SECRET)
  })

  test.each([
    ['an artifact', () => [`It is ${SECRET}.`, { raw: SECRET }], { responseFormat: 'content_and_artifact' }],
    [
      'a message',
      (_: object, { toolCall }: any) =>
        new ToolMessage({
          tool_call_id: toolCall.id,
          content: `It is ${SECRET}.`,
          artifact: { raw: SECRET },
        }),
      {},
    ],
    [
      'what a generator returns',
      async function* () {
        yield `Progress: ${SECRET}`
        return `It is ${SECRET}.`
      },
      {},
    ],
  ])('redacts %s of a tool', async (_, func, more) => {
    const tracer = new RecordingTracer()
    const { agent } = agentOf([[toolCall('lookUp', {})], 'Done.'], {
      tools: [lookUpWith(func as never, more)],
    })
    const { messages } = await agent.invoke(ask('Hi'), { callbacks: [tracer] })
    expect(messages[2]?.text).toBe('It is [REDACTED].')
    expect(JSON.stringify([messages, tracer.seen])).not.toContain(SECRET)
  })

  test('redacts the message of an error of a tool', async () => {
    const tracer = new RecordingTracer()
    const fails = lookUpWith(() => {
      throw new Error(`No ${SECRET}`)
    })
    const { agent } = agentOf([[toolCall('lookUp', {})], 'Done.'], { tools: [fails] })
    const error = await agent.invoke(ask('Hi'), { callbacks: [tracer] }).catch((thrown) => thrown)
    expect(String(error)).toContain('No [REDACTED]')
    expect(JSON.stringify(tracer.seen)).not.toContain(SECRET)
  })

  test('rejects a Command of a tool, and a tool that is not a StructuredTool', async () => {
    const commands = lookUpWith(() => new Command({ update: { messages: [new AIMessage(SECRET)] } }))
    const first = agentOf([[toolCall('lookUp', {})], 'Done.'], { tools: [commands] })
    await expect(first.agent.invoke(ask('Hi'))).rejects.toThrow(/returned a Command/)
    const runnable = RunnableLambda.from(() => SECRET).asTool({ name: 'lookUp', schema: z.object({}) })
    const second = agentOf([[toolCall('lookUp', {})], 'Done.'], { tools: [runnable] })
    await expect(second.agent.invoke(ask('Hi'))).rejects.toThrow(/not a StructuredTool/)
  })

  test('streams to the end with streamEvents, without redacted text', async () => {
    const { agent } = agentOf([text(['It is KEY-1234', '5678, ', 'as asked.'])])
    let said = ''
    const seen: unknown[] = []
    for await (const event of agent.streamEvents(ask('Hi'), { version: 'v2' })) {
      seen.push(event)
      if (event.event === 'on_chat_model_stream') said += event.data.chunk.text
    }
    expect(said).toBe('It is [REDACTED], as asked.')
    expect(JSON.stringify(seen)).not.toContain('12345678')
  })

  test('runs each hook as often as a Millrace agent, and keeps state for the run', async () => {
    const asked: Record<string, number> = {}
    const counts =
      (hook: string) =>
      ({ state }: { state: Record<string, unknown> }) => {
        asked[hook] = (asked[hook] ?? 0) + 1
        state.all = Number(state.all ?? 0) + 1
        asked.all = state.all as number
      }
    const processor = {
      id: 'counts',
      processInput: counts('processInput'),
      processInputStep: counts('processInputStep'),
      processToolCall: counts('processToolCall'),
      processToolResult: counts('processToolResult'),
      processOutputStep: counts('processOutputStep'),
      processOutputResult: counts('processOutputResult'),
    }
    const model = new ScriptedModel([[toolCall('lookUp', {})], 'Done.', [toolCall('lookUp', {})], 'Done.'])
    const agent = createAgent({
      model: new ScriptedChatModel(model),
      tools: [lookUpWith(() => 'found')],
      middleware: [millraceMiddleware([processor as never])],
    })
    const once = {
      processInput: 1,
      processInputStep: 2,
      processToolCall: 1,
      processOutputStep: 2,
      processOutputResult: 1,
    }
    await agent.invoke(ask('Hi'))
    expect(asked).toMatchObject(once)
    const { all } = asked
    for (const key of Object.keys(asked)) delete asked[key]
    await agent.invoke(ask('Hi'))
    expect(asked).toMatchObject({ ...once, all })
  })

  test('sends messages of processors to the model, and does not store them', async () => {
    const adds = {
      id: 'adds',
      processInput: ({ systemMessages, messages }: any) => ({
        messages,
        systemMessages: [...systemMessages, { role: 'system', content: 'Be brief.' }],
      }),
    }
    const model = new ScriptedModel(['Fine.'])
    const agent = createAgent({
      model: new ScriptedChatModel(model),
      systemPrompt: 'Be kind.',
      middleware: [millraceMiddleware([adds])],
    })
    const { messages } = await agent.invoke(ask('Hi'))
    expect(messages.map(({ type }) => type)).toEqual(['human', 'ai'])
    expect(JSON.stringify(model.calls)).toContain('Be brief.')
    expect(JSON.stringify(model.calls)).toContain('Be kind.')
  })

  test('passes its context and thread to processors', async () => {
    const seen: unknown[] = []
    const looks = {
      id: 'looks',
      processInput: ({ requestContext }: any) =>
        void seen.push([requestContext.get('plan'), requestContext.threadId]),
      processInputStep: ({ requestContext }: any) => void seen.push(requestContext.threadId),
    }
    const agent = createAgent({
      model: new ScriptedChatModel(new ScriptedModel(['Fine.'])),
      checkpointer: new MemorySaver(),
      middleware: [millraceMiddleware([looks])],
    })
    await agent.invoke(ask('Hi'), config)
    expect(seen).toEqual([[undefined, 'one'], 'one'])
  })

  test('reviews a call again that a person has edited, or that waited in a checkpoint', async () => {
    const ran: unknown[] = []
    const denies = {
      id: 'denies',
      processToolCall: ({ toolCall }: any) =>
        toolCall.input.path === '/etc' ? { deny: 'Not that.' } : undefined,
    }
    const agentWith = (checkpointer: MemorySaver, script: ScriptedModel) =>
      createAgent({
        model: new ScriptedChatModel(script),
        checkpointer,
        tools: [tool((given) => ran.push(given), { name: 'remove', schema: z.object({ path: z.string() }) })],
        middleware: [
          humanInTheLoopMiddleware({ interruptOn: { remove: true } }),
          millraceMiddleware([denies as never]),
        ],
      })
    const edited = { type: 'edit' as const, editedAction: { name: 'remove', args: { path: '/etc' } } }
    for (const [path, decision] of [
      ['/etc', { type: 'approve' as const }],
      ['/tmp', edited],
    ] as const) {
      const checkpointer = new MemorySaver()
      const script = new ScriptedModel([[toolCall('remove', { path })], 'Done.'])
      await agentWith(checkpointer, script).invoke(ask('Hi'), config)
      // As in another process: nothing is left of the first run but its checkpoint.
      const resumed = agentWith(checkpointer, script)
      const { messages } = await resumed.invoke(new Command({ resume: { decisions: [decision] } }), config)
      expect(messages.find((message) => message.type === 'tool')?.text).toBe('Not that.')
    }
    expect(ran).toEqual([])
  })

  test('fails if a processor denies the structured output call', async () => {
    const denies = { id: 'denies', processToolCall: () => ({ deny: 'Not today.' }) }
    const agent = createAgent({
      model: new ScriptedChatModel(new ScriptedModel(() => [toolCall('answer', { key: SECRET })])),
      responseFormat: toolStrategy({
        title: 'answer',
        type: 'object',
        properties: { key: { type: 'string' } },
      }),
      middleware: [millraceMiddleware([denies as never])],
    })
    await expect(agent.invoke(ask('Hi'))).rejects.toThrow('Not today.')
  })

  test('returns structured output by a tool as the processors left it', async () => {
    const agent = createAgent({
      model: new ScriptedChatModel(new ScriptedModel(() => [toolCall('answer', { key: SECRET })])),
      responseFormat: toolStrategy({
        title: 'answer',
        type: 'object',
        properties: { key: { type: 'string' } },
      }),
      middleware: [millraceMiddleware([redact()])],
    })
    const { structuredResponse } = await agent.invoke(ask('Hi'))
    expect(structuredResponse).toEqual({ key: '[REDACTED]' })
  })

  test('passes what other middleware adds to processors of the input', async () => {
    const seen: string[] = []
    const looks = {
      id: 'looks',
      processInput: ({ messages }: any) => void seen.push(JSON.stringify(messages)),
    }
    const adds = createMiddleware({
      name: 'adds',
      beforeModel: () => ({ messages: [new HumanMessage('Added.')] }),
    })
    const agent = createAgent({
      model: new ScriptedChatModel(new ScriptedModel(['Fine.'])),
      middleware: [adds, millraceMiddleware([looks])],
    })
    await agent.invoke(ask('Hi'))
    expect(seen.some((messages) => messages.includes('Added.'))).toBe(true)
  })

  test('rethrows a model error unchanged', async () => {
    const { agent } = agentOf([fail('down')])
    await expect(agent.invoke(ask('Hi'))).rejects.toThrow(/down/)
  })

  test('rejects what it cannot guard, and invalid options', async () => {
    const agent = createAgent({
      model: RunnableLambda.from(() => new AIMessage(SECRET)) as never,
      middleware: [millraceMiddleware([redact()])],
    })
    await expect(agent.invoke(ask('Hi'))).rejects.toThrow(/not a LangChain chat model/)
    expect(() => millraceMiddleware([], { timeout: -1 })).toThrow(/timeout/)
    expect(() => millraceMiddleware([{ id: 'x', proceInput: () => {} } as never])).toThrow(/CONFIG_|hook/i)
  })

  test('works in a list of middleware, in last place', async () => {
    const seen: string[] = []
    const spy = createMiddleware({
      name: 'spy',
      wrapModelCall: async (request, handler) => {
        const answer = (await handler({ ...request, systemPrompt: `Key: ${SECRET}` })) as AIMessage
        seen.push(answer.text)
        return answer
      },
      wrapToolCall: async (request, handler) => {
        const result = (await handler(request)) as ToolMessage
        seen.push(result.text)
        return result
      },
    })
    const model = new ScriptedModel([[text(`A ${SECRET}`), toolCall('lookUp', {})], `B ${SECRET}`])
    const agent = createAgent({
      model: new ScriptedChatModel(model),
      tools: [lookUpWith(() => `C ${SECRET}`)],
      middleware: [spy, millraceMiddleware([redact()])],
    })
    await agent.invoke(ask('Hi'))
    expect(seen).toEqual(['A [REDACTED]', 'C [REDACTED]', 'B [REDACTED]'])
  })
})
