import { Agent, type Processor, Suspend, TripWire, tool, userMessage } from '@millrace/core'
import { collect, finish, ScriptedModel, text, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  type ChatMessage,
  llmStep,
  messageModifier,
  type ProcessedMessage,
  postInference,
  postToolCall,
  preInference,
  preToolCall,
  promptModifier,
  responseModifier,
  toolInjection,
  toolParameters,
  toolValidation,
} from './codebolt/index.ts'
import { preLLM } from './oasis/index.ts'

expect.extend(matchers)

const ran: unknown[] = []
const look = tool({
  inputSchema: z.object({ at: z.string() }),
  execute: ({ at }) => {
    ran.push(at)
    return { saw: at }
  },
})

function setUp(processors: Processor[], turns: any[], options: object = {}) {
  ran.length = 0
  const model = new ScriptedModel(turns)
  return { model, agent: new Agent({ model, tools: { look }, processors, ...options }) }
}

function said(prompt: readonly { role: string; content: unknown }[]): string[] {
  return prompt.map(({ role, content }) => `${role}: ${JSON.stringify(content)}`)
}

const lookOnce = [['Looking. ', toolCall('look', { at: 'a' })], 'Seen.']

/** Suspends a run before its tools run. */
const gate: Processor = {
  id: 'gate',
  processToolCall: ({ suspend, resumeData }) => (resumeData === undefined ? suspend() : undefined),
}

describe('a run that is resumed', () => {
  test('has the settings of a prompt modifier', async () => {
    const modifier = promptModifier({
      modify: (_, created) => ({
        metadata: { from: 'before' },
        message: { ...created.message, temperature: 0.25, tool_choice: 'auto' },
      }),
    })
    let metadata: unknown
    const reader = preInference({
      modify: (_, created) => {
        metadata = created.metadata
        return created
      },
    })
    const { model, agent } = setUp([modifier, reader, gate], lookOnce)
    const { suspension } = await agent.generate('Hello')
    metadata = undefined
    const result = await suspension?.resume(true)
    expect(result?.text).toBe('Seen.')
    expect(model.lastCall.temperature).toBe(0.25)
    expect(metadata).toEqual({ from: 'before' })
  })

  test('has the results of a pre-tool-call processor, and its changes to system messages', async () => {
    const processor = preToolCall({
      modify: ({ rawLLMResponseMessage, nextPrompt }) => {
        for (const { id } of rawLLMResponseMessage.tool_calls ?? []) {
          nextPrompt.message.messages.push({ role: 'tool', tool_call_id: id, content: 'cached' })
          nextPrompt.message.messages.push({ role: 'system', content: 'From the cache.' })
        }
        return { nextPrompt }
      },
    })
    const { model, agent } = setUp([gate, processor], lookOnce)
    const { suspension } = await agent.generate('Hello')
    await suspension?.resume(true)
    expect(ran).toEqual([])
    expect(said(model.lastPrompt)[0]).toBe('system: "From the cache."')
    expect(said(model.lastPrompt).at(-1)).toContain('cached')
  })

  test('passes the prompt up to the response to a post-tool-call processor', async () => {
    let sent: ProcessedMessage | undefined
    const processor = postToolCall({
      modify: ({ llmMessageSent, nextPrompt }) => {
        sent = llmMessageSent
        return { nextPrompt, shouldExit: false }
      },
    })
    const { agent } = setUp([processor, gate], lookOnce)
    const { suspension } = await agent.generate('Hello')
    expect((await suspension?.resume(true))?.text).toBe('Seen.')
    expect(sent?.message.messages).toEqual([{ role: 'user', content: 'Hello' }])
  })
})

describe('changes after a call', () => {
  test('of system messages apply to the following calls: edited, removed, added', async () => {
    const edit = (change: (messages: ChatMessage[]) => ChatMessage[]) =>
      postInference({
        modify: (_, response, next) => {
          if (response.tool_calls) next.message.messages = change(next.message.messages)
          return next
        },
      })
    const systemAfter = async (change: (messages: ChatMessage[]) => ChatMessage[]) => {
      const { model, agent } = setUp([edit(change)], lookOnce, { instructions: 'Old.' })
      await agent.generate('Hello')
      expect(said(model.calls[0]!.prompt)[0]).toBe('system: "Old."')
      return said(model.lastPrompt).filter((line) => line.startsWith('system'))
    }
    const replaced = (all: ChatMessage[]) =>
      all.map((one) => (one.role === 'system' ? { ...one, content: 'New.' } : one))
    expect(await systemAfter(replaced)).toEqual(['system: "New."'])
    expect(await systemAfter((all) => all.filter(({ role }) => role !== 'system'))).toEqual([])
    expect(await systemAfter((all) => [...all, { role: 'system', content: 'New.' }])).toEqual([
      'system: "Old."',
      'system: "New."',
    ])
  })

  test('of an adapter in outputProcessors alone lose nothing: a system message becomes a user message', async () => {
    const processor = postInference({
      modify: (_, response, next) => {
        if (response.tool_calls) next.message.messages.push({ role: 'system', content: 'Mind the time.' })
        return next
      },
    })
    const { model, agent } = setUp([], lookOnce, { outputProcessors: [processor] })
    await agent.generate('Hello')
    expect(said(model.lastPrompt).at(-1)).toBe('user: [{"type":"text","text":"Mind the time."}]')
  })

  test('in the prompt and in the response are combined', async () => {
    const processor = postInference({
      modify: (_, response, next) => {
        next.message.messages.at(-1)!.content = 'From the prompt.'
        const [, second] = response.tool_calls ?? []
        if (second) response.tool_calls = [second]
        return next
      },
    })
    const { agent } = setUp(
      [processor],
      [['Text. ', toolCall('look', { at: 'a' }), toolCall('look', { at: 'b' })], 'Seen.'],
    )
    const result = await agent.generate('Hello')
    expect([ran, result.steps[0]?.text]).toEqual([['b'], 'From the prompt.'])
  })

  test('have the same text and calls in the stream, the transcript and the result', async () => {
    const redact = responseModifier({
      modify: (response) => ({ ...response, content: response.content.replace('secret', '***') }),
    })
    const { agent } = setUp([redact], [['A secret. ', toolCall('look', { at: 'a' })], 'The secret.'], {
      emit: 'step',
    })
    const stream = agent.stream('Hello')
    const chunks = await collect(stream.fullStream)
    expect(chunks).toLeakNothingOf('secret')
    expect(await stream.result).toLeakNothingOf('secret')
  })

  test('of an empty response change nothing before it', async () => {
    const shout = responseModifier({ modify: (response) => ({ ...response, content: 'LOUD' }) })
    const once = (processor: Processor): Processor => ({
      id: 'second-step',
      processOutputStep: (args) => (args.stepNumber === 1 ? processor.processOutputStep?.(args) : undefined),
    })
    const { agent } = setUp([once(shout)], [lookOnce[0], [finish()]])
    const result = await agent.generate('Hello')
    expect(result.steps.map((step) => step.text)).toEqual(['Looking. ', ''])
  })
})

describe('an error', () => {
  const adapters: [string, Processor][] = [
    ['promptModifier', promptModifier({ modify: () => ({}) as never })],
    ['messageModifier', messageModifier({ modify: () => ({}) as never })],
    ['preInference', preInference({ modify: () => 'no' as never })],
    ['toolInjection', toolInjection({ inject: () => ({}) as never })],
    ['toolParameters', toolParameters({ modify: () => ({}) as never })],
    ['toolParameters, renaming', toolParameters({ modify: (call) => ({ ...call, name: 'other' }) })],
    ['toolValidation', toolValidation({ validate: () => undefined as never })],
    ['toolValidation, unsure', toolValidation({ validate: () => ({ valid: 'yes' }) as never })],
    ['responseModifier', responseModifier({ modify: () => 'no' as never })],
    ['llmStep', llmStep({ before: () => ({}) as never })],
  ]
  test.each(adapters)('of %s fails the run', async (_, processor) => {
    const { agent } = setUp([processor], lookOnce)
    await expect(agent.generate('Hello')).rejects.toMatchObject({ code: 'PROCESSOR_FAILED' })
    expect(ran).toEqual([])
  })

  test("is skipped with onError: 'skip'", async () => {
    const broken = messageModifier(
      {
        modify: () => {
          throw new Error('broken')
        },
      },
      { onError: 'skip' },
    )
    const result = await setUp([broken], ['Hi.']).agent.generate('Hello')
    expect(result.text).toBe('Hi.')
    expect(result.warnings).toMatchObject([{ type: 'processor-skipped', processorId: 'message-modifier' }])
  })
})

test('signals work in every interface', async () => {
  const trip = messageModifier({
    modify: () => {
      throw new TripWire('No.')
    },
  })
  expect(await setUp([trip], []).agent.generate('Hello')).toHaveTripped({
    reason: 'No.',
    hook: 'processInputStep',
  })
  const wait = toolValidation({
    validate: (_, { resumeData }) => {
      if (resumeData === undefined) throw new Suspend('May I?')
      return { valid: resumeData === 'yes', reason: 'You may not.' }
    },
  })
  const { agent } = setUp([wait], lookOnce)
  const { suspension } = await agent.generate('Hello')
  expect([suspension?.payload, suspension?.toolCallId, ran]).toEqual(['May I?', 'call-1', []])
  const result = await suspension?.resume('no')
  expect(result?.steps[0]?.toolResults[0]).toMatchObject({ status: 'denied', reason: 'You may not.' })
})

test("a tool with a new description still validates and runs as the agent's", async () => {
  const narrow = toolInjection({
    inject: (tools) =>
      tools.map((one) => ({
        ...one,
        function: { ...one.function, description: 'Only here', parameters: { type: 'object' } },
      })),
  })
  const { model, agent } = setUp(
    [narrow],
    [[toolCall('look', { at: 7 }), toolCall('look', { at: 'a' })], 'Seen.'],
  )
  await agent.generate('Hello')
  expect(model.calls[0]!.tools).toMatchObject([{ description: 'Only here', inputSchema: { type: 'object' } }])
  expect(ran).toEqual(['a'])
})

test('files and other parts without a chat form survive a text modifier', async () => {
  const upper = messageModifier({
    modify: (messages) =>
      messages.map((message) => ({
        ...message,
        content: Array.isArray(message.content)
          ? message.content.map((part) =>
              part.type === 'text' ? { ...part, text: part.text.toUpperCase() } : part,
            )
          : message.content.toUpperCase(),
      })),
  })
  const { model, agent } = setUp([upper], ['Hi.'])
  const message = userMessage('Look at this.')
  message.content.parts.push({
    type: 'file',
    mediaType: 'image/png',
    url: 'data:image/png;base64,AAAA',
    filename: 'a.png',
  })
  await agent.generate([message])
  expect(model.lastPrompt[0]?.content).toMatchObject([
    { type: 'text', text: 'LOOK AT THIS.' },
    { type: 'file', mediaType: 'image/png', filename: 'a.png', data: { type: 'data', data: 'AAAA' } },
  ])
})

test('an unchanged request changes nothing', async () => {
  const quiet = [
    promptModifier({ modify: (_, created) => created }),
    preInference({ modify: (_, created) => structuredClone(created) }),
    messageModifier({ modify: (messages) => structuredClone(messages) }),
    preLLM({ preLLM() {} }),
    toolInjection({ inject: (tools) => [...tools] }),
    llmStep({ before: (request) => request, after: (response) => response }),
    postInference({ modify: (_, _response, next) => structuredClone(next) }),
    preToolCall({ modify: ({ nextPrompt }) => ({ nextPrompt }) }),
    postToolCall({ modify: ({ nextPrompt }) => ({ nextPrompt, shouldExit: false }) }),
    responseModifier({ modify: (response) => structuredClone(response) }),
    toolParameters({ modify: (call) => ({ call }) }),
    toolValidation({ validate: () => ({ valid: true }) }),
  ]
  const turns = [[text(['Look', 'ing. ']), toolCall('look', { at: 'a' })], 'Seen.']
  const free = setUp([], turns, { instructions: 'Be brief.' })
  await free.agent.generate('Hello')
  const adapted = setUp(quiet, turns, { instructions: 'Be brief.' })
  const result = await adapted.agent.generate('Hello')
  expect(adapted.model.calls.map(({ prompt, tools }) => ({ prompt, tools }))).toEqual(
    free.model.calls.map(({ prompt, tools }) => ({ prompt, tools })),
  )
  expect(new Set(result.processors.map(({ action }) => action))).toEqual(new Set(['passed']))
})
