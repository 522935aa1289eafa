import { Agent, Halt, type Message, type Processor, RequestContext, userMessage } from '@millrace/core'
import {
  type ChatMessage,
  type LLMRequest,
  type LLMResponse,
  llmStep,
  type MessageModifier,
  type ModifierContext,
  type ModifierToolCall,
  messageModifier,
  responseModifier,
  toolInjection,
  toolParameters,
  toolValidation,
} from '@millrace/interop/codebolt'
import { finish, refuse, ScriptedModel, text, tokens, toolCall } from '@millrace/testing'
import { expect } from 'vitest'
import { describeRows, recordingTools, run, said, stream, toolNames } from './rows.ts'

const lookOnce = [['Looking. ', toolCall('look', { at: 'a' })], 'Seen.']

/** Adds a message before all others. */
const prepends = (content: string): MessageModifier => ({
  modify: async (messages) => [{ role: 'system', content }, ...messages],
})

/** Rewrites the text of what users say. */
const rewrites = (rewrite: (text: string) => string): MessageModifier => ({
  modify: async (messages) =>
    messages.map((message) =>
      message.role === 'user' && typeof message.content === 'string'
        ? { ...message, content: rewrite(message.content) }
        : message,
    ),
})

const denied = (result: { steps: { toolResults: unknown[] }[] }) => result.steps[0]?.toolResults[0]

const conversation = ['One', 'Two', 'Three'].map((content, index) => ({
  role: index === 1 ? ('assistant' as const) : ('user' as const),
  content,
}))

describeRows('slots', {
  'message-modifier': async () => {
    let seen: ChatMessage[] = []
    const modifier = messageModifier({
      modify: async (messages) => {
        seen = structuredClone(messages)
        return [...messages, { role: 'user', content: 'Be quick.' }]
      },
    })
    const { model, result } = await run({ instructions: 'Be brief.', processors: [modifier] })
    expect(seen).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hello' },
    ])
    expect(said(model.lastPrompt)).toEqual(['system: Be brief.', 'user: Hello', 'user: Be quick.'])
    expect(result.processors[0]?.hook).toBe('processInputStep')
  },
  'message-modifier-every-call': async () => {
    const { tools } = recordingTools()
    const { model } = await run({ tools, processors: [messageModifier(prepends('Context.'))] }, lookOnce)
    expect(
      model.calls.map(({ prompt }) => said(prompt).filter((line) => line === 'system: Context.')),
    ).toEqual([['system: Context.'], ['system: Context.']])
  },
  'message-modifier-in-place': async () => {
    const modifier = messageModifier({
      modify: (messages) => {
        const [first] = messages
        if (first) first.content = 'Changed.'
        messages.push({ role: 'user', content: 'Added.' })
        return undefined
      },
    })
    expect(said((await run(modifier)).model.lastPrompt)).toEqual(['user: Changed.', 'user: Added.'])
  },
  'core-system-prompt': async () => {
    expect(said((await run({ instructions: 'You are a coder.' })).model.lastPrompt)[0]).toBe(
      'system: You are a coder.',
    )
  },
  'environment-context': async () => {
    const { model } = await run(messageModifier(prepends('Branch: main')))
    expect(said(model.lastPrompt)).toEqual(['system: Branch: main', 'user: Hello'])
  },
  'ide-context': async () => {
    const modifier = messageModifier({
      modify: (messages, { requestContext }) => [
        { role: 'system', content: `Open: ${requestContext.get('openFile')}` },
        ...messages,
      ],
    })
    const model = new ScriptedModel(['Done.'])
    await new Agent({ model, processors: [modifier] }).generate('Hello', {
      requestContext: new RequestContext({ openFile: 'a.ts' }),
    })
    expect(said(model.lastPrompt)[0]).toBe('system: Open: a.ts')
  },
  'directory-context': async () => {
    const listing: Processor = {
      id: 'directory',
      processInputStep: ({ systemMessages }) => ({
        systemMessages: [...systemMessages, { role: 'system', content: 'a.ts b.ts' }],
      }),
    }
    expect(said((await run(listing)).model.lastPrompt)[0]).toBe('system: a.ts b.ts')
  },
  'at-file': async () => {
    const { model } = await run({
      processors: [messageModifier(rewrites((content) => content.replace('@a.ts', '<a.ts>')))],
      input: 'Read @a.ts',
    })
    expect(said(model.lastPrompt)).toEqual(['user: Read <a.ts>'])
  },
  arguments: async () => {
    const { model } = await run({
      processors: [messageModifier(rewrites((content) => content.replace('{name}', 'Oslo')))],
      input: 'Weather in {name}',
    })
    expect(said(model.lastPrompt)).toEqual(['user: Weather in Oslo'])
  },
  'memory-import': async () => {
    const { model } = await run({
      processors: [messageModifier(rewrites((content) => content.replace('@memory:tone', 'kind')))],
      input: 'Be @memory:tone',
    })
    expect(said(model.lastPrompt)).toEqual(['user: Be kind'])
  },
  'chat-history': async () => {
    const last = messageModifier({ modify: (messages) => messages.slice(-1) })
    expect(said((await run({ processors: [last], input: conversation })).model.lastPrompt)).toEqual([
      'user: Three',
    ])
  },
  'chat-compression': async () => {
    const compress = messageModifier({
      modify: (messages) => [
        { role: 'user', content: `${messages.length - 1} older` },
        ...messages.slice(-1),
      ],
    })
    const { model } = await run({ processors: [compress], input: conversation })
    expect(said(model.lastPrompt)).toEqual(['user: 2 older', 'user: Three'])
  },
  compactor: async () => {
    const { tools } = recordingTools()
    const compact: Processor = {
      id: 'compact',
      processToolStep: ({ messageList }) => {
        messageList.remove(messageList.get('input').map(({ id }) => id))
      },
    }
    const { model } = await run({ tools, processors: [compact] }, lookOnce)
    expect(said(model.lastPrompt)).toEqual(['assistant: Looking.  tool-call', 'tool: saw a'])
  },
  shell: async () => {
    const { model } = await run({
      processors: [messageModifier(rewrites((content) => content.replace('$(date)', 'Monday')))],
      input: 'Today is $(date)',
    })
    expect(said(model.lastPrompt)).toEqual(['user: Today is Monday'])
  },
  'loop-detection': async () => {
    const { tools, ran } = recordingTools()
    const calls = (message: ChatMessage) => JSON.stringify(message.tool_calls?.map((call) => call.function))
    const detect = messageModifier({
      modify: (messages) => {
        const [a, b] = messages.filter(({ tool_calls }) => tool_calls).slice(-2)
        const isLoop = a !== undefined && b !== undefined && calls(a) === calls(b)
        return isLoop ? { messages, halt: true, reason: 'loop' } : messages
      },
    })
    const { result } = await run({ tools, processors: [detect] }, [lookOnce[0]!, lookOnce[0]!, lookOnce[0]!])
    expect([ran, result.status, result.halt?.reason]).toEqual([['a', 'a'], 'halted', 'loop'])
  },
  'chat-recording': async () => {
    let recorded: Message[] = []
    const record: Processor = {
      id: 'record',
      processOutputResult: ({ messageList }) => {
        recorded = messageList.get()
      },
    }
    await run(record)
    expect(recorded.map(({ role }) => role)).toEqual(['user', 'assistant'])
  },
  'tool-injection': async () => {
    const { tools, ran } = recordingTools()
    const inject = toolInjection({
      inject: async (available) => {
        expect(available).toEqual([])
        return [
          { type: 'function', function: { name: 'look' } },
          {
            type: 'function',
            function: { name: 'ask', description: 'Asks', parameters: { type: 'object' } },
          },
        ]
      },
    })
    const { model } = await run({ tools, activeTools: [], processors: [inject] }, lookOnce)
    expect(toolNames(model.calls[0])).toEqual(['look', 'ask'])
    expect(ran).toEqual(['a'])
  },
  'tool-injection-removes': async () => {
    const { tools, ran } = recordingTools()
    const { model } = await run(
      { tools, processors: [toolInjection({ inject: (available) => void available.splice(0) })] },
      lookOnce,
    )
    expect([toolNames(model.calls[0]), ran]).toEqual([[], []])
  },
  'tool-parameters': async () => {
    const { tools, ran } = recordingTools()
    let seen: ModifierToolCall | undefined
    const modifier = toolParameters({
      modify: async (call) => {
        seen = structuredClone(call)
        return { ...call, arguments: { at: 'z' } }
      },
    })
    const { model } = await run({ tools, processors: [modifier] }, lookOnce)
    expect(seen).toEqual({ id: 'call-1', name: 'look', arguments: { at: 'a' } })
    expect(ran).toEqual(['z'])
    expect(JSON.stringify(model.lastPrompt)).toContain('"at":"a"')
  },
  'tool-parameters-in-place': async () => {
    const { tools, ran } = recordingTools()
    const inPlace = toolParameters({
      modify: (call) => {
        ;(call.arguments as { at: string }).at = 'z'
        return undefined
      },
    })
    await run({ tools, processors: [inPlace] }, lookOnce)
    expect(ran).toEqual(['z'])
    const invalid = toolParameters({ modify: (call) => ({ call: { ...call, arguments: { at: 7 } } }) })
    const { result } = await run({ tools, processors: [invalid] }, lookOnce)
    expect([denied(result), ran]).toMatchObject([{ status: 'error' }, ['z']])
  },
  'tool-validation': async () => {
    const { tools, ran } = recordingTools()
    const validate = toolValidation({
      validate: async (call) => {
        const valid = (call.arguments as { at: string }).at !== 'a'
        ;(call.arguments as { at: string }).at = 'changed'
        return valid ? { valid } : { valid, reason: 'Not there.' }
      },
    })
    const { model, result } = await run({ tools, processors: [validate] }, [
      [toolCall('look', { at: 'a' }), toolCall('look', { at: 'b' })],
      'Seen.',
    ])
    expect(ran).toEqual(['b'])
    expect(denied(result)).toMatchObject({ status: 'denied', reason: 'Not there.' })
    expect(model.lastPrompt).toPairEveryToolCall()
  },
  'llm-step': async () => {
    const seen: (LLMRequest | LLMResponse)[] = []
    const { tools } = recordingTools()
    const step = llmStep({
      before: async (request) => {
        seen.push(structuredClone(request))
        return { ...request, temperature: 0 }
      },
      after: async (response) => {
        seen.push(structuredClone(response))
        return { ...response, content: response.content.toUpperCase() }
      },
    })
    const { model, result } = await run({ tools, processors: [step] }, ['Hi.'])
    expect(seen).toMatchObject([
      {
        messages: [{ role: 'user', content: 'Hello' }],
        tools: [{ function: { name: 'look' } }],
        model: model.modelId,
      },
      { content: 'Hi.', tool_calls: [], finish_reason: 'stop', usage: { total_tokens: 15 } },
    ])
    expect([model.lastCall.temperature, result.text]).toEqual([0, 'HI.'])
  },
  'llm-step-either': async () => {
    expect(Object.keys(llmStep({ before: (request) => request }))).toEqual(['id', 'processInputStep'])
    expect(Object.keys(llmStep({ after: (response) => response }))).toEqual(['id', 'processOutputStep'])
    expect(() => llmStep({})).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }))
  },
  'use-streaming-transforms': async () => {
    const upper: Processor = {
      id: 'upper',
      processOutputStream: ({ part }) =>
        part.type === 'text-delta' ? { ...part, textDelta: part.textDelta.toUpperCase() } : part,
    }
    const { chunks } = await stream(upper, [text(['a', 'b'])])
    expect(chunks.flatMap((chunk) => (chunk.type === 'text-delta' ? [chunk.textDelta] : []))).toEqual([
      'A',
      'B',
    ])
  },
  'use-response-validation': async () => {
    const validate = llmStep({
      after: (response) => {
        if (!response.content.startsWith('{')) throw new Halt('The answer was not JSON.')
        return response
      },
    })
    expect((await run(validate, ['Hi.'])).result).toHaveText('The answer was not JSON.')
    expect((await run(validate, ['{}'])).result).toBeCompleted()
  },
  'use-fallback': async () => {
    const second = new ScriptedModel(['From the second.'])
    const fallback: Processor = {
      id: 'fallback',
      processModelError: () => ({ retry: true, request: { model: second } }),
    }
    const { result } = await run({ processors: [fallback], modelSettings: { maxRetries: 0 } }, [
      refuse(new Error('down')),
    ])
    expect(result.text).toBe('From the second.')
    const before = llmStep({ before: (request) => ({ ...request, model: new ScriptedModel(['Another.']) }) })
    expect((await run(before)).result.text).toBe('Another.')
  },
  'use-usage-logging': async () => {
    const logged: unknown[] = []
    const log = llmStep({
      after: ({ usage }) => {
        logged.push(usage)
        return undefined
      },
    })
    await run(log, [[text('Hi.'), finish({ usage: tokens({ input: 7, output: 3 }) })]])
    expect(logged).toEqual([{ prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 }])
  },
  'response-modifier': async () => {
    const { tools, ran } = recordingTools()
    const modifier = responseModifier({
      modify: async (response) => ({
        ...response,
        content: response.content.replace('secret', '***'),
        tool_calls: response.tool_calls.slice(0, 1).map((call) => ({ ...call, arguments: { at: 'z' } })),
      }),
    })
    const { model, result } = await run({ tools, processors: [modifier] }, [
      ['My secret. ', toolCall('look', { at: 'a' }), toolCall('look', { at: 'b' })],
      'Seen.',
    ])
    expect(ran).toEqual(['z'])
    expect(result.steps[0]).toMatchObject({
      text: 'My ***. ',
      toolCalls: [{ toolName: 'look', input: { at: 'z' } }],
    })
    expect(model.lastPrompt).toPairEveryToolCall()
  },
  'response-modifier-renames': async () => {
    const { tools, ran } = recordingTools()
    const rename = responseModifier({
      modify: (response) => {
        for (const call of response.tool_calls) call.name = 'look'
        return response
      },
    })
    await run({ tools, processors: [rename] }, [[toolCall('peek', { at: 'a' })], 'Seen.'])
    expect(ran).toEqual(['a'])
  },
  'response-modifier-adds': async () => {
    const add = responseModifier({
      modify: (response) => ({ ...response, tool_calls: [{ id: 'mine', name: 'look', arguments: {} }] }),
    })
    await expect(run(add, ['Hi.'])).rejects.toMatchObject({ code: 'PROCESSOR_RESULT_INVALID' })
  },
  order: async () => {
    const { model } = await run({
      processors: [
        messageModifier(
          rewrites((content) => `${content} one`),
          { id: 'one' },
        ),
        messageModifier(
          rewrites((content) => `${content} two`),
          { id: 'two' },
        ),
      ],
    })
    expect(said(model.lastPrompt)).toEqual(['user: Hello one two'])
  },
  'order-after': async () => {
    const step = (id: string) =>
      messageModifier(
        rewrites((content) => `${content} ${id}`),
        { id },
      )
    const { model } = await run({
      processors: [
        step('a'),
        step('b'),
        { processor: step('c'), after: 'a' },
        { processor: step('d'), before: 'a' },
      ],
    })
    expect(said(model.lastPrompt)).toEqual(['user: Hello d a c b'])
  },
  'order-defaults': async () => {
    const provider = { getInputProcessors: () => [messageModifier(prepends('From a provider.'))] }
    expect(said((await run({ processors: [provider] })).model.lastPrompt)[0]).toBe('system: From a provider.')
  },
  'order-matters': async () => {
    const redact = messageModifier(
      rewrites((content) => content.replace('secret', '***')),
      { id: 'redact' },
    )
    const resolve = messageModifier(
      rewrites((content) => content.replace('@file', 'secret')),
      { id: 'resolve' },
    )
    const input = 'Read @file'
    expect(said((await run({ processors: [redact, resolve], input })).model.lastPrompt)).toEqual([
      'user: Read secret',
    ])
    expect(said((await run({ processors: [resolve, redact], input })).model.lastPrompt)).toEqual([
      'user: Read ***',
    ])
  },
  'reading-only': async () => {
    const counted: [string, number | undefined][] = []
    const metrics = { incr: (name: string, by?: number) => void counted.push([name, by]) }
    const modifier = messageModifier(
      {
        modify: async (messages, { metrics }) => {
          metrics.incr('messages.assembled', messages.length)
          return messages
        },
      },
      { metrics },
    )
    const { result } = await run(modifier)
    expect(counted).toEqual([['messages.assembled', 1]])
    expect(result.processors[0]?.action).toBe('passed')

    const heard: unknown[] = []
    const agent = new Agent({ model: new ScriptedModel(['Done.']) })
    agent.on('run-finish', (event) => heard.push(event.result.text))
    await agent.generate('Hello')
    await agent.close()
    expect(heard).toEqual(['Done.'])
  },
  context: async () => {
    let context: ModifierContext | undefined
    const modifier = messageModifier({
      modify: (messages, given) => {
        context = given
        given.metrics.incr('calls')
        return messages
      },
    })
    const agent = new Agent({ model: new ScriptedModel(['Done.']), processors: [modifier] })
    await agent.generate([userMessage('Hello')], { threadId: 't', resourceId: 'r' })
    expect(context).toMatchObject({ threadId: 't', resourceId: 'r', stepNumber: 0 })
    expect(context?.abortSignal).toBeInstanceOf(AbortSignal)
  },
  halt: async () => {
    const modifier = messageModifier(
      { modify: async (messages) => ({ messages, halt: true, reason: 'budget exceeded' }) },
      { id: 'budget' },
    )
    const { model, result } = await run(modifier)
    expect([result.status, result.text, model.callCount]).toEqual(['halted', '', 0])
    expect(result.halt).toMatchObject({ reason: 'budget exceeded', processorId: 'budget' })
  },
  'halt-anywhere': async () => {
    const { tools, ran } = recordingTools()
    const stop = { halt: true, reason: 'stop' }
    const adapters: Processor[] = [
      toolInjection({ inject: (available) => ({ tools: available, ...stop }) }),
      llmStep({ before: (request) => ({ ...request, ...stop }) }),
      llmStep({ after: (response) => ({ ...response, ...stop }) }),
      responseModifier({ modify: (response) => ({ ...response, ...stop }) }),
      toolParameters({ modify: (call) => ({ call, ...stop }) }),
      toolValidation({ validate: () => ({ valid: true, ...stop }) }),
    ]
    for (const processor of adapters) {
      const { result } = await run({ tools, processors: [processor] }, lookOnce)
      expect([processor.id, result.status, result.halt?.reason]).toEqual([processor.id, 'halted', 'stop'])
    }
    expect(ran).toEqual([])
  },
  deny: async () => {
    const { tools, ran } = recordingTools()
    const modifier = toolParameters({
      modify: async (call) => ({ call, deny: true, reason: 'path outside workspace' }),
    })
    const { model, result } = await run({ tools, processors: [modifier] }, lookOnce)
    expect(ran).toEqual([])
    expect(denied(result)).toMatchObject({ status: 'denied', reason: 'path outside workspace' })
    expect(model.lastPrompt.at(-1)).toMatchObject({
      role: 'tool',
      content: [{ output: { type: 'execution-denied', reason: 'path outside workspace' } }],
    })
    expect(result).toBeCompleted()
  },
})
