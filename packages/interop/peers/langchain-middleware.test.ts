import { AIMessage, HumanMessage, RemoveMessage, ToolMessage } from '@langchain/core/messages'
import { Agent, type Processor, tool } from '@millrace/core'
import { RegexFilter } from '@millrace/guards/regex-filter'
import { fail, ScriptedModel, text, toolCall } from '@millrace/testing'
import * as published from 'langchain'
import { createMiddleware } from 'langchain'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { langchainMiddleware } from '../src/langchain/index.ts'
import { ScriptedChatModel } from './scripted-chat-model.ts'

const SECRET = 'anna@example.com'
const lookUp = tool({ inputSchema: z.object({ key: z.string() }), execute: ({ key }) => `value of ${key}` })

function agentWith(middleware: object, model: ScriptedModel, more: Processor[] = []): Agent {
  return new Agent({
    model,
    tools: { lookUp },
    processors: [langchainMiddleware(middleware as never), ...more],
  })
}

async function streamed(agent: Agent, input: string): Promise<{ text: string; chunks: string }> {
  const run = agent.stream(input)
  let said = ''
  const chunks: unknown[] = []
  for await (const chunk of run.fullStream) {
    chunks.push(chunk)
    if (chunk.type === 'text-delta') said += chunk.textDelta
  }
  return { text: said, chunks: JSON.stringify(chunks) }
}

describe('a middleware of LangChain in an agent', () => {
  test('edits the messages before the run and before each call', async () => {
    const model = new ScriptedModel([[toolCall('lookUp', { key: 'a' })], 'Done.'])
    const seen: string[] = []
    const middleware = createMiddleware({
      name: 'edits',
      beforeAgent: ({ messages }) => ({
        messages: messages.map((message) => new HumanMessage({ id: message.id ?? '', content: 'Edited.' })),
      }),
      beforeModel: ({ messages }) => {
        seen.push(messages.map(({ type, text: said }) => `${type}: ${said}`).join(' | '))
      },
    })
    const result = await agentWith(middleware, model).generate('Hi')
    expect(result.text).toBe('Done.')
    expect(seen).toEqual(['human: Edited.', 'human: Edited. | ai:  | tool: value of a'])
    expect(JSON.stringify(model.calls)).not.toContain('"Hi"')
  })

  test('edits the answer before any of it is streamed, at every split', async () => {
    const middleware = createMiddleware({
      name: 'redacts',
      afterModel: ({ messages }) => {
        const answer = messages.at(-1) as AIMessage
        return {
          messages: [new AIMessage({ id: answer.id ?? '', content: answer.text.replaceAll(SECRET, '***') })],
        }
      },
    })
    const model = new ScriptedModel([text(['It is anna', '@example.com', '.'])])
    const out = await streamed(agentWith(middleware, model), 'Hi')
    expect(out.text).toBe('It is ***.')
    expect(out.chunks).not.toContain('anna')
  })

  test('rewrites and denies tool calls', async () => {
    const inputs: string[] = []
    const model = new ScriptedModel([
      [toolCall('lookUp', { key: 'a' }), toolCall('lookUp', { key: 'secret' })],
      'Done.',
    ])
    const middleware = createMiddleware({
      name: 'tools',
      wrapToolCall: async (request, handler) => {
        inputs.push(String(request.toolCall.args.key))
        if (request.toolCall.args.key === 'secret')
          return new ToolMessage({ tool_call_id: request.toolCall.id ?? '', content: 'No.', status: 'error' })
        const result = (await handler({
          ...request,
          toolCall: { ...request.toolCall, args: { key: 'b' } },
        })) as ToolMessage
        return new ToolMessage({ tool_call_id: result.tool_call_id, content: `${result.text}!` })
      },
    })
    const result = await agentWith(middleware, model).generate('Hi')
    expect(inputs).toEqual(['a', 'secret'])
    expect(result.steps[0]?.toolResults).toMatchObject([
      { status: 'success', output: 'value of b!' },
      { status: 'error', error: expect.stringContaining('No.') },
    ])
  })

  test('changes requests and answers, and repeats calls', async () => {
    const model = new ScriptedModel(['bad', 'good'])
    const middleware = createMiddleware({
      name: 'asks-again',
      wrapModelCall: async (request, handler) => {
        const first = (await handler(request)) as AIMessage
        if (first.text === 'good') return first
        return handler({ ...request, systemPrompt: 'Be good.', messages: [...request.messages, first] })
      },
    })
    const result = await agentWith(middleware, model).generate('Hi')
    expect(result.text).toBe('good')
    expect(JSON.stringify(model.calls[1]?.prompt)).toContain('Be good.')
    expect(JSON.stringify(model.calls[1]?.prompt)).toContain('bad')
  })

  test('returns unchanged messages as the same objects', async () => {
    const metadata = { scripted: { signature: 's' } }
    const model = new ScriptedModel([text('Hello.', { providerMetadata: metadata })])
    const middleware = createMiddleware({
      name: 'looks',
      wrapModelCall: (request, handler) => handler(request),
    })
    const result = await agentWith(middleware, model).generate('Hi')
    expect(result.messages.at(-1)?.content.parts).toContainEqual(
      expect.objectContaining({ type: 'text', text: 'Hello.', providerMetadata: metadata }),
    )
  })

  test('jumps to the end with an answer, and to the model with another question', async () => {
    const ends = createMiddleware({
      name: 'ends',
      beforeModel: {
        canJumpTo: ['end'],
        hook: () => ({ messages: [new AIMessage('Closed today.')], jumpTo: 'end' }),
      },
    })
    const never = new ScriptedModel(['x'])
    expect((await agentWith(ends, never).generate('Hi')).text).toBe('Closed today.')
    expect(never.callCount).toBe(0)

    const asks = createMiddleware({
      name: 'asks',
      afterModel: {
        canJumpTo: ['model'],
        hook: ({ messages }) =>
          messages.at(-1)?.text === 'Short.'
            ? { messages: [new HumanMessage('Longer, please.')], jumpTo: 'model' }
            : undefined,
      },
    })
    const model = new ScriptedModel(['Short.', 'Much longer.'])
    expect((await agentWith(asks, model).generate('Hi')).text).toContain('Much longer.')
    expect(JSON.stringify(model.calls[1]?.prompt)).toContain('Longer, please.')

    const stops = createMiddleware({
      name: 'stops',
      afterModel: { canJumpTo: ['end'], hook: () => ({ jumpTo: 'end' }) },
    })
    let ran = false
    const agent = new Agent({
      model: new ScriptedModel([[text('Calling.'), toolCall('run', {})], 'Done.']),
      tools: { run: tool({ inputSchema: z.object({}), execute: () => (ran = true) }) },
      processors: [langchainMiddleware(stops)],
    })
    await agent.generate('Hi')
    expect(ran).toBe(false)
  })

  test('keeps its own state for the run', async () => {
    const counts: number[] = []
    const middleware = createMiddleware({
      name: 'counts',
      stateSchema: z.object({ calls: z.number().default(0) }),
      beforeModel: (state) => {
        counts.push(state.calls)
        return { calls: state.calls + 1 }
      },
    })
    const model = new ScriptedModel([[toolCall('lookUp', { key: 'a' })], 'Done.', 'Hello again.'])
    const agent = agentWith(middleware, model)
    await agent.generate('Hi')
    await agent.generate('Hi')
    expect(counts).toEqual([0, 1, 0])
  })

  test.each(['beforeAgent', 'beforeModel', 'wrapModelCall', 'afterModel', 'afterAgent'] as const)(
    'that throws in %s fails the run without output',
    async (hook) => {
      const middleware = createMiddleware({
        name: 'broken',
        [hook]: () => {
          throw new Error('broken')
        },
      })
      const model = new ScriptedModel(['It is KEY-12345678.'])
      const redacts = new RegexFilter({ patterns: [/KEY-\d{8}/], strategy: 'redact' })
      await expect(agentWith(middleware, model, [redacts]).generate('Hi')).rejects.toThrow()
    },
  )

  test.each([
    ['another model', { wrapModelCall: (request: any, handler: any) => handler({ ...request, model: {} }) }],
    ['a model past the handler', { wrapModelCall: (request: any) => request.model.invoke('Hi') }],
    [
      'a tool of its own',
      { wrapModelCall: (request: any, handler: any) => handler({ ...request, tools: [{ name: 'x' }] }) },
    ],
    [
      'another model, and catches the refusal',
      {
        wrapModelCall: (request: any, handler: any) =>
          handler({ ...request, model: {} }).catch(() => new AIMessage('Made up.')),
      },
    ],
    [
      'settings',
      { wrapModelCall: (request: any, handler: any) => handler({ ...request, modelSettings: { x: 1 } }) },
    ],
    ['a Command', { beforeModel: () => [{ lg_name: 'Command' }] }],
    ['an unknown jump', { beforeModel: () => ({ jumpTo: 'tools' }) }],
    [
      'an edit of history after the model',
      { afterModel: ({ messages }: any) => ({ messages: [new RemoveMessage({ id: messages[0].id })] }) },
    ],
    ['an interrupt', { beforeModel: (_: unknown, runtime: any) => runtime.interrupt('Sure?') }],
  ])('that requests %s fails the run', async (_, hooks) => {
    const middleware = createMiddleware({ name: 'asks', ...(hooks as object) })
    const model = new ScriptedModel(['Hello.'])
    const said: string[] = []
    const run = agentWith(middleware, model).stream('Hi')
    await expect(
      (async () => {
        for await (const chunk of run.fullStream) if (chunk.type === 'text-delta') said.push(chunk.textDelta)
        const { status } = await run
        if (status !== 'completed') throw new Error(status)
      })(),
    ).rejects.toThrow()
    expect(said).toEqual([])
  })
})

/** What becomes of a middleware that LangChain exports: what it is seen to do, or part of the reason it is refused with. */
type Row = { make: () => object } & ({ refused: RegExp } | { works: (middleware: object) => Promise<void> })

const judge = (answer: string) => new ScriptedChatModel(new ScriptedModel(() => answer)) as never

async function answers(
  middleware: object,
  script: ConstructorParameters<typeof ScriptedModel>[0],
  said: string,
) {
  const model = new ScriptedModel(script)
  expect((await agentWith(middleware, model).generate(`I am ${SECRET}.`)).text).toBe(said)
  return JSON.stringify(model.calls)
}

const TABLE: Record<string, Row> = {
  anthropicPromptCachingMiddleware: {
    make: () => published.anthropicPromptCachingMiddleware(),
    refused: /providerOptions/,
  },
  bedrockPromptCachingMiddleware: {
    make: () => published.bedrockPromptCachingMiddleware(),
    refused: /providerOptions/,
  },
  contextEditingMiddleware: {
    make: () =>
      published.contextEditingMiddleware({
        edits: [new published.ClearToolUsesEdit({ trigger: { tokens: 1 }, keep: { messages: 0 } })],
      }),
    works: async (middleware) => {
      const calls = await answers(middleware, [[toolCall('lookUp', { key: 'a' })], 'Done.'], 'Done.')
      expect(calls).not.toContain('value of a')
    },
  },
  dynamicSystemPromptMiddleware: {
    make: () => published.dynamicSystemPromptMiddleware(() => 'Be brief.'),
    works: async (middleware) => expect(await answers(middleware, ['Hi.'], 'Hi.')).toContain('Be brief.'),
  },
  humanInTheLoopMiddleware: {
    make: () => published.humanInTheLoopMiddleware({ interruptOn: { lookUp: true } }),
    refused: /needsApproval/,
  },
  llmToolSelectorMiddleware: {
    make: () => published.llmToolSelectorMiddleware({ model: judge('x') }),
    refused: /ToolSearch/,
  },
  modelCallLimitMiddleware: {
    make: () => published.modelCallLimitMiddleware({ runLimit: 1 }),
    works: async (middleware) => {
      const model = new ScriptedModel([[toolCall('lookUp', { key: 'a' })], 'Done.'])
      expect((await agentWith(middleware, model).generate('Hi')).text).toMatch(/limit/i)
      expect(model.callCount).toBe(1)
    },
  },
  modelFallbackMiddleware: {
    make: () => published.modelFallbackMiddleware(judge('x')),
    refused: /ModelFallback/,
  },
  modelRetryMiddleware: {
    make: () => published.modelRetryMiddleware({ maxRetries: 1, initialDelayMs: 0, jitter: false }),
    works: async (middleware) => void (await answers(middleware, [fail('down'), 'Hi.'], 'Hi.')),
  },
  openAIModerationMiddleware: {
    make: () => published.openAIModerationMiddleware({ model: 'openai:gpt-5-mini' }),
    refused: /ModerationProcessor/,
  },
  piiMiddleware: {
    make: () => published.piiMiddleware('email', { strategy: 'redact', applyToOutput: true }),
    works: async (middleware) => {
      const calls = await answers(
        middleware,
        [text(['It is anna', '@example.com.'])],
        'It is [REDACTED_EMAIL].',
      )
      expect(calls).not.toContain(SECRET)
    },
  },
  piiRedactionMiddleware: {
    make: () => published.piiRedactionMiddleware({ rules: { email: /anna@example\.com/g } }),
    works: async (middleware) => expect(await answers(middleware, ['Hi.'], 'Hi.')).not.toContain(SECRET),
  },
  providerToolSearchMiddleware: {
    make: () => published.providerToolSearchMiddleware({ searchableTools: ['lookUp'] } as never),
    refused: /ToolSearch/,
  },
  summarizationMiddleware: {
    make: () =>
      published.summarizationMiddleware({
        model: judge('They talked.'),
        trigger: { messages: 2 },
        keep: { messages: 1 },
      }),
    works: async (middleware) => {
      const calls = await answers(
        middleware,
        [[toolCall('lookUp', { key: 'a' })], [toolCall('lookUp', { key: 'b' })], 'Done.'],
        'Done.',
      )
      expect(calls).toContain('They talked.')
    },
  },
  todoListMiddleware: { make: () => published.todoListMiddleware(), refused: /its own tools/ },
  toolCallLimitMiddleware: {
    make: () => published.toolCallLimitMiddleware({ runLimit: 1 }),
    refused: /MaxToolCallsGuard/,
  },
  toolEmulatorMiddleware: {
    make: () => published.toolEmulatorMiddleware({ model: judge('emulated') }),
    works: async (middleware) => {
      const calls = await answers(middleware, [[toolCall('lookUp', { key: 'a' })], 'Done.'], 'Done.')
      expect(calls).toContain('emulated')
    },
  },
  toolErrorMiddleware: {
    make: () => published.toolErrorMiddleware({ onError: () => 'Try later.' } as never),
    works: async (middleware) => {
      const model = new ScriptedModel([[toolCall('fails', {})], 'Done.'])
      const fails = tool({
        inputSchema: z.object({}),
        execute: (): string => {
          throw new Error('down')
        },
      })
      const processors = [langchainMiddleware(middleware as never)]
      await new Agent({ model, tools: { fails }, processors }).generate('Hi')
      expect(JSON.stringify(model.calls)).toContain('Try later.')
    },
  },
  toolRetryMiddleware: {
    make: () => published.toolRetryMiddleware({ maxRetries: 1, initialDelayMs: 0, jitter: false }),
    works: async (middleware) => {
      const calls = await answers(middleware, [[toolCall('lookUp', { key: 'a' })], 'Done.'], 'Done.')
      expect(calls).toContain('value of a')
    },
  },
}

describe('every middleware that LangChain exports', () => {
  test('is in the table', () => {
    const exported = Object.keys(published).filter(
      (name) => name.endsWith('Middleware') && name !== 'createMiddleware',
    )
    expect(Object.keys(TABLE).sort()).toEqual(exported.sort())
  })

  test.each(Object.entries(TABLE))('%s', async (_, row) => {
    if ('refused' in row) expect(() => langchainMiddleware(row.make() as never)).toThrow(row.refused)
    else await row.works(row.make())
  })
})

test.each([
  ['no hook', { name: 'x' }, /none of the hooks/],
  ['no name', {}, /no name/],
  ['tools of its own', { name: 'x', beforeModel: () => undefined, tools: [{}] }, /its own tools/],
  [
    'transformers of a stream',
    { name: 'x', beforeModel: () => undefined, streamTransformers: [() => 1] },
    /streamTransformers/,
  ],
  ['a state of reducers', { name: 'x', beforeModel: () => undefined, stateSchema: {} }, /stateSchema/],
])('a middleware with %s is rejected', (_, middleware, reason) => {
  expect(() => langchainMiddleware(middleware as never)).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringMatching(reason) }),
  )
})
