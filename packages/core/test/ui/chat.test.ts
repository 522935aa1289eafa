import {
  Agent,
  type AgentOptions,
  type Processor,
  type RunOptions,
  tool,
  toWaitingMessage,
} from '@millrace/core'
import { InMemoryRunStore } from '@millrace/core/storage'
import { gate, reasoning, ScriptedModel, type Turn, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import {
  type ChatInit,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
} from 'ai'
import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { directTransport, TestChat } from './test-chat.ts'

expect.extend(matchers)

interface Setup {
  agent?: Partial<AgentOptions>
  run?: RunOptions
  chat?: ChatInit<UIMessage>
}

/** An agent behind a chat, and the runs it made. */
function chatWith(
  turns: Turn[],
  { agent: options = {}, run = { threadId: 't' }, chat: init = {} }: Setup = {},
) {
  const model = new ScriptedModel(turns)
  const agent = new Agent({ model, storage: new InMemoryRunStore(), ...options })
  const runs: ReturnType<typeof agent.stream>[] = []
  const errors: unknown[] = []
  const transport = directTransport(({ messages }) => {
    const stream = agent.stream(messages, run)
    runs.push(stream)
    return stream.toUIMessageStreamResponse({
      onError: (error) => {
        errors.push(error)
        return 'refused'
      },
    })
  })
  const chat = new TestChat({ transport, ...init })
  return { chat, agent, model, runs, errors, transport }
}

function refund(needsApproval = true) {
  const execute = vi.fn(({ amount }: { amount: number }) => `refunded ${amount}`)
  return {
    execute,
    tools: { refund: tool({ inputSchema: z.object({ amount: z.number() }), needsApproval, execute }) },
  }
}

const twoAmounts = [toolCall('refund', { amount: 1 }), toolCall('refund', { amount: 2 })]

describe('a conversation', () => {
  test('text, reasoning and tools over several turns', async () => {
    const { tools } = refund(false)
    const { chat, model } = chatWith(
      [[reasoning('Hm.'), 'Let me see. ', toolCall('refund', { amount: 5 })], 'Done.', 'You are welcome.'],
      { agent: { tools } },
    )
    await chat.sendMessage({ text: 'Refund 5.' })
    expect(chat.status).toBe('ready')
    expect(chat.parts.map(({ type, state }) => `${type} ${state ?? ''}`.trim())).toEqual([
      'step-start',
      'reasoning done',
      'text done',
      'tool-refund output-available',
      'step-start',
      'text done',
    ])
    await chat.sendMessage({ text: 'Thanks.' })
    expect(chat.messages).toHaveLength(4)
    expect(chat.parts.at(-1)).toMatchObject({ text: 'You are welcome.' })
    // Without a memory, nobody knows of the call but the client.
    expect(model.lastPrompt).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: [{ type: 'text', text: 'Let me see. ' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
      { role: 'user' },
    ])
    expect(model.lastPrompt).toPairEveryToolCall()
  })

  test("a call has its tool's title and metadata, which are not sent to the model", async () => {
    const { tools } = refund()
    const shown = { title: 'Refund', metadata: { source: 'shop' } }
    const { chat, model, runs } = chatWith([toolCall('refund', { amount: 5 }), 'Done.'], {
      agent: { tools: { refund: { ...tools.refund, ...shown } } },
      chat: { sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses },
    })
    await chat.sendMessage({ text: 'Refund 5.' })
    const call = { type: 'tool-refund', title: 'Refund', toolMetadata: { source: 'shop' } }
    expect(chat.parts[1]).toMatchObject({ ...call, state: 'approval-requested' })
    await chat.addToolApprovalResponse({ id: chat.parts[1].approval.id, approved: true })
    await chat.settled()
    expect(chat.parts[1]).toMatchObject({ ...call, state: 'output-available' })
    const [message] = (await runs.at(-1)?.messages) ?? []
    expect(message?.content.parts[1]).toMatchObject({ ...call, state: 'output-available' })
    expect(JSON.stringify(model.lastCall)).not.toContain('shop')
  })

  test('a turn after a tripwire continues', async () => {
    let count = 0
    const { chat, model } = chatWith(['Rejected.', 'Fine.'], {
      agent: {
        processors: [
          {
            id: 'guard',
            processOutputStep: ({ abort }) => {
              if (count++ === 0) abort('Unsafe.')
            },
          },
        ],
      },
    })
    await chat.sendMessage({ text: 'One.' })
    expect(chat.parts.at(-1)).toMatchObject({ type: 'data-tripwire', data: { reason: 'Unsafe.' } })
    await chat.sendMessage({ text: 'Two.' })
    expect(chat.parts.at(-1)).toMatchObject({ text: 'Fine.' })
    expect(model.lastPrompt.map(({ role }) => role)).toEqual(['user', 'user'])
  })
})

describe('approvals', () => {
  const automatic: ChatInit<UIMessage> = {
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  }

  test('an approved call runs exactly once, in the run that waited for it', async () => {
    const { tools, execute } = refund()
    const { chat, model, agent, runs } = chatWith(
      [['Let me see. ', toolCall('refund', { amount: 5 })], 'Done.'],
      { agent: { tools }, chat: automatic },
    )
    await chat.sendMessage({ text: 'Refund 5.' })
    const part = chat.parts.find(({ type }) => type === 'tool-refund')
    expect(part).toMatchObject({ state: 'approval-requested', input: { amount: 5 } })
    expect(chat.parts.at(-1)).toMatchObject({
      type: 'data-suspended',
      data: { payload: { type: 'tool-approval' } },
    })
    expect(execute).not.toHaveBeenCalled()
    expect(model.callCount).toBe(1)

    await chat.addToolApprovalResponse({ id: part.approval.id, approved: true })
    await chat.settled()
    expect(execute).toHaveBeenCalledTimes(1)
    expect(await runs[1]?.status).toBe('completed')
    expect(chat.messages).toHaveLength(2)
    expect(chat.parts).toMatchObject([
      { type: 'step-start' },
      { type: 'text', text: 'Let me see. ' },
      { type: 'tool-refund', state: 'output-available', output: 'refunded 5', approval: { approved: true } },
      { type: 'data-suspended', data: { resumed: true } },
      { type: 'step-start' },
      { type: 'text', text: 'Done.' },
    ])
    expect(await agent.suspendedRuns({ threadId: 't' })).toEqual([])
  })

  test("the client's final message equals the one of the transcript", async () => {
    const { tools } = refund()
    const { chat, runs } = chatWith([toolCall('refund', { amount: 5 }), 'Done.'], {
      agent: { tools },
      chat: automatic,
    })
    await chat.sendMessage({ text: 'Refund 5.' })
    await chat.addToolApprovalResponse({ id: chat.parts[1].approval.id, approved: true })
    await chat.settled()
    const [message] = (await runs[1]?.messages) ?? []
    expect(chat.lastMessage?.id).toBe(message?.id)
    expect(chat.parts.filter(({ type }) => type !== 'data-suspended')).toMatchObject(
      message?.content.parts as object[],
    )
  })

  test('a denied call does not run, and the model receives the reason', async () => {
    const { tools, execute } = refund()
    const { chat, model } = chatWith([toolCall('refund', { amount: 5 }), 'As you wish.'], {
      agent: { tools },
      chat: automatic,
    })
    await chat.sendMessage({ text: 'Refund 5.' })
    const { id } = chat.parts[1].approval
    await chat.addToolApprovalResponse({ id, approved: false, reason: 'Too much.' })
    await chat.settled()
    expect(execute).not.toHaveBeenCalled()
    expect(model.lastPrompt.at(-1)).toMatchObject({
      role: 'tool',
      content: [{ output: { type: 'execution-denied', reason: 'Too much.' } }],
    })
    expect(chat.parts[1]).toMatchObject({
      state: 'output-denied',
      approval: { id, approved: false, reason: 'Too much.' },
    })
    expect(chat.parts.at(-1)).toMatchObject({ text: 'As you wish.' })
  })

  test('of several calls each gets its own answer', async () => {
    const { tools, execute } = refund()
    const { chat } = chatWith([twoAmounts, 'Done.'], { agent: { tools }, chat: automatic })
    await chat.sendMessage({ text: 'Refund 1 and 2.' })
    const [one, two] = chat.parts.filter(({ type }) => type === 'tool-refund')
    await chat.addToolApprovalResponse({ id: one.approval.id, approved: false })
    await chat.settled()
    expect(execute).not.toHaveBeenCalled()
    await chat.addToolApprovalResponse({ id: two.approval.id, approved: true })
    await chat.settled()
    expect(execute.mock.calls.map(([input]) => input)).toEqual([{ amount: 2 }])
    expect(chat.parts.filter(({ type }) => type === 'tool-refund').map(({ state }) => state)).toEqual([
      'output-denied',
      'output-available',
    ])
  })

  test('shows the input that an approval executes, and not that of the model', async () => {
    const { tools, execute } = refund()
    const capped: Processor = { id: 'capped', processToolCall: () => ({ input: { amount: 10 } }) }
    const { chat } = chatWith([toolCall('refund', { amount: 500 }), 'Done.'], {
      agent: { tools, processors: [capped] },
    })
    await chat.sendMessage({ text: 'Refund 500.' })
    const part = chat.parts.find(({ type }) => type === 'tool-refund')
    expect(part).toMatchObject({ state: 'approval-requested', input: { amount: 10 } })
    await chat.addToolApprovalResponse({ id: part.approval.id, approved: true })
    await chat.sendMessage()
    expect(execute.mock.calls.map(([input]) => input)).toEqual([{ amount: 10 }])
  })

  test('keeps a call waiting that is left unanswered, with the same approval', async () => {
    const { tools, execute } = refund()
    const { chat } = chatWith([twoAmounts, 'Done.'], { agent: { tools } })
    await chat.sendMessage({ text: 'Refund 1 and 2.' })
    const [one, two] = chat.parts.filter(({ type }) => type === 'tool-refund')
    await chat.addToolApprovalResponse({ id: one.approval.id, approved: true })
    await chat.sendMessage()
    expect(execute).not.toHaveBeenCalled()
    const again = chat.parts.find(({ toolCallId }) => toolCallId === two.toolCallId)
    expect(again).toMatchObject({ state: 'approval-requested' })
    expect(again.approval.id).toBe(two.approval.id)
    await chat.addToolApprovalResponse({ id: again.approval.id, approved: true })
    await chat.sendMessage()
    expect(execute).toHaveBeenCalledTimes(2)
    expect(chat.parts.at(-1)).toMatchObject({ text: 'Done.' })
  })

  test('a second submission is refused and runs nothing', async () => {
    const { tools, execute } = refund()
    const { chat, agent, transport, errors } = chatWith(
      [toolCall('refund', { amount: 5 }), 'Done.', 'Again?'],
      {
        agent: { tools },
        chat: automatic,
      },
    )
    await chat.sendMessage({ text: 'Refund 5.' })
    await chat.addToolApprovalResponse({ id: chat.parts[1].approval.id, approved: true })
    await chat.settled()
    const submitted = transport.sent[1] as UIMessage[]

    const again = agent.stream(structuredClone(submitted), { threadId: 't' })
    await expect(again.result).rejects.toMatchObject({ code: 'RUN_ALREADY_RESUMED' })
    expect(execute).toHaveBeenCalledTimes(1)

    const other = new TestChat({ transport, messages: structuredClone(submitted) })
    await other.sendMessage()
    expect(other.status).toBe('error')
    expect(other.error?.message).toBe('refused')
    expect(other.messages).toEqual(submitted)
    expect(errors).toMatchObject([{ code: 'RUN_ALREADY_RESUMED' }])
    expect(execute).toHaveBeenCalledTimes(1)
  })

  test('of two concurrent submissions one succeeds', async () => {
    const { tools, execute } = refund()
    const { chat, agent } = chatWith([toolCall('refund', { amount: 5 }), 'Done.'], { agent: { tools } })
    await chat.sendMessage({ text: 'Refund 5.' })
    await chat.addToolApprovalResponse({ id: chat.parts[1].approval.id, approved: true })
    const submit = () => agent.generate(structuredClone(chat.messages), { threadId: 't' })
    const outcomes = await Promise.allSettled([submit(), submit()])
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'RUN_ALREADY_RESUMED' },
    })
    expect(execute).toHaveBeenCalledTimes(1)
  })

  test('a new message instead of an answer is a new turn', async () => {
    const { tools, execute } = refund()
    const { chat, model, agent } = chatWith([toolCall('refund', { amount: 5 }), 'All right.'], {
      agent: { tools },
    })
    await chat.sendMessage({ text: 'Refund 5.' })
    await chat.addToolApprovalResponse({ id: chat.parts[1].approval.id, approved: true })
    await chat.sendMessage({ text: 'Never mind.' })
    expect(chat.parts.at(-1)).toMatchObject({ text: 'All right.' })
    expect(execute).not.toHaveBeenCalled()
    expect(model.lastPrompt).toPairEveryToolCall()
    expect(await agent.suspendedRuns({ threadId: 't' })).toHaveLength(1)
  })
})

describe('tools of the client', () => {
  const tools = { ask: { inputSchema: z.object({ question: z.string() }) } }
  const automatic: ChatInit<UIMessage> = {
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
  }

  test('the run continues with their output', async () => {
    const { chat, model, runs, agent } = chatWith([toolCall('ask', { question: 'Sure?' }), 'Good.'], {
      agent: { tools },
      chat: automatic,
    })
    await chat.sendMessage({ text: 'Do it.' })
    expect(chat.parts[1]).toMatchObject({ type: 'tool-ask', state: 'input-available' })
    await chat.addToolOutput({ tool: 'ask', toolCallId: 'call-1', output: { answer: 'Yes.' } } as never)
    await chat.settled()
    expect(model.callCount).toBe(2)
    expect(model.lastPrompt.at(-1)).toMatchObject({ content: [{ output: { value: { answer: 'Yes.' } } }] })
    expect(await runs[1]?.status).toBe('completed')
    expect(chat.messages).toHaveLength(2)
    expect(chat.parts.at(-1)).toMatchObject({ text: 'Good.' })
    expect(await agent.suspendedRuns()).toEqual([])
  })

  test('that run as soon as they are called need no user', async () => {
    const { chat, model } = chatWith([toolCall('ask', { question: 'Where?' }), 'In Oslo.'], {
      agent: { tools },
      chat: {
        ...automatic,
        onToolCall: ({ toolCall }) => {
          void chat.addToolOutput({ tool: 'ask', toolCallId: toolCall.toolCallId, output: 'Oslo' } as never)
        },
      },
    })
    await chat.sendMessage({ text: 'Where am I?' })
    await chat.settled()
    expect(model.callCount).toBe(2)
    expect(chat.parts.at(-1)).toMatchObject({ text: 'In Oslo.' })
  })

  test('that fail are errors that the model sees', async () => {
    const { chat, model } = chatWith([toolCall('ask', { question: 'Sure?' }), 'Too bad.'], {
      agent: { tools },
      chat: automatic,
    })
    await chat.sendMessage({ text: 'Do it.' })
    await chat.addToolOutput({
      state: 'output-error',
      tool: 'ask',
      toolCallId: 'call-1',
      errorText: 'Dialog closed.',
    } as never)
    await chat.settled()
    expect(model.lastPrompt.at(-1)).toMatchObject({
      content: [{ output: { type: 'error-text', value: 'Dialog closed.' } }],
    })
    expect(chat.parts[1]).toMatchObject({ state: 'output-error', errorText: 'Dialog closed.' })
  })

  test('a second output is refused', async () => {
    const { chat, agent, transport } = chatWith([toolCall('ask', { question: 'Sure?' }), 'Good.'], {
      agent: { tools },
      chat: automatic,
    })
    await chat.sendMessage({ text: 'Do it.' })
    await chat.addToolOutput({ tool: 'ask', toolCallId: 'call-1', output: 'Yes.' } as never)
    await chat.settled()
    const again = agent.generate(transport.sent[1] as UIMessage[], { threadId: 't' })
    await expect(again).rejects.toMatchObject({ code: 'RUN_ALREADY_RESUMED' })
  })

  test('after an approval in the same step the run continues twice', async () => {
    const { tools: others, execute } = refund()
    const { chat, model } = chatWith(
      [[toolCall('refund', { amount: 5 }), toolCall('ask', { question: 'Sure?' })], 'Good.'],
      { agent: { tools: { ...tools, ...others } } },
    )
    await chat.sendMessage({ text: 'Do it.' })
    await chat.addToolApprovalResponse({ id: chat.parts[1].approval.id, approved: true })
    await chat.sendMessage()
    expect(chat.parts.find(({ type }) => type === 'tool-refund')).toMatchObject({ state: 'output-available' })
    await chat.addToolOutput({ tool: 'ask', toolCallId: 'call-2', output: 'Yes.' } as never)
    await chat.sendMessage()
    expect(execute).toHaveBeenCalledTimes(1)
    expect(model.lastPrompt).toPairEveryToolCall()
    expect(chat.parts.at(-1)).toMatchObject({ text: 'Good.' })
    expect(chat.messages).toHaveLength(2)
  })
})

describe('a suspension by a processor', () => {
  test('is shown, and resumed by the application', async () => {
    const { chat, agent, model } = chatWith(['Hello.'], {
      agent: {
        processors: [
          {
            id: 'consent',
            processInput: ({ suspend, resumeData }) => {
              if (resumeData === undefined) suspend({ ask: 'Agree?' })
            },
          },
        ],
      },
    })
    await chat.sendMessage({ text: 'Hi.' })
    expect(chat.parts).toMatchObject([
      {
        type: 'data-suspended',
        data: { payload: { ask: 'Agree?' }, processorId: 'consent', hook: 'processInput' },
      },
    ])
    const { runId } = chat.parts[0].data
    const second = new TestChat({
      messages: chat.messages,
      transport: directTransport(() => agent.resume(runId, 'yes').toUIMessageStreamResponse()),
    })
    await second.sendMessage()
    expect(second.messages).toHaveLength(2)
    expect(second.lastMessage?.id).toBe(chat.lastMessage?.id)
    expect(second.parts).toMatchObject([
      { type: 'data-suspended', data: { resumed: true } },
      { type: 'step-start' },
      { type: 'text', text: 'Hello.' },
    ])
    expect(model.callCount).toBe(1)
  })
})

test('a client that sends an unanswered message again starts no new turn', async () => {
  const { tools, execute } = refund(false)
  const { chat, model, errors } = chatWith([toolCall('refund', { amount: 5 }), 'Done.'], {
    agent: {
      tools,
      processors: [
        {
          id: 'review',
          processToolStep: ({ suspend, resumeData }) => {
            if (resumeData === undefined) suspend('Look at this.')
          },
        },
      ],
    },
    chat: { sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls },
  })
  await chat.sendMessage({ text: 'Refund 5.' })
  await chat.settled()
  expect(errors).toMatchObject([{ code: 'RUN_RESUME_INVALID' }])
  expect(chat.messages).toHaveLength(2)
  expect(model.callCount).toBe(1)
  expect(execute).toHaveBeenCalledTimes(1)
  await chat.sendMessage({ text: 'Never mind.' })
  expect(chat.parts.at(-1)).toMatchObject({ text: 'Done.' })
})

describe('a client that was reloaded while the run waits', () => {
  /** The same chat with nothing but what the server knows. */
  async function reloaded({ agent, transport }: ReturnType<typeof chatWith>, init: ChatInit<UIMessage>) {
    const waiting = await agent.suspendedRuns({ threadId: 't' })
    return new TestChat({ transport, messages: waiting.map(toWaitingMessage) as UIMessage[], ...init })
  }

  test('approves the call', async () => {
    const { tools, execute } = refund()
    const before = chatWith([['Let me see. ', toolCall('refund', { amount: 5 })], 'Done.'], {
      agent: { tools },
    })
    await before.chat.sendMessage({ text: 'Refund 5.' })
    const chat = await reloaded(before, {
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    })
    const asked = chat.parts.find(({ state }) => state === 'approval-requested')
    expect(asked).toMatchObject({ type: 'tool-refund', input: { amount: 5 } })
    await chat.addToolApprovalResponse({ id: asked.approval.id, approved: true })
    await chat.settled()
    expect(before.errors).toEqual([])
    expect(execute).toHaveBeenCalledTimes(1)
    expect(chat.messages).toHaveLength(1)
    expect(chat.parts.map(({ type, state }) => `${type} ${state ?? ''}`.trim())).toEqual([
      'step-start',
      'tool-refund output-available',
      'data-suspended',
      'step-start',
      'text done',
    ])
  })

  test('gives the output of its tool', async () => {
    const before = chatWith([toolCall('ask', {}), 'Thank you.'], {
      agent: { tools: { ask: { inputSchema: z.object({}) } } },
    })
    await before.chat.sendMessage({ text: 'Ask me.' })
    const chat = await reloaded(before, {
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
    })
    await chat.addToolOutput({ tool: 'ask', toolCallId: 'call-1', output: 'Yes.' })
    await chat.settled()
    expect(before.errors).toEqual([])
    expect(chat.parts.at(-1)).toMatchObject({ text: 'Thank you.' })
  })
})

describe('a client that sends a finished message again automatically', () => {
  const look = tool({ inputSchema: z.object({}), execute: () => 'look again' })
  const remembering = { memory: { getInputProcessors: () => [], getOutputProcessors: () => [] } }

  test.each([
    ['without memory', {}],
    ['with memory', remembering],
  ])('makes no new turn, %s', async (_, options) => {
    const { chat, model, runs, errors } = chatWith(
      [...Array.from({ length: 4 }, () => toolCall('look', {})), 'Here it is.'],
      {
        agent: { ...options, tools: { look }, maxSteps: 2 },
        chat: { sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls },
      },
    )
    await chat.sendMessage({ text: 'Find it.' })
    await chat.settled()
    expect(await runs[0]?.status).toBe('limit')
    expect(errors).toMatchObject([{ code: 'RUN_INPUT_INVALID' }])
    expect(model.callCount).toBe(2)
    expect(chat.messages).toHaveLength(2)
  })

  test('may still answer a run that no longer exists', async () => {
    const { chat, errors } = chatWith([toolCall('ask', {}), 'Then not.'], {
      agent: { tools: { ask: { inputSchema: z.object({}) } } },
      chat: { sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls },
    })
    await chat.sendMessage({ text: 'Ask me.' })
    chat.messages = chat.messages.map((message) => ({
      ...message,
      parts: message.parts.map((part) =>
        part.type === 'data-suspended' ? { ...part, data: { runId: 'forgotten' } } : part,
      ),
    }))
    await chat.addToolOutput({ tool: 'ask', toolCallId: 'call-1', output: 'No.' })
    await chat.settled()
    expect(errors).toEqual([])
    expect(chat.parts.at(-1)).toMatchObject({ text: 'Then not.' })
  })
})

describe('Stop', () => {
  test("ends the run as 'aborted', keeps the parts so far, and the next turn continues", async () => {
    const pause = gate()
    const { chat, runs, model } = chatWith([['Once upon ', pause, 'a time.'], 'Sure.'])
    const sending = chat.sendMessage({ text: 'Tell me a story.' })
    await chat.until(() => chat.parts[1]?.text === 'Once upon ')
    await chat.stop()
    await sending
    expect(await runs[0]?.status).toBe('aborted')
    expect(await runs[0]?.text).toBe('Once upon ')
    expect(chat.status).toBe('ready')
    expect(chat.parts.at(-1)).toMatchObject({ type: 'text', text: 'Once upon ' })

    await chat.sendMessage({ text: 'Go on.' })
    expect(chat.parts.at(-1)).toMatchObject({ text: 'Sure.' })
    expect(model).toHaveBeenPrompted('Once upon ', { role: 'assistant' })
    expect(chat.messages).toHaveLength(4)
  })

  test('while a tool runs: the call counts as not completed', async () => {
    const pause = gate()
    let aborted = false
    const slow = tool({
      inputSchema: z.object({}),
      execute: (_, { abortSignal }) => {
        abortSignal?.addEventListener('abort', () => {
          aborted = true
        })
        return new Promise((resolve) => abortSignal?.addEventListener('abort', () => resolve('late')))
      },
    })
    const { chat, runs, model } = chatWith([[toolCall('slow', {}), pause], 'Sure.'], {
      agent: { tools: { slow } },
    })
    const sending = chat.sendMessage({ text: 'Go.' })
    await pause.reached
    pause.open()
    await chat.until(() => chat.parts[1]?.state === 'input-available')
    await chat.stop()
    await sending
    expect(await runs[0]?.status).toBe('aborted')
    expect(aborted).toBe(true)
    await chat.sendMessage({ text: 'Again.' })
    expect(model.lastPrompt).toPairEveryToolCall()
    expect(chat.parts.at(-1)).toMatchObject({ text: 'Sure.' })
  })

  test('after an approval: the answer is used up, and the next turn continues', async () => {
    const { tools, execute } = refund()
    const pause = gate()
    const { chat, runs, model } = chatWith([toolCall('refund', { amount: 5 }), [pause, 'Done.'], 'Sure.'], {
      agent: { tools },
    })
    await chat.sendMessage({ text: 'Refund 5.' })
    await chat.addToolApprovalResponse({ id: chat.parts[1].approval.id, approved: true })
    const sending = chat.sendMessage()
    await pause.reached
    await chat.stop()
    await sending
    expect(await runs[1]?.status).toBe('aborted')
    await chat.sendMessage({ text: 'And now?' })
    expect(execute).toHaveBeenCalledTimes(1)
    expect(chat.parts.at(-1)).toMatchObject({ text: 'Sure.' })
    expect(model.lastPrompt).toPairEveryToolCall()
  })
})
