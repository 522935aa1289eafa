import { Agent, Halt, type Message, userMessage } from '@millrace/core'
import {
  type LLMCompletion,
  type ProcessedMessage,
  postInference,
  postToolCall,
  preInference,
  preToolCall,
  promptModifier,
} from '@millrace/interop/codebolt'
import { finish, ScriptedModel, text, tokens, toolCall } from '@millrace/testing'
import { expect } from 'vitest'
import { describeRows, recordingTools, run, said, toolNames } from './rows.ts'

const lookTwice = [
  ['Looking. ', toolCall('look', { at: 'a' })],
  ['Again. ', toolCall('look', { at: 'b' })],
  'Seen.',
]
const lookOnce = [['Looking. ', toolCall('look', { at: 'a' })], 'Seen.']

/** A modifier that adds a message. */
const adds = (content: string, role: 'system' | 'user' = 'system') => ({
  modify: async (_: unknown, created: ProcessedMessage) => {
    created.message.messages.push({ role, content })
    return created
  },
})

const injected = {
  type: 'function' as const,
  function: { name: 'ask_user', description: 'Asks', parameters: { type: 'object', properties: {} } },
}

describeRows('codebolt', {
  'message-modifier': async () => {
    const { tools } = recordingTools()
    const { model, result } = await run(
      {
        instructions: 'Be brief.',
        tools,
        processors: [promptModifier(adds('Today is Monday.'), { id: 'day' })],
      },
      lookOnce,
    )
    for (const { prompt } of model.calls)
      expect(said(prompt).slice(0, 3)).toEqual([
        'system: Be brief.',
        'system: Today is Monday.',
        'user: Hello',
      ])
    expect(result.processors[0]).toMatchObject({
      processorId: 'day',
      hook: 'processInput',
      action: 'changed',
    })
  },
  'message-modifier-once': async () => {
    let calls = 0
    const { tools } = recordingTools()
    const modifier = promptModifier({
      modify: () => {
        calls++
        return undefined
      },
    })
    await run({ tools, processors: [modifier] }, lookTwice)
    expect(calls).toBe(1)
  },
  'message-modifiers-replace': async () => {
    const model = new ScriptedModel(['One.', 'Two.'])
    const agent = new Agent({ model, processors: [promptModifier(adds('default'), { id: 'default' })] })
    await agent.generate('Hello')
    await agent.generate('Hello', {
      processors: { list: [promptModifier(adds('mine'), { id: 'mine' })], replace: true },
    })
    expect(model.calls.map(({ prompt }) => said(prompt)[0])).toEqual(['system: default', 'system: mine'])
  },
  'pre-inference': async () => {
    const { tools } = recordingTools()
    const seen: string[][] = []
    const processor = preInference({
      modify: async (_, created) => {
        seen.push(created.message.messages.map(({ role, content }) => `${role}: ${content}`))
        return { ...created, message: { ...created.message, messages: created.message.messages.slice(-1) } }
      },
    })
    const { model, result } = await run({ tools, processors: [processor] }, ['Hi.'])
    expect(said(model.lastPrompt)).toEqual(['user: Hello'])
    expect(seen).toEqual([['user: Hello']])
    expect(result.processors[0]?.hook).toBe('processInputStep')
  },
  'pre-inference-each-turn': async () => {
    const { tools } = recordingTools()
    const { model } = await run(
      { tools, processors: [preInference(adds('Only for this call.', 'user'))] },
      lookOnce,
    )
    expect(
      model.calls.map(({ prompt }) => said(prompt).filter((line) => line.includes('Only')).length),
    ).toEqual([1, 1])
  },
  'post-inference': async () => {
    let sent: ProcessedMessage | undefined
    let completion: LLMCompletion | undefined
    let next: ProcessedMessage | undefined
    const { tools, ran } = recordingTools()
    const processor = postInference({
      modify: async (llmMessageSent, llmResponseMessage, nextPrompt) => {
        if (!sent)
          [sent, completion, next] = structuredClone([llmMessageSent, llmResponseMessage, nextPrompt])
        expect(ran).toHaveLength(sent === undefined ? 0 : ran.length)
        return nextPrompt
      },
    })
    await run({ tools, processors: [processor] }, lookOnce)
    expect(sent?.message.messages).toEqual([{ role: 'user', content: 'Hello' }])
    expect(sent?.message.tools?.[0]?.function.name).toBe('look')
    expect(completion).toMatchObject({ role: 'assistant', content: 'Looking. ' })
    expect(next?.message.messages).toMatchObject([
      { role: 'user', content: 'Hello' },
      {
        role: 'assistant',
        content: 'Looking. ',
        tool_calls: [{ function: { name: 'look', arguments: '{"at":"a"}' } }],
      },
    ])
  },
  'post-inference-response': async () => {
    const { tools, ran } = recordingTools()
    const processor = postInference({
      modify: async (_sent, response, next) => {
        response.content = response.content.replace('Looking', 'Peeking')
        for (const call of response.tool_calls ?? []) call.function.arguments = '{"at":"z"}'
        return next
      },
    })
    const { result } = await run({ tools, processors: [processor] }, lookOnce)
    expect(ran).toEqual(['z'])
    expect(result.steps[0]?.text).toBe('Peeking. ')
  },
  'pre-tool-call': async () => {
    const { tools, ran } = recordingTools()
    const hooks: boolean[] = []
    const processor = preToolCall({
      modify: async ({ rawLLMResponseMessage, nextPrompt }) => {
        hooks.push(ran.length === 0 && rawLLMResponseMessage.tool_calls?.length === 1)
        return { nextPrompt }
      },
    })
    await run({ tools, processors: [processor] }, lookOnce)
    expect(hooks[0]).toBe(true)
  },
  'pre-tool-call-exit': async () => {
    const { tools, ran } = recordingTools()
    const processor = preToolCall(
      { modify: async ({ nextPrompt }) => ({ nextPrompt, shouldExit: true }) },
      { id: 'exit' },
    )
    const { result, model } = await run({ tools, processors: [processor] }, [
      ['Looking. ', toolCall('look', { at: 'a' }), toolCall('look', { at: 'b' })],
    ])
    expect(ran).toEqual([])
    expect(model.callCount).toBe(1)
    expect(result).toHaveStatus('halted')
    expect(result.text).toBe('Looking. ')
    expect(result.halt).toMatchObject({ processorId: 'exit', hook: 'processOutputStep' })
  },
  'post-tool-call': async () => {
    let results: unknown
    const { tools } = recordingTools()
    const processor = postToolCall({
      modify: async ({ toolResults, nextPrompt }) => {
        results = structuredClone(toolResults)
        expect(nextPrompt.message.messages.at(-1)).toEqual(toolResults?.at(-1))
        return { nextPrompt, shouldExit: false }
      },
    })
    const { result } = await run({ tools, processors: [processor] }, lookOnce)
    expect(results).toEqual([{ role: 'tool', tool_call_id: 'call-1', content: 'saw a' }])
    expect(result).toBeCompleted()
  },
  'post-tool-call-exit': async () => {
    const { tools, ran } = recordingTools()
    const exit = (answer?: string) =>
      postToolCall({
        modify: async ({ nextPrompt }) => {
          if (answer) nextPrompt.message.messages.push({ role: 'assistant', content: answer })
          return { nextPrompt, shouldExit: true }
        },
      })
    const { model, result } = await run({ tools, processors: [exit()] }, lookTwice)
    expect([model.callCount, ran, result.status, result.text]).toEqual([1, ['a'], 'completed', 'Looking. '])
    const answered = await run({ tools, processors: [exit('That will do.')] }, lookTwice)
    expect(answered.result.text).toBe('Looking. That will do.')
    expect(answered.result).toBeCompleted()
  },
  'token-limit': async () => {
    const { tools } = recordingTools()
    let seen: unknown
    const processor = postToolCall({
      modify: async ({ tokenLimit, maxOutputTokens, rawLLMResponseMessage, nextPrompt }) => {
        const raw = [rawLLMResponseMessage.tokenLimit, rawLLMResponseMessage.maxOutputTokens]
        seen = [tokenLimit, maxOutputTokens, ...raw]
        return { nextPrompt, shouldExit: false }
      },
    })
    const settings = { contextWindow: 8_000, modelSettings: { maxOutputTokens: 500 } }
    await run({ tools, ...settings, processors: [processor] }, lookOnce)
    expect(seen).toEqual([8_000, 500, 8_000, 500])
  },
  'only-tool-families-stop': async () => {
    const { result, model } = await run(
      preInference({
        modify: () => {
          throw new Halt('Not today.')
        },
      }),
    )
    expect([result.status, result.text, model.callCount]).toEqual(['halted', 'Not today.', 0])
    const returned = { shouldExit: true } as never
    const ignored = await run(
      postInference({ modify: (_a, _b, next) => ({ ...next, ...(returned as object) }) }),
    )
    expect(ignored.result).toBeCompleted()
  },
  order: async () => {
    const { model } = await run({
      processors: [
        promptModifier(adds('first', 'user'), { id: 'a' }),
        promptModifier(adds('second', 'user'), { id: 'b' }),
      ],
    })
    expect(said(model.lastPrompt)).toEqual(['user: Hello', 'user: first', 'user: second'])
  },
  'no-insertion': async () => {
    const { model } = await run({
      processors: [
        promptModifier(adds('a', 'user'), { id: 'a' }),
        promptModifier(adds('b', 'user'), { id: 'b' }),
        { processor: promptModifier(adds('c', 'user'), { id: 'c' }), after: 'a' },
      ],
    })
    expect(said(model.lastPrompt).slice(1)).toEqual(['user: a', 'user: c', 'user: b'])
  },
  'use-environment': async () => {
    const { model } = await run(promptModifier(adds('Working directory: src')))
    expect(said(model.lastPrompt)).toEqual(['system: Working directory: src', 'user: Hello'])
  },
  'use-tools': async () => {
    const { tools } = recordingTools()
    const modifier = promptModifier({
      modify: async (_, created) => {
        created.message.tools = [...(created.message.tools ?? []), injected]
        return created
      },
    })
    const { model } = await run({ tools, processors: [modifier] }, lookOnce)
    expect(model.calls.map(toolNames)).toEqual([
      ['look', 'ask_user'],
      ['look', 'ask_user'],
    ])
    expect(model.lastCall.tools?.[1]).toMatchObject({ description: 'Asks', inputSchema: { type: 'object' } })
  },
  'use-mentions': async () => {
    const modifier = promptModifier({
      modify: async ({ mentionedFiles }, created) => {
        const last = created.message.messages.at(-1)
        if (last) last.content = `${last.content}\n${mentionedFiles.map((file) => `<${file}>`).join()}`
        return created
      },
    })
    const model = new ScriptedModel(['Done.'])
    const userMessageMetadata = { mentionedFiles: ['a.ts'] }
    await new Agent({ model, processors: [modifier] }).generate('Explain @a.ts', { userMessageMetadata })
    expect(said(model.lastPrompt)).toEqual(['user: Explain @a.ts\n<a.ts>'])
  },
  'use-memory': async () => {
    const modifier = promptModifier({
      modify: (_, created) => {
        created.message.messages.unshift({ role: 'user', content: 'Remembered.' })
        return created
      },
    })
    let origins: unknown
    const { model } = await run({
      processors: [
        modifier,
        {
          id: 'origins',
          processOutputResult: ({ messageList }) => {
            origins = messageList.get().map(({ id }) => messageList.originOf(id))
          },
        },
      ],
    })
    expect(said(model.lastPrompt)).toEqual(['user: Remembered.', 'user: Hello'])
    expect(origins).toEqual(['context', 'input', 'response'])
  },
  'use-redaction': async () => {
    const redact = preInference({
      modify: (_, created) => {
        for (const message of created.message.messages)
          if (typeof message.content === 'string') message.content = message.content.replace('secret', '***')
        return created
      },
    })
    const { model } = await run({ processors: [redact], input: 'My secret.' })
    expect(said(model.lastPrompt)).toEqual(['user: My ***.'])
  },
  'use-compression': async () => {
    const { tools } = recordingTools()
    const compress = preInference({
      modify: (_, { message, ...rest }) => ({
        ...rest,
        message: { ...message, messages: [...message.messages.slice(0, 1), ...message.messages.slice(-2)] },
      }),
    })
    const { model, result } = await run({ tools, processors: [compress] }, lookTwice)
    expect(model.lastPrompt).toHaveLength(3)
    expect(model.lastPrompt).toPairEveryToolCall()
    expect(result.messages[0]?.content.parts.filter(({ type }) => type === 'tool-look')).toHaveLength(2)
  },
  'use-normalization': async () => {
    const normalize = preInference({
      modify: (_, { message, metadata }) => ({
        metadata: { ...metadata },
        message: { ...message, temperature: 0, max_tokens: 100, tool_choice: 'none' },
      }),
    })
    const { tools } = recordingTools()
    const { model } = await run({
      tools,
      processors: [normalize],
      modelSettings: { temperature: 1, topP: 0.5 },
    })
    expect(model.lastCall).toMatchObject({
      temperature: 0,
      topP: 0.5,
      maxOutputTokens: 100,
      toolChoice: { type: 'none' },
    })
  },
  'use-inspection': async () => {
    let seen: LLMCompletion | undefined
    await run(
      postInference({
        modify: (_, response, next) => {
          seen = structuredClone(response)
          return next
        },
      }),
      [[text('Hi.'), finish({ usage: tokens({ input: 10, output: 5 }) })]],
    )
    expect(seen).toMatchObject({
      content: 'Hi.',
      finish_reason: 'stop',
      usage: { prompt: 10, completion: 5, total: 15 },
    })
  },
  'use-loop-warning': async () => {
    const { tools } = recordingTools()
    const warn = postInference({
      modify: (_, response, next) => {
        if (response.tool_calls)
          next.message.messages.push({ role: 'user', content: 'Do not repeat yourself.' })
        return next
      },
    })
    const { model } = await run({ tools, processors: [warn] }, lookOnce)
    expect(said(model.lastPrompt)).toEqual([
      'user: Hello',
      'assistant: Looking.  tool-call',
      'tool: saw a',
      'user: Do not repeat yourself.',
    ])
    expect(model.lastPrompt).toPairEveryToolCall()
  },
  'use-annotation': async () => {
    const { tools } = recordingTools()
    const annotate = postInference({
      modify: (_, _response, next) => {
        const { messages } = next.message
        if (!messages.some(({ content }) => content === 'Step noted.'))
          messages.push({ role: 'system', content: 'Step noted.' })
        return next
      },
    })
    const { model } = await run({ tools, processors: [annotate] }, lookTwice)
    expect(
      model.calls.map(({ prompt }) => said(prompt).filter((line) => line === 'system: Step noted.').length),
    ).toEqual([0, 1, 1])
  },
  'use-validating-flow': async () => {
    const { tools, ran } = recordingTools()
    const first = preToolCall({
      modify: ({ nextPrompt }) => {
        const response = nextPrompt.message.messages.at(-1)
        if (response?.tool_calls) response.tool_calls = response.tool_calls.slice(0, 1)
        return { nextPrompt }
      },
    })
    const { model } = await run({ tools, processors: [first] }, [
      [toolCall('look', { at: 'a' }), toolCall('look', { at: 'b' })],
      'Seen.',
    ])
    expect(ran).toEqual(['a'])
    expect(model.lastPrompt).toPairEveryToolCall()
  },
  'use-intercepting': async () => {
    const { tools, ran } = recordingTools()
    const intercept = preToolCall({
      modify: ({ rawLLMResponseMessage, nextPrompt }) => {
        for (const { id } of rawLLMResponseMessage.tool_calls ?? [])
          nextPrompt.message.messages.push({ role: 'tool', tool_call_id: id, content: 'cached' })
        return { nextPrompt }
      },
    })
    const { model } = await run({ tools, processors: [intercept] }, lookOnce)
    expect(ran).toEqual([])
    expect(said(model.lastPrompt).at(-1)).toBe('tool: cached')
  },
  'use-stopping': async () => {
    const { tools, ran } = recordingTools()
    const stop = preToolCall({
      modify: ({ rawLLMResponseMessage, nextPrompt }) => {
        nextPrompt.message.messages.push({ role: 'assistant', content: 'I may not look.' })
        return { nextPrompt, shouldExit: rawLLMResponseMessage.tool_calls !== undefined }
      },
    })
    const { result } = await run({ tools, processors: [stop] }, lookOnce)
    expect([ran, result.status, result.text]).toEqual([[], 'halted', 'I may not look.'])
  },
  'use-compaction': async () => {
    const { tools } = recordingTools()
    const compact = postToolCall({
      modify: ({ nextPrompt }) => {
        const { messages } = nextPrompt.message
        if (messages.length > 3)
          nextPrompt.message.messages = [{ role: 'user', content: 'Summary.' }, ...messages.slice(-2)]
        return { nextPrompt, shouldExit: false }
      },
    })
    const { model } = await run({ tools, processors: [compact] }, lookTwice)
    expect(said(model.lastPrompt)).toEqual(['user: Summary.', 'assistant: Again.  tool-call', 'tool: saw b'])
    expect(model.lastPrompt).toPairEveryToolCall()
  },
  'use-placeholders': async () => {
    const { tools } = recordingTools()
    const fill = postToolCall({
      modify: ({ toolResults, nextPrompt }) => {
        for (const result of toolResults ?? [])
          result.content = result.content.replace('saw a', 'saw $(date)')
        return { nextPrompt, shouldExit: false }
      },
    })
    const { model } = await run({ tools, processors: [fill] }, lookOnce)
    expect(said(model.lastPrompt).at(-1)).toBe('tool: saw $(date)')
  },
  'use-continuing': async () => {
    const { tools, ran } = recordingTools()
    const enough = postToolCall({
      modify: ({ nextPrompt }) => ({ nextPrompt, shouldExit: ran.length >= 2 }),
    })
    const { model } = await run({ tools, processors: [enough] }, [...lookTwice.slice(0, 2), ...lookTwice])
    expect([ran, model.callCount]).toEqual([['a', 'b'], 2])
  },
  'flat-user-message': async () => {
    let seen: unknown
    const message: Message = {
      ...userMessage('Look.'),
      id: 'm1',
      content: {
        parts: [
          { type: 'text', text: 'Look.' },
          { type: 'file', mediaType: 'image/png', url: 'https://example.com/a.png' },
        ],
      },
    }
    const userMessageMetadata = {
      mentionedFiles: ['a.ts'],
      selectedAgent: { id: 'x', name: 'Coder' },
      activeFile: 'a.ts',
    }
    const modifier = promptModifier({
      modify: (request, created) => {
        seen = request
        return created
      },
    })
    await new Agent({ model: new ScriptedModel(['Done.']), processors: [modifier] }).generate([message], {
      threadId: 't1',
      userMessageMetadata,
    })
    expect(seen).toEqual({
      userMessage: 'Look.',
      messageId: 'm1',
      threadId: 't1',
      mentionedFiles: ['a.ts'],
      mentionedFullPaths: [],
      mentionedFolders: [],
      uploadedImages: ['https://example.com/a.png'],
      selectedAgent: { id: 'x', name: 'Coder' },
      activeFile: 'a.ts',
    })
  },
  'original-request': async () => {
    const seen: string[] = []
    const append = (suffix: string) => ({
      modify: (request: { userMessage: string }, created: ProcessedMessage) => {
        seen.push(request.userMessage)
        const last = created.message.messages.at(-1)
        if (last) last.content = `${last.content}${suffix}`
        return created
      },
    })
    const { model } = await run({
      processors: [promptModifier(append(' one')), preInference(append(' two'))],
    })
    expect(seen).toEqual(['Hello', 'Hello'])
    expect(said(model.lastPrompt)).toEqual(['user: Hello one two'])
  },
  'processed-message': async () => {
    const { tools } = recordingTools()
    let seen: ProcessedMessage | undefined
    const settings = {
      toolChoice: 'required' as const,
      modelSettings: { temperature: 0.5, maxOutputTokens: 7 },
    }
    const processor = preInference({
      modify: (_, created) => {
        seen = structuredClone(created)
        return created
      },
    })
    await run({ tools, ...settings, processors: [processor] })
    expect(seen).toEqual({
      message: {
        messages: [{ role: 'user', content: 'Hello' }],
        tools: [
          {
            type: 'function',
            function: {
              name: 'look',
              description: 'Looks',
              parameters: expect.objectContaining({ type: 'object' }),
            },
          },
        ],
        tool_choice: 'required',
        temperature: 0.5,
        max_tokens: 7,
        stream: true,
      },
      metadata: {},
    })
  },
  'llm-completion': async () => {
    let seen: LLMCompletion | undefined
    const { tools } = recordingTools()
    const processor = postInference({
      modify: (_, response, next) => {
        seen ??= structuredClone(response)
        return next
      },
    })
    await run({ tools, processors: [processor] }, lookOnce)
    const calls = [{ id: 'call-1', type: 'function', function: { name: 'look', arguments: '{"at":"a"}' } }]
    expect(seen).toMatchObject({
      role: 'assistant',
      content: 'Looking. ',
      model: expect.any(String),
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
      finish_reason: 'tool_calls',
      tool_calls: calls,
      choices: [
        {
          message: { role: 'assistant', content: 'Looking. ', tool_calls: calls },
          finish_reason: 'tool_calls',
        },
      ],
    })
  },
  'tool-result': async () => {
    const { tools } = recordingTools()
    let seen: unknown
    const processor = postToolCall({
      modify: ({ toolResults, nextPrompt }) => {
        seen = structuredClone(toolResults)
        return { nextPrompt, shouldExit: false }
      },
    })
    await run({ tools, processors: [processor] }, [
      [toolCall('look', { at: 'a' }), toolCall('look', { at: 7 })],
      'Seen.',
    ])
    expect(seen).toEqual([
      { role: 'tool', tool_call_id: 'call-1', content: 'saw a' },
      { role: 'tool', tool_call_id: 'call-2', content: expect.stringContaining('not valid') },
    ])
  },
  metadata: async () => {
    let seen: unknown
    const note = promptModifier({
      modify: (_, created) => ({ ...created, metadata: { ...created.metadata, from: 'prompt' } }),
    })
    const read = postInference({
      modify: (_, _response, next) => {
        seen = next.metadata
        return next
      },
    })
    await run({ processors: [note, read] })
    expect(seen).toEqual({ from: 'prompt' })
  },
  imports: async () => {
    class Typed {
      async modify(_request: unknown, createdMessage: ProcessedMessage): Promise<ProcessedMessage> {
        return createdMessage
      }
    }
    const { result } = await run(promptModifier(new Typed()))
    expect(result).toBeCompleted()
    expect(() => promptModifier({} as never)).toThrow(
      /promptModifier\(\) received an object without the method modify/,
    )
  },
})
