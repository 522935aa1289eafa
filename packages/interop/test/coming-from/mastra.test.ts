import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  Agent,
  type Chunk,
  type CoreMessage,
  type InputProcessor,
  type MastraDBMessage,
  type Message,
  MessageList,
  type OutputProcessor,
  type ProcessInputArgs,
  type ProcessInputStepArgs,
  type ProcessInputStepResult,
  type ProcessOutputResultArgs,
  type ProcessOutputStepArgs,
  type ProcessOutputStreamArgs,
  type Processor,
  RequestContext,
  type ToolCallInfo,
  textOfParts,
  tool,
  userMessage,
} from '@millrace/core'
import { reasoning, ScriptedModel, text, toolCall } from '@millrace/testing'
import { expect } from 'vitest'
import { z } from 'zod'
import { describeRows, recordingTools, run, said, stream, toolNames } from './rows.ts'

const lookOnce = [['Looking. ', toolCall('look', { at: 'a' })], 'Seen.']

interface Seen {
  input: ProcessInputArgs
  step: ProcessInputStepArgs[]
  stream: ProcessOutputStreamArgs[]
  output: (ProcessOutputStepArgs & { ran: number })[]
  result: ProcessOutputResultArgs
  requestContext: RequestContext<any>
}

/** What every hook is given in a run of two steps. */
async function observe(): Promise<Seen> {
  const { tools, ran } = recordingTools()
  const requestContext = new RequestContext({ plan: 'free' })
  const seen = { step: [], stream: [], output: [], requestContext } as unknown as Seen
  const copyOf = <ARGS extends { messages: Message[] }>(args: ARGS): ARGS => ({
    ...args,
    messages: args.messages.map((message) => ({
      ...message,
      content: { parts: [...message.content.parts] },
    })),
  })
  const observer: Processor = {
    id: 'observer',
    processInput: (args) => {
      seen.input = copyOf(args)
    },
    processInputStep: (args) => {
      seen.step.push(copyOf(args))
    },
    processOutputStream: (args) => {
      seen.stream.push({ ...args, streamParts: [...args.streamParts] })
      return args.part
    },
    processOutputStep: (args) => {
      seen.output.push({ ...copyOf(args), ran: ran.length })
    },
    processOutputResult: (args) => {
      seen.result = copyOf(args)
    },
  }
  const agent = new Agent({
    model: new ScriptedModel(lookOnce),
    instructions: 'Be brief.',
    tools,
    activeTools: ['look'],
    toolChoice: 'auto',
    providerOptions: { openai: { user: 'x' } },
    modelSettings: { temperature: 0 },
    processors: [observer],
  })
  await agent.generate('Hello', { requestContext, threadId: 't', resourceId: 'r' })
  return seen
}

/** What is said after one processor's change of the first step. */
const stepped = (change: ProcessInputStepResult, options: Parameters<typeof run>[0] = {}) =>
  run({ ...options, processors: [{ id: 'change', processInputStep: () => change }] })

/** A run of two steps, with a change of the second. */
const inSecondStep = (change: (args: ProcessInputStepArgs) => ProcessInputStepResult, answer = 'Seen.') =>
  run(
    {
      tools: recordingTools().tools,
      processors: [
        { id: 'a', processInputStep: (args) => (args.stepNumber === 1 ? change(args) : undefined) },
      ],
    },
    [...lookOnce.slice(0, 1), answer],
  )

const texts = (messages: readonly Message[]) => messages.map(({ content }) => textOfParts(content.parts))

const aborting = (
  hook:
    | 'processInput'
    | 'processInputStep'
    | 'processOutputStream'
    | 'processOutputStep'
    | 'processOutputResult',
) =>
  run({
    processors: [
      {
        id: 'guard',
        [hook]: ({ abort }: ProcessInputArgs) => abort('No.', { metadata: { score: 1 } }),
      } as Processor,
    ],
  })

async function expectAborted(hook: Parameters<typeof aborting>[0]) {
  const { result } = await aborting(hook)
  expect(result).toHaveTripped({ processorId: 'guard', hook, reason: 'No.', metadata: { score: 1 } })
  expect(result.text).toBe('')
}

describeRows('mastra', {
  interface: async () => {
    const both: Processor<'both'> = {
      id: 'both',
      processInput: async ({ messages }) => messages,
      processOutputStep: () => undefined,
    }
    expect((await run(both)).result).toBeCompleted()
  },
  id: async () => {
    const { result } = await run({ id: 'named', processInput() {} })
    expect(result.processors).toMatchObject([{ processorId: 'named' }])
  },
  name: async () => {
    expect((await run({ id: 'a', name: 'For display', processInput() {} })).result).toBeCompleted()
  },
  'process-input': async () => {
    let calls = 0
    const { tools } = recordingTools()
    await run({ tools, processors: [{ id: 'once', processInput: () => void calls++ }] }, lookOnce)
    expect(calls).toBe(1)
  },
  'process-input-step': async () => {
    expect((await observe()).step).toHaveLength(2)
  },
  'process-output-stream': async () => {
    const types: string[] = []
    const { chunks } = await stream(
      {
        id: 'seen',
        processOutputStream: ({ part }) => {
          types.push(part.type)
          return part
        },
      },
      [text(['a', 'b'])],
    )
    const emitted = types.filter((type) => type !== 'response-end')
    expect(['start', ...emitted]).toEqual(chunks.map(({ type }) => type))
  },
  'process-output-step': async () => {
    expect((await observe()).output.map(({ ran }) => ran)).toEqual([0, 1])
  },
  'process-output-result': async () => {
    let calls = 0
    const { tools } = recordingTools()
    await run({ tools, processors: [{ id: 'once', processOutputResult: () => void calls++ }] }, lookOnce)
    expect(calls).toBe(1)
  },
  order: async () => {
    const order: string[] = []
    const note = (name: string) => () => void order.push(name)
    const look = tool({ inputSchema: z.object({ at: z.string() }), execute: note('tool') })
    await run(
      {
        tools: { look },
        prepareStep: note('prepareStep'),
        inputProcessors: [{ id: 'in', processInput: note('input'), processInputStep: note('inputStep') }],
        outputProcessors: [
          { id: 'out', processOutputStep: note('outputStep'), processOutputResult: note('result') },
        ],
      },
      lookOnce,
    )
    const step = ['inputStep', 'prepareStep', 'outputStep']
    expect(order).toEqual(['input', ...step, 'tool', ...step, 'result'])
  },
  'input-messages': async () => {
    const { messages } = (await observe()).input
    expect(messages.map(({ role }) => role)).toEqual(['user'])
  },
  'input-system-messages': async () => {
    expect((await observe()).input.systemMessages).toEqual([{ role: 'system', content: 'Be brief.' }])
  },
  'input-message-list': async () => {
    expect((await observe()).input.messageList).toBeInstanceOf(MessageList)
  },
  'input-abort': () => expectAborted('processInput'),
  'input-abort-retry': async () => {
    const { result, model } = await run({
      id: 'a',
      processInput: ({ abort }) => abort('No.', { retry: true }),
    })
    expect([result.status, model.callCount]).toEqual(['tripwire', 0])
  },
  'input-retry-count': async () => {
    expect((await observe()).input.retryCount).toBe(0)
  },
  'input-tracing-context': async () => {
    expect((await observe()).input.tracingContext).toHaveProperty('span')
  },
  'input-request-context': async () => {
    const { requestContext } = (await observe()).input
    expect([requestContext.get('plan'), requestContext.threadId, requestContext.resourceId]).toEqual([
      'free',
      't',
      'r',
    ])
  },
  'input-returns-messages': async () => {
    const { model } = await run({
      instructions: 'Be brief.',
      processors: [{ id: 'a', processInput: () => [userMessage('Other.')] }],
    })
    expect(said(model.lastPrompt)).toEqual(['system: Be brief.', 'user: Other.'])
  },
  'input-returns-list': async () => {
    const { model } = await run({
      id: 'a',
      processInput: ({ messageList }) => messageList.add(userMessage('More.'), 'context'),
    })
    expect(said(model.lastPrompt)).toEqual(['user: More.', 'user: Hello'])
  },
  'input-returns-both': async () => {
    const { model } = await run({
      id: 'a',
      processInput: ({ messages }) => ({ messages, systemMessages: [{ role: 'system', content: 'New.' }] }),
    })
    expect(said(model.lastPrompt)).toEqual(['system: New.', 'user: Hello'])
  },
  'step-messages': async () => {
    const [, second] = (await observe()).step
    expect(second?.messages.at(-1)?.content.parts).toMatchObject([
      {},
      {},
      { type: 'tool-look', output: 'saw a' },
    ])
  },
  'step-message-list': async () => {
    const { step, input } = await observe()
    expect(step[0]?.messageList).toBe(input.messageList)
  },
  'step-number': async () => {
    expect((await observe()).step.map(({ stepNumber }) => stepNumber)).toEqual([0, 1])
  },
  'step-steps': async () => {
    const { step } = await observe()
    expect(step.map(({ steps }) => steps.length)).toEqual([0, 1])
    expect(step[1]?.steps[0]).toMatchObject({
      text: 'Looking. ',
      toolCalls: [{ toolName: 'look' }],
      toolResults: [{ output: 'saw a' }],
    })
  },
  'step-system-messages': async () => {
    expect((await observe()).step[1]?.systemMessages).toEqual([{ role: 'system', content: 'Be brief.' }])
  },
  'step-model': async () => {
    expect((await observe()).step[0]?.model).toMatchObject({ specificationVersion: 'v4' })
  },
  'step-tool-choice': async () => {
    expect((await observe()).step[0]?.toolChoice).toBe('auto')
  },
  'step-active-tools': async () => {
    expect((await observe()).step[0]?.activeTools).toEqual(['look'])
  },
  'step-tools': async () => {
    expect(Object.keys((await observe()).step[0]?.tools ?? {})).toEqual(['look'])
  },
  'step-provider-options': async () => {
    expect((await observe()).step[0]?.providerOptions).toEqual({ openai: { user: 'x' } })
  },
  'step-model-settings': async () => {
    expect((await observe()).step[0]?.modelSettings).toEqual({ temperature: 0 })
  },
  'step-structured-output': async () => {
    const schema = z.object({ yes: z.boolean() })
    let seen: unknown
    const model = new ScriptedModel(['{"yes":true}'])
    const observer: Processor = {
      id: 'o',
      processInputStep: ({ structuredOutput }) => {
        seen = structuredOutput
      },
    }
    await new Agent({ model, processors: [observer] }).generate('Hello', { output: schema })
    expect(seen).toEqual({ schema })
  },
  'step-abort': () => expectAborted('processInputStep'),
  'step-contexts': async () => {
    const [first] = (await observe()).step
    expect(first?.tracingContext).toHaveProperty('span')
    expect(first?.requestContext.get('plan')).toBe('free')
  },
  'step-returns-model': async () => {
    const other = new ScriptedModel(['From another.'])
    expect((await stepped({ model: other })).result.text).toBe('From another.')
  },
  'step-returns-tool-choice': async () => {
    const { model } = await stepped({ toolChoice: 'none' }, { tools: recordingTools().tools })
    expect(model.lastCall.toolChoice).toEqual({ type: 'none' })
  },
  'step-returns-active-tools': async () => {
    const { model } = await stepped({ activeTools: [] }, { tools: recordingTools().tools })
    expect(toolNames(model.lastCall)).toEqual([])
  },
  'step-returns-tools': async () => {
    const { tools } = recordingTools()
    const newTool = tool({ inputSchema: z.object({}), execute: () => 'x' })
    const { model } = await stepped({ tools: { ...tools, newTool } }, { tools })
    expect(toolNames(model.lastCall)).toEqual(['look', 'newTool'])
  },
  'step-returns-messages': async () => {
    expect(said((await stepped({ messages: [userMessage('Only this.')] })).model.lastPrompt)).toEqual([
      'user: Only this.',
    ])
  },
  'step-returns-message-list': async () => {
    const { model } = await run({
      id: 'a',
      processInputStep: ({ messageList }) => ({
        messageList: messageList.add(userMessage('More.'), 'input'),
      }),
    })
    expect(said(model.lastPrompt)).toEqual(['user: Hello', 'user: More.'])
  },
  'step-returns-not-both': async () => {
    const both: Processor = {
      id: 'a',
      processInputStep: ({ messages, messageList }) => ({ messages, messageList }),
    }
    await expect(run(both)).rejects.toMatchObject({ code: 'PROCESSOR_RESULT_INVALID' })
  },
  'step-returns-system-messages': async () => {
    const { model } = await stepped(
      { systemMessages: [{ role: 'system', content: 'New.' }] },
      { instructions: 'Old.' },
    )
    expect(said(model.lastPrompt)).toEqual(['system: New.', 'user: Hello'])
  },
  'step-returns-provider-options': async () => {
    const providerOptions = { anthropic: { cacheControl: 'on' } }
    expect((await stepped({ providerOptions })).model.lastCall.providerOptions).toEqual(providerOptions)
  },
  'step-returns-model-settings': async () => {
    expect((await stepped({ modelSettings: { topP: 0.1 } })).model.lastCall.topP).toBe(0.1)
  },
  'step-returns-structured-output': async () => {
    const change: Processor = {
      id: 'change',
      processInputStep: () => ({
        structuredOutput: { schema: z.object({ yes: z.boolean() }), name: 'answer' },
      }),
    }
    const { model, result } = await run(change, ['{"yes":true}'])
    expect(model.lastCall.responseFormat).toMatchObject({ type: 'json', name: 'answer' })
    expect(result.object).toEqual({ yes: true })
  },
  'step-chaining': async () => {
    const [one, two] = [new ScriptedModel(['One.']), new ScriptedModel(['Two.'])]
    const { tools } = recordingTools()
    const { result } = await run({
      tools,
      processors: [
        { id: 'a', processInputStep: () => ({ model: one }) },
        {
          id: 'b',
          processInputStep: ({ model }) => {
            expect(model).toBe(one)
            return { model: two }
          },
        },
        { id: 'c', processInputStep: () => ({ toolChoice: 'none' }) },
      ],
    })
    expect([result.text, two.lastCall.toolChoice]).toEqual(['Two.', { type: 'none' }])
  },
  'step-isolation': async () => {
    const { tools } = recordingTools()
    const { model } = await run(
      {
        tools,
        instructions: 'Old.',
        processors: [
          {
            id: 'a',
            processInputStep: ({ systemMessages, stepNumber }) => ({
              systemMessages: [...systemMessages, { role: 'system', content: `Step ${stepNumber}.` }],
            }),
          },
        ],
      },
      lookOnce,
    )
    expect(model.calls.map(({ prompt }) => said(prompt).filter((line) => line.startsWith('system')))).toEqual(
      [
        ['system: Old.', 'system: Step 0.'],
        ['system: Old.', 'system: Step 1.'],
      ],
    )
  },
  'use-model-switching': async () => {
    const { tools } = recordingTools()
    const strong = new ScriptedModel(['Strong.'])
    const { result } = await run(
      {
        tools,
        processors: [
          { id: 'a', processInputStep: ({ stepNumber }) => (stepNumber > 0 ? { model: strong } : {}) },
        ],
      },
      lookOnce,
    )
    expect(result.text).toBe('Strong.')
  },
  'use-disabling-tools': async () => {
    const { tools } = recordingTools()
    const { model } = await run(
      {
        tools,
        processors: [
          { id: 'a', processInputStep: ({ stepNumber }) => (stepNumber > 0 ? { toolChoice: 'none' } : {}) },
        ],
      },
      lookOnce,
    )
    expect(model.calls.map(({ toolChoice }) => toolChoice)).toEqual([undefined, { type: 'none' }])
  },
  'use-part-types': async () => {
    const rename: Processor = {
      id: 'rename',
      processInputStep: ({ messages, messageList }) => {
        for (const { content } of messages)
          for (const part of content.parts)
            if (part.type === 'reasoning') (part as { type: string }).type = 'thinking'
        return messageList
      },
    }
    const { tools } = recordingTools()
    const { model } = await run({ tools, processors: [rename] }, [
      [reasoning('Hm.'), toolCall('look', { at: 'a' })],
      'Seen.',
    ])
    expect(model.lastPrompt[1]?.content[0]).toMatchObject({ type: 'reasoning', text: 'Hm.' })
  },
  'use-adding-tools': async () => {
    const search = tool({ inputSchema: z.object({}), execute: () => 'found' })
    const { model } = await inSecondStep(({ tools }) => ({ tools: { ...tools, search } }))
    expect(model.calls.map(toolNames)).toEqual([['look'], ['look', 'search']])
  },
  'use-step-messages': async () => {
    const { model } = await inSecondStep(({ messages }) => ({
      messages: [...messages, userMessage('Hurry.')],
    }))
    expect(model.calls.map(({ prompt }) => said(prompt).at(-1))).toEqual(['user: Hello', 'user: Hurry.'])
  },
  'use-step-system': async () => {
    const hurry = { role: 'system' as const, content: 'Hurry.' }
    const { model } = await inSecondStep(({ systemMessages }) => ({
      systemMessages: [...systemMessages, hurry],
    }))
    expect(model.calls.map(({ prompt }) => said(prompt)[0])).toEqual(['user: Hello', 'system: Hurry.'])
  },
  'use-provider-options': async () => {
    const providerOptions = { anthropic: { cacheControl: 'on' } }
    const { model } = await inSecondStep(() => ({ providerOptions }))
    expect(model.calls.map((call) => call.providerOptions)).toEqual([undefined, providerOptions])
  },
  'use-schema': async () => {
    const { model } = await inSecondStep(() => ({ structuredOutput: { schema: z.string() } }), '"Seen."')
    expect(model.calls.map(({ responseFormat }) => responseFormat?.type)).toEqual([undefined, 'json'])
  },
  'stream-part': async () => {
    expect((await observe()).stream.map(({ part }) => part.type)).toContain('text-delta')
  },
  'stream-parts': async () => {
    const { stream } = await observe()
    expect(stream[2]?.streamParts.map(({ type }) => type)).toEqual(
      stream.slice(0, 3).map(({ part }) => part.type),
    )
  },
  'stream-state': async () => {
    const counts: unknown[] = []
    await run(
      {
        id: 'count',
        processOutputStream: ({ part, state }) => {
          if (part.type === 'text-delta') state.count = ((state.count as number) ?? 0) + 1
          if (part.type === 'finish') counts.push(state.count)
          return part
        },
      },
      [text(['a', 'b', 'c'])],
    )
    expect(counts).toEqual([3])
  },
  'stream-abort': () => expectAborted('processOutputStream'),
  'stream-message-list': async () => {
    expect((await observe()).stream[0]?.messageList).toBeInstanceOf(MessageList)
  },
  'stream-contexts': async () => {
    const [first] = (await observe()).stream
    expect(first?.tracingContext).toHaveProperty('span')
    expect(first?.requestContext.get('plan')).toBe('free')
  },
  'stream-returns-chunk': async () => {
    const { result } = await run(
      {
        id: 'upper',
        processOutputStream: ({ part }) => (part.type === 'text-delta' ? { ...part, textDelta: 'B' } : part),
      },
      [text(['a'])],
    )
    expect(result.text).toBe('B')
  },
  'stream-returns-nothing': async () => {
    for (const nothing of [null, undefined]) {
      const drop: Processor = {
        id: 'drop',
        processOutputStream: ({ part }) =>
          part.type === 'text-delta' && part.textDelta === 'a' ? nothing : part,
      }
      expect((await run(drop, [text(['a', 'b'])])).result.text).toBe('b')
    }
  },
  'result-messages': async () => {
    expect(texts((await observe()).result.messages)).toEqual(['Looking. Seen.'])
  },
  'result-message-list': async () => {
    const { result, input } = await observe()
    expect(result.messageList).toBe(input.messageList)
  },
  'result-abort': () => expectAborted('processOutputResult'),
  'result-contexts': async () => {
    const { result } = await observe()
    expect(result.tracingContext).toHaveProperty('span')
    expect(result.requestContext.get('plan')).toBe('free')
  },
  'result-returns': async () => {
    const upper: Processor = {
      id: 'upper',
      processOutputResult: ({ messages }) =>
        messages.map((message) => ({
          ...message,
          content: {
            parts: message.content.parts.map((part) =>
              part.type === 'text' ? { ...part, text: 'NEW' } : part,
            ),
          },
        })),
    }
    expect((await run(upper)).result.text).toBe('NEW')
    expect((await run({ id: 'none', processOutputResult: () => [] })).result.text).toBe('Done.')
  },
  'output-messages': async () => {
    expect(texts((await observe()).output[0]?.messages ?? [])).toEqual(['Hello', 'Looking. '])
  },
  'output-message-list': async () => {
    expect((await observe()).output[0]?.messageList).toBeInstanceOf(MessageList)
  },
  'output-step-number': async () => {
    expect((await observe()).output.map(({ stepNumber }) => stepNumber)).toEqual([0, 1])
  },
  'output-finish-reason': async () => {
    expect((await observe()).output.map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'stop'])
  },
  'output-tool-calls': async () => {
    expect((await observe()).output.map(({ toolCalls }) => toolCalls.length)).toEqual([1, 0])
  },
  'output-text': async () => {
    expect((await observe()).output.map(({ text }) => text)).toEqual(['Looking. ', 'Seen.'])
  },
  'output-system-messages': async () => {
    expect((await observe()).output[0]?.systemMessages).toEqual([{ role: 'system', content: 'Be brief.' }])
  },
  'output-abort': () => expectAborted('processOutputStep'),
  'output-retry-count': async () => {
    const counts: number[] = []
    const retry: Processor = {
      id: 'retry',
      processOutputStep: ({ retryCount, abort }) => {
        counts.push(retryCount)
        if (retryCount < 2) abort('Again.', { retry: true })
      },
    }
    await run(retry, ['One.', 'Two.', 'Three.'])
    expect(counts).toEqual([0, 1, 2])
  },
  'output-contexts': async () => {
    const [first] = (await observe()).output
    expect(first?.tracingContext).toHaveProperty('span')
    expect(first?.requestContext.get('plan')).toBe('free')
  },
  retry: async () => {
    const retry: Processor = {
      id: 'retry',
      processOutputStep: ({ text, abort }) => {
        if (text === 'Bad.') abort('Better, please.', { retry: true, metadata: 1 })
      },
    }
    const { model, result } = await run(retry, ['Bad.', 'Good.'])
    expect(said(model.lastPrompt)).toEqual(['user: Hello', 'user: Better, please.'])
    expect(result.text).toBe('Good.')
    expect(result).toLeakNothingOf('Bad.')
    expect(result.steps[0]?.discarded).toMatchObject([{ reason: 'Better, please.' }])
  },
  'retry-limit': async () => {
    const never: Processor = {
      id: 'never',
      processOutputStep: ({ abort }) => abort('No.', { retry: true, metadata: 7 }),
    }
    const { model, result } = await run({ maxProcessorRetries: 2, processors: [never] }, ['1', '2', '3'])
    expect(model.callCount).toBe(3)
    expect(result).toHaveTripped({ reason: 'No.', metadata: 7, retryCount: 2 })
  },
  'use-validation': async () => {
    const { tools, ran } = recordingTools()
    const validate: Processor = {
      id: 'validate',
      processOutputStep: ({ toolCalls, abort }) => {
        if (toolCalls.length > 0) abort('No tools.')
      },
    }
    const { result } = await run({ tools, processors: [validate] }, lookOnce)
    expect([ran, result.status]).toEqual([[], 'tripwire'])
  },
  'use-logging': async () => {
    expect((await observe()).output.map(({ stepNumber, usage }) => [stepNumber, usage.totalTokens])).toEqual([
      [0, 15],
      [1, 15],
    ])
  },
  'type-input-processor': () => {
    const fits: InputProcessor = { id: 'a', processInputStep: () => undefined }
    // @ts-expect-error neither of the input hooks
    const misses: InputProcessor = { id: 'a', processOutputStep: () => undefined }
    const agent = (processor: Processor) =>
      new Agent({ model: new ScriptedModel([]), inputProcessors: [processor] })
    expect(agent(fits)).toBeInstanceOf(Agent)
    expect(() => agent(misses)).toThrow(expect.objectContaining({ code: 'CONFIG_HOOK_MISSING' }))
  },
  'type-output-processor': () => {
    const fits: OutputProcessor = { id: 'a', processOutputResult: () => undefined }
    // @ts-expect-error none of the output hooks
    const misses: OutputProcessor = { id: 'a', processInput: () => undefined }
    const agent = (processor: Processor) =>
      new Agent({ model: new ScriptedModel([]), outputProcessors: [processor] })
    expect(agent(fits)).toBeInstanceOf(Agent)
    expect(() => agent(misses)).toThrow(expect.objectContaining({ code: 'CONFIG_HOOK_MISSING' }))
  },
  'type-message': () => {
    const message: MastraDBMessage = userMessage('Hello') satisfies Message
    expect(message.content.parts).toEqual([{ type: 'text', text: 'Hello' }])
  },
  'type-core-message': () => {
    const message: CoreMessage = { role: 'system', content: 'Be brief.' }
    expect(message.role).toBe('system')
  },
  'type-tool-call-info': async () => {
    const [first] = (await observe()).output
    const calls: ToolCallInfo[] = first?.toolCalls ?? []
    expect(calls).toMatchObject([{ toolCallId: 'call-1', toolName: 'look', input: { at: 'a' } }])
  },
  'type-chunk': () => {
    const chunk: Chunk = { type: 'text-delta', id: '0', textDelta: 'a' }
    expect(chunk.type).toBe('text-delta')
  },
  published: () => {
    // What the regex filter of @mastra/core 1.71 has: it reads another form of chunks, and streams what it is to redact.
    class RegexFilterProcessor {
      readonly id = 'regex-filter'
      readonly streamCarryoverSize = 256
      processOutputStream = async ({ part }: ProcessOutputStreamArgs) => part
    }
    expect(() => new Agent({ model: 'openai/none', processors: [new RegexFilterProcessor()] })).toThrow(
      /'regex-filter'.*Mastra/,
    )
  },
  'other-hooks': () => {
    for (const hook of ['processLLMRequest', 'processLLMResponse', 'processAPIError', 'computeStateSignal']) {
      const processor = { id: 'guard', processInput: () => {}, [hook]: () => {} }
      expect(() => new Agent({ model: 'openai/none', processors: [processor] })).toThrow(hook)
    }
  },
  examples: () => {
    const folder = join(import.meta.dirname, '../../../core/test/mastra-examples')
    const examples = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
    expect(examples.map(({ name }) => name).sort()).toEqual([
      'content-filter',
      'dynamic-model-processor',
      'lowercase-processor',
      'quality-guardrail',
      'reasoning-transformer',
      'word-counter',
    ])
    for (const { name } of examples) expect(existsSync(join(folder, name, `${name}.test.ts`))).toBe(true)
  },
})
