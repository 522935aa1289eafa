import { collect, fail, gate, reasoning, ScriptedModel, text, textOf, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { generateText } from 'ai'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { WAYS } from '../../../test/ways.ts'
import { Agent } from '../../agent/agent.ts'
import type { AgentOptions, RunOptions } from '../../agent/agent-options.ts'
import type { AgentToolOptions } from '../../agent/agent-tool.ts'
import { isToolPart } from '../../messages/message.ts'
import type { Processor } from '../../processors/processor.ts'
import { InMemoryRunStore } from '../../storage/in-memory-run-store.ts'
import { tool } from '../../tools/tool.ts'

expect.extend(matchers)

const ANSWER = 'Your invoice is 20 euros.'

function billing(options: Partial<AgentOptions> = {}): Agent {
  return new Agent({ name: 'billing', model: new ScriptedModel([ANSWER], { repeat: 'last' }), ...options })
}

const call = () => toolCall('transfer', { prompt: 'The invoice?' })

/** An agent whose model hands off, and says something else only if it is asked again. */
function support(inner: Agent, options: Partial<AgentOptions> = {}, asTool: AgentToolOptions = {}) {
  const model = new ScriptedModel([['One moment. ', call()], 'I answer myself.'])
  const agent = new Agent({
    name: 'support',
    model,
    tools: { transfer: inner.asTool({ handoff: true, ...asTool }) },
    ...options,
  })
  return { agent, model }
}

const look = tool({ inputSchema: z.object({}).loose(), execute: () => 'found' })

/** Says something, looks something up, and answers. */
function looking(answer = ANSWER) {
  return new ScriptedModel([['Let me look. ', toolCall('look')], answer])
}

describe.each(WAYS)('a handoff, in %s', (_, run) => {
  test('ends the turn with the answer of the agent: the outer model is not called again', async () => {
    const { agent, model } = support(billing())
    const { result, chunks } = await run(agent)
    expect(result).toBeCompleted()
    expect(result).toHaveText(ANSWER)
    expect(model.callCount).toBe(1)
    expect(result.steps.map(({ agentName, text }) => [agentName, text])).toEqual([
      [undefined, 'One moment. '],
      ['billing', ANSWER],
    ])
    expect(result.steps[0]?.toolResults).toMatchObject([
      { status: 'success', output: "Handed off to the agent 'billing', who answers next." },
    ])
    expect(result.usage.totalTokens).toBe(30)
    expect(result.steps.map(({ usage }) => usage.totalTokens)).toEqual([15, 15])
    expect(result.messages).toHaveLength(1)
    expect(result.messages[0]?.content.parts.map(({ type }) => type)).toEqual([
      'step-start',
      'text',
      'tool-transfer',
      'step-start',
      'text',
    ])
    if (chunks.length > 0) {
      expect(textOf(chunks)).toBe(`One moment. ${ANSWER}`)
      expect(chunks.filter(({ type }) => /^step-|^finish/.test(type)).map(({ type }) => type)).toEqual([
        'step-start',
        'step-finish',
        'step-start',
        'step-finish',
        'finish',
      ])
    }
  })

  test('relays the text of the agent in each step, without its tools', async () => {
    const { agent } = support(billing({ model: looking(), tools: { look } }))
    const { result, chunks } = await run(agent)
    expect(result.steps.map(({ text }) => text)).toEqual(['One moment. ', 'Let me look. ', ANSWER])
    expect(result).toHaveText(ANSWER)
    expect(result.usage.totalTokens).toBe(45)
    expect(JSON.stringify([result.messages, chunks])).not.toContain('found')
    expect(result.messages.flatMap(({ content }) => content.parts).filter(isToolPart)).toHaveLength(1)
  })

  test('passes the output processors of the outer run: they receive the answer as that of the turn', async () => {
    const seen: Record<string, unknown> = {}
    const guard: Processor = {
      id: 'guard',
      processOutputStream: ({ part }) =>
        part.type === 'text-delta' ? { ...part, textDelta: part.textDelta.replaceAll('20', 'XX') } : part,
      processOutputStep: ({ text, stepNumber }) => {
        seen[`step ${stepNumber}`] = text
      },
      processOutputResult: ({ result }) => {
        seen.result = result.text
      },
    }
    const { agent } = support(billing({ model: new ScriptedModel([text(ANSWER, { chunkSize: 30 })]) }), {
      processors: [guard],
    })
    const { result, chunks } = await run(agent)
    const redacted = 'Your invoice is XX euros.'
    expect(result).toHaveText(redacted)
    expect(seen).toEqual({ 'step 0': 'One moment. ', 'step 1': redacted, result: redacted })
    expect(JSON.stringify([result, chunks])).not.toContain('20 euros')
  })

  test.each(['processOutputStream', 'processOutputStep', 'processOutputResult'] as const)(
    'that is rejected in %s leaves nothing of the answer',
    async (hook) => {
      const guard: Processor = {
        id: 'guard',
        [hook]: ({ part, text, result, abort }: Record<string, unknown>) => {
          const shown = JSON.stringify([part, text, result && (result as { text: string }).text])
          if (shown.includes('euros')) (abort as (reason: string) => never)('No prices.')
          return part
        },
      }
      const { agent } = support(billing(), { processors: [guard] })
      const { result, chunks } = await run(agent)
      expect(result).toMatchObject({ status: 'tripwire', rejection: { reason: 'No prices.' } })
      expect(JSON.stringify(result.messages)).not.toContain('invoice is')
      expect(result.usage.totalTokens).toBe(30)
      if (chunks.length > 0 && hook !== 'processOutputStream') {
        expect(chunks).toContainEqual(expect.objectContaining({ type: 'step-discarded', stepNumber: 1 }))
      }
    },
  )

  test('that is rejected with retry gives the turn back to the outer model, with the reason', async () => {
    const guard: Processor = {
      id: 'guard',
      processOutputStep: ({ text, abort }) => {
        if (text.includes('euros')) abort('Name no prices.', { retry: true })
      },
    }
    const { agent, model } = support(billing(), { processors: [guard] })
    const { result } = await run(agent)
    expect(result).toHaveText('I answer myself.')
    expect(JSON.stringify(model.lastPrompt)).toContain('Name no prices.')
    expect(result.steps[1]).toMatchObject({ discarded: [{ reason: 'Name no prices.' }] })
    expect(result.steps[1]).not.toHaveProperty('agentName')
    expect(result.usage.totalTokens).toBe(45)
  })

  test('discards what the agent discards', async () => {
    const model = new ScriptedModel(['Wrong answer.', ANSWER])
    const strict: Processor = {
      id: 'strict',
      processOutputStep: ({ text, abort }) => {
        if (text.includes('Wrong')) abort('No.', { retry: true })
      },
    }
    const { result, chunks } = await run(support(billing({ model, processors: [strict] })).agent)
    expect(result).toHaveText(ANSWER)
    expect(JSON.stringify(result.messages)).not.toContain('Wrong')
    if (chunks.length > 0) {
      expect(chunks).toContainEqual(
        expect.objectContaining({ type: 'step-discarded', stepNumber: 1, retry: true }),
      )
      expect(textOf(chunks)).toBe(`One moment. ${ANSWER}`)
    }
  })

  test('ends with the answer as processors of the agent left it', async () => {
    const redact: Processor = {
      id: 'redact',
      processOutputResult: ({ messages }) => {
        for (const { content } of messages)
          for (const part of content.parts) if (part.type === 'text') part.text = '[redacted]'
      },
    }
    const inner = billing({ model: looking(), tools: { look }, processors: [redact] })
    const { result, chunks } = await run(support(inner).agent)
    expect(result).toHaveText('[redacted]')
    expect(JSON.stringify(result)).not.toMatch(/Let me look|euros/)
    if (chunks.length > 0)
      expect(chunks).toContainEqual(expect.objectContaining({ type: 'response-replaced' }))
  })

  test('passes the output schema of the turn to the agent', async () => {
    const output = z.object({ euros: z.number() })
    const model = new ScriptedModel(['{"euros":20}'])
    const { agent } = support(billing({ model }))
    const { result } = await run(agent, { output } as RunOptions)
    expect(result).toMatchObject({ status: 'completed', object: { euros: 20 } })
    expect(model.calls[0]?.responseFormat).toMatchObject({ type: 'json' })
  })

  test('fails if the answer does not match the schema', async () => {
    const { agent } = support(billing({ model: new ScriptedModel(['{"euros":"20"}']) }))
    const running = run(agent, { output: z.object({ euros: z.number() }) } as RunOptions)
    await expect(running).rejects.toMatchObject({ code: 'MODEL_OUTPUT_INVALID' })
  })

  test('with emit: step shows a step when it is accepted', async () => {
    const inner = billing({ model: looking(), tools: { look } })
    const { result, chunks } = await run(support(inner, { emit: 'step' }).agent)
    expect(result.steps.map(({ text }) => text)).toEqual(['One moment. ', 'Let me look. ', ANSWER])
    if (chunks.length > 0) expect(textOf(chunks)).toBe(`One moment. Let me look. ${ANSWER}`)
  })

  test.each<[string, Partial<AgentOptions>, object]>([
    [
      'a tripwire',
      { processors: [{ id: 'guard', processOutputStep: ({ abort }) => abort('Off topic.') }] },
      {
        status: 'tripwire',
        rejection: { reason: "The agent 'billing' was stopped: Off topic." },
        usage: { totalTokens: 30 },
      },
    ],
    [
      'a limit',
      {
        model: new ScriptedModel([['Hm. ', toolCall('look')]], { repeat: 'last' }),
        tools: { look },
        maxSteps: 2,
      },
      { status: 'limit', text: 'Hm. ', usage: { totalTokens: 45 } },
    ],
    [
      'a halt',
      { processors: [{ id: 'faq', processInput: ({ halt }) => halt('See the FAQ.') }] },
      { status: 'completed', text: 'See the FAQ.', usage: { totalTokens: 15 } },
    ],
  ])('ends as the run of the agent does: with %s', async (_, options, outcome) => {
    const { result } = await run(support(billing(options)).agent)
    expect(result).toMatchObject(outcome)
  })

  test('relays an answer that a processor of the agent gives between its steps, after its text', async () => {
    const faq: Processor = {
      id: 'faq',
      processInputStep: ({ stepNumber, halt }) => {
        if (stepNumber === 1) halt('See the FAQ.')
      },
    }
    const { result, chunks } = await run(
      support(billing({ model: looking(), tools: { look }, processors: [faq] })).agent,
    )
    expect(result).toMatchObject({ status: 'completed', text: 'See the FAQ.' })
    expect(result.steps.map(({ text }) => text)).toEqual(['One moment. ', 'Let me look. ', 'See the FAQ.'])
    if (chunks.length > 0) expect(textOf(chunks)).toBe('One moment. Let me look. See the FAQ.')
  })

  test('drops reasoning that processors of the agent remove at the end', async () => {
    const model = new ScriptedModel([[reasoning('The user is Ada.'), ANSWER]])
    const hide: Processor = {
      id: 'hide',
      processOutputResult: ({ messages }) => {
        for (const { content } of messages)
          content.parts = content.parts.filter(({ type }) => type !== 'reasoning')
      },
    }
    const { result } = await run(support(billing({ model, processors: [hide] })).agent)
    expect(result).toMatchObject({ text: ANSWER, reasoningText: '' })
    expect(JSON.stringify(result.messages)).not.toContain('Ada')
  })

  test('fails with an error of the agent, for which processModelError is not called', async () => {
    const model = new ScriptedModel([['You', fail(new Error('Reset.'))]])
    const asked: string[] = []
    const processors: Processor[] = [
      { id: 'again', processModelError: ({ error }) => void asked.push(error.code) },
    ]
    await expect(run(support(billing({ model }), { processors }).agent)).rejects.toMatchObject({
      code: 'MODEL_STREAM_FAILED',
    })
    expect(asked).toEqual([])
  })

  test('may be in the last step: the agent has its own limits', async () => {
    const inner = billing({ model: looking(), tools: { look } })
    const { result } = await run(support(inner, { maxSteps: 1 }).agent)
    expect(result).toMatchObject({ status: 'completed', text: ANSWER })
  })

  test('is one at a time: a second in the same step is an error', async () => {
    const sales = billing({ name: 'sales', model: new ScriptedModel([]) })
    const model = new ScriptedModel([[call(), toolCall('other', { prompt: 'Buy?' })]])
    const agent = new Agent({
      model,
      tools: { transfer: billing().asTool({ handoff: true }), other: sales.asTool({ handoff: true }) },
    })
    const { result } = await run(agent)
    expect(result).toHaveText(ANSWER)
    expect(result.steps[0]?.toolResults).toMatchObject([
      { status: 'success' },
      { status: 'error', error: expect.stringContaining('another call of this step already hands off') },
    ])
  })

  test.each<[string, Processor]>([
    ['processToolCall', { id: 'guard', processToolCall: () => ({ deny: 'Not today.' }) }],
    ['processToolResult', { id: 'guard', processToolResult: () => ({ error: 'Not today.' }) }],
  ])('does not happen where %s refuses the call', async (_, guard) => {
    const inner = new ScriptedModel([])
    const { agent, model } = support(billing({ model: inner }), { processors: [guard] })
    const { result } = await run(agent)
    expect(result).toHaveText('I answer myself.')
    expect(JSON.stringify(model.lastPrompt)).toContain('Not today.')
    expect(inner.callCount).toBe(0)
  })
})

test('the input of the agent passes processExecution, and is not stored', async () => {
  const inner = new ScriptedModel([ANSWER])
  const vault: Processor = {
    id: 'vault',
    processExecution: ({ direction, value }) =>
      direction === 'in'
        ? { value: JSON.parse(JSON.stringify(value).replace('invoice', 'IBAN 42')) }
        : undefined,
  }
  const { agent } = support(billing({ model: inner }), { processors: [vault] })
  const { messages, steps } = await agent.generate('Hi')
  expect(inner).toHaveBeenPrompted('The IBAN 42?')
  expect(JSON.stringify([messages, steps])).not.toContain('IBAN')
})

test('toInput can pass the conversation on', async () => {
  const inner = new ScriptedModel([ANSWER])
  const { agent } = support(billing({ model: inner }), {}, {
    toInput: (_, { messages }) => messages as never,
    run: { trusted: true },
  } as AgentToolOptions)
  await agent.generate('What do I owe?')
  expect(inner).toHaveBeenPrompted('What do I owe?')
})

test('in the loop of the AI SDK it is an ordinary tool', async () => {
  const { text } = await generateText({
    model: new ScriptedModel([call(), 'It is 20.']),
    tools: { transfer: billing().asTool({ handoff: true }) as never },
    prompt: 'Hi',
  })
  expect(text).toBe('')
})

test('a wrapper of the tool in a step does not prevent it: the agent takes the turn', async () => {
  let executed = 0
  const wrap: Processor = {
    id: 'wrap',
    processInputStep: ({ tools }) => {
      const wrapped = Object.entries(tools).map(([name, one]) => [
        name,
        { ...one, execute: () => ++executed },
      ])
      return { tools: Object.fromEntries(wrapped) }
    },
  }
  expect(await support(billing(), { processors: [wrap] }).agent.generate('Hi')).toHaveText(ANSWER)
  expect(executed).toBe(0)
})

describe('the stream of a handoff', () => {
  test('has the text while the agent writes it', async () => {
    const hold = gate()
    const inner = billing({ model: new ScriptedModel([['Your invoice ', hold, 'is 20 euros.']]) })
    let shown = ''
    for await (const piece of support(inner).agent.stream('Hi').textStream) {
      shown += piece
      if (shown === 'One moment. Your invoice ') hold.open()
    }
    expect(shown).toBe(`One moment. ${ANSWER}`)
  })

  test('is the same however the agent splits its text and steps', async () => {
    const script = fc.array(
      fc.array(fc.string({ minLength: 1, maxLength: 20 }), { minLength: 1, maxLength: 4 }),
      {
        minLength: 1,
        maxLength: 4,
      },
    )
    await fc.assert(
      fc.asyncProperty(script, fc.integer({ min: 1, max: 9 }), async (steps, chunkSize) => {
        const turns = steps.map((texts, index) => [
          reasoning('Hm.'),
          ...texts.map((part) => text(part, { chunkSize })),
          ...(index < steps.length - 1 ? [toolCall('look')] : []),
        ])
        const inner = billing({ model: new ScriptedModel(turns), tools: { look } })
        const stream = support(inner).agent.stream('Hi')
        const chunks = await collect(stream.fullStream)
        const result = await stream.result
        const own = steps.map((texts) => texts.join(''))
        expect(result.steps.slice(1).map(({ text }) => text)).toEqual(own)
        expect(textOf(chunks)).toBe(`One moment. ${own.join('')}`)
        expect(result.steps.slice(1).map(({ reasoningText }) => reasoningText)).toEqual(own.map(() => 'Hm.'))
      }),
      { numRuns: 25 },
    )
  })

  test('reaches a chat client as text', async () => {
    const chunks = await collect(support(billing()).agent.stream('Hi').toUIMessageStream() as never)
    const deltas = (chunks as { type: string; delta?: string }[]).filter(({ type }) => type === 'text-delta')
    expect(deltas.map(({ delta }) => delta).join('')).toBe(`One moment. ${ANSWER}`)
  })

  test.each([
    ['the caller aborts', true],
    ['the reader leaves', false],
  ])('ends, and the agent with it, when %s', async (_, byCaller) => {
    const hold = gate()
    const model = new ScriptedModel([['Your invoice ', hold]])
    const controller = new AbortController()
    const stream = support(billing({ model })).agent.stream('Hi', { abortSignal: controller.signal })
    let texts = 0
    for await (const chunk of stream.fullStream) {
      if (chunk.type !== 'text-delta' || !chunk.textDelta.includes('invoice')) continue
      texts++
      if (!byCaller) break
      controller.abort('enough')
    }
    expect(texts).toBe(1)
    expect(await stream.result).toMatchObject({ status: 'aborted' })
    expect(await model.lastStream?.settled).toBe('aborted')
    if (byCaller) expect((await stream.result).text).toBe('Your invoice ')
  })

  test('ends the agent when a processor of the outer run ends the turn', async () => {
    const hold = gate()
    const model = new ScriptedModel([['Your invoice ', hold]])
    const guard: Processor = {
      id: 'guard',
      processOutputStream: ({ part, halt }) => {
        if (part.type === 'text-delta' && part.textDelta.includes('Your')) halt('Ask me something else.')
        return part
      },
    }
    const { agent } = support(billing({ model }), { processors: [guard] })
    expect(await agent.generate('Hi')).toMatchObject({ status: 'halted', text: 'Ask me something else.' })
    expect(await model.lastStream?.settled).toBe('aborted')
  })
})

describe('a handoff that suspends', () => {
  /** The same agents in every process, over one store: the scripts are what is left to say. */
  function process(
    storage: InMemoryRunStore,
    scripts: { outer: unknown[]; inner: unknown[] },
    processors: Processor[] = [],
  ) {
    const inner = billing({
      model: new ScriptedModel(scripts.inner as never),
      tools: { look },
      toolApproval: { look: 'user-approval' },
      storage,
    })
    const outer = new ScriptedModel(scripts.outer as never)
    return support(inner, { model: outer, storage, processors }).agent
  }

  test.each([
    ['before it has said anything', [toolCall('look')], []],
    ['after it has said something', ['Let me look. ', toolCall('look')], ['Let me look. ']],
  ])('is resumed in another process: %s', async (_, firstTurn, said) => {
    for (const way of ['generate', 'stream'] as const) {
      const storage = new InMemoryRunStore()
      const seen: string[] = []
      const guard: Processor = {
        id: 'guard',
        processOutputStep: ({ text }) => void seen.push(text),
        processOutputResult: ({ result }) => void seen.push(`answer: ${result.text}`),
      }
      const first = process(storage, { outer: [['One moment. ', call()]], inner: [firstTurn] }, [guard])
      const stream = first.stream('Hi')
      const chunks = way === 'stream' ? await collect(stream.fullStream) : []
      const { status, runId, suspension, steps } = await stream.result
      expect(status).toBe('suspended')
      expect(suspension?.payload).toMatchObject({
        type: 'tool-approval',
        toolCalls: [{ toolName: 'look', agentName: 'billing' }],
      })
      expect(suspension?.toolCallId).toBe('call-1')
      expect(steps.map(({ text }) => text)).toEqual(['One moment. ', ...said])
      if (way === 'stream') expect(textOf(chunks)).toBe(['One moment. ', ...said].join(''))

      const second = process(storage, { outer: [], inner: [ANSWER] }, [guard])
      const resumed = second.resume(runId, { approved: true })
      if (way === 'stream') expect(textOf(await collect(resumed.fullStream))).toBe(ANSWER)
      const result = await resumed.result
      expect(result).toMatchObject({ status: 'completed', text: ANSWER })
      expect(result.steps.map(({ text }) => text)).toEqual(['One moment. ', ...said, ANSWER])
      expect(result.usage.totalTokens).toBe(45)
      expect(seen).toEqual(['One moment. ', ...said, ANSWER, `answer: ${ANSWER}`])
      expect(await first.suspendedRuns()).toEqual([])
    }
  })

  test('on what the agent has said, discards that if it is rejected', async () => {
    const model = new ScriptedModel(['It is 30 euros.', ANSWER])
    const review: Processor = {
      id: 'review',
      processOutputStep: ({ text, suspend, resumeData, abort }) => {
        if (!text.includes('30')) return
        if (resumeData === undefined) suspend('Send it?')
        abort('Look again.', { retry: true })
      },
    }
    const { agent } = support(billing({ model, processors: [review] }))
    const first = await agent.generate('Hi')
    expect(first).toMatchObject({ status: 'suspended', text: 'It is 30 euros.' })
    const result = await first.suspension?.resume('no')
    expect(result).toMatchObject({ status: 'completed', text: ANSWER })
    expect(JSON.stringify([result?.messages, result?.steps.map(({ text }) => text)])).not.toContain(
      'It is 30',
    )
  })

  test('may suspend more than once', async () => {
    const inner = billing({
      model: new ScriptedModel([toolCall('look'), ['And again. ', toolCall('look')], ANSWER]),
      tools: { look },
      toolApproval: { look: 'user-approval' },
    })
    const first = await support(inner).agent.generate('Hi')
    const second = await first.suspension?.resume({ approved: true })
    expect(second).toMatchObject({
      status: 'suspended',
      suspension: { payload: { toolCalls: [{ agentName: 'billing' }] } },
    })
    const third = await second?.suspension?.resume({ approved: false, reason: 'No.' })
    expect(third).toMatchObject({ status: 'completed', text: ANSWER, usage: { totalTokens: 60 } })
  })

  test('on its own call, or between the call and the agent, hands off when it is resumed', async () => {
    const pause: Processor = {
      id: 'pause',
      processToolStep: ({ suspend, resumeData }) => {
        if (resumeData === undefined) suspend('Hand off?')
      },
    }
    const { agent } = support(billing(), { processors: [pause], toolApproval: { transfer: 'user-approval' } })
    const first = await agent.generate('Hi')
    expect(first.suspension?.payload).toMatchObject({ type: 'tool-approval' })
    const second = await first.suspension?.resume({ approved: true })
    expect(second?.suspension?.payload).toBe('Hand off?')
    expect(await second?.suspension?.resume('yes')).toMatchObject({ status: 'completed', text: ANSWER })
  })

  test('on the answer, does not run the agent again', async () => {
    const model = new ScriptedModel([ANSWER])
    const review: Processor = {
      id: 'review',
      processOutputStep: ({ text, suspend, resumeData }) => {
        if (text === ANSWER && resumeData === undefined) suspend('Send it?')
      },
    }
    const { agent } = support(billing({ model }), { processors: [review] })
    const { suspension } = await agent.generate('Hi')
    expect(suspension?.payload).toBe('Send it?')
    expect(await suspension?.resume('yes')).toMatchObject({ status: 'completed', text: ANSWER })
    expect(model.callCount).toBe(1)
  })

  test('while the agent is running, is refused: it cannot be stopped halfway', async () => {
    const review: Processor = {
      id: 'review',
      processOutputStep: ({ text, suspend }) => {
        if (text === 'Let me look. ') suspend('Go on?')
      },
    }
    const { agent } = support(billing({ model: looking(), tools: { look } }), { processors: [review] })
    await expect(agent.generate('Hi')).rejects.toMatchObject({
      code: 'PROCESSOR_FAILED',
      message: expect.stringContaining("'review' suspended in processOutputStep while the agent 'billing'"),
    })
  })

  test('within another handoff, is resumed through both', async () => {
    const storage = new InMemoryRunStore()
    const agents = (scripts: { outer: unknown[]; middle: unknown[]; inner: unknown[] }) => {
      const inner = billing({
        model: new ScriptedModel(scripts.inner as never),
        tools: { look },
        toolApproval: { look: 'user-approval' },
        storage,
      })
      const middle = support(inner, {
        name: 'middle',
        model: new ScriptedModel(scripts.middle as never),
        storage,
      })
      return support(middle.agent, { model: new ScriptedModel(scripts.outer as never), storage }).agent
    }
    const first = agents({ outer: [call()], middle: [['Let me ask. ', call()]], inner: [toolCall('look')] })
    const { runId, suspension } = await first.generate('Hi')
    expect(suspension?.payload).toMatchObject({
      toolCalls: [{ toolCallId: 'call-1/call-1/call-1', agentName: 'billing' }],
    })
    const second = agents({ outer: [], middle: [], inner: [ANSWER] })
    const result = await second.resume(runId, { approved: true })
    expect(result.steps.map(({ text }) => text)).toEqual(['', 'Let me ask. ', ANSWER])
    expect(result.usage.totalTokens).toBe(60)
    expect(await second.suspendedRuns()).toEqual([])
  })

  test('keeps concurrent runs of the same agents apart', async () => {
    const inner = billing({
      model: new ScriptedModel(({ prompt }) =>
        prompt.at(-1)?.role === 'tool' ? `Answer to ${JSON.stringify(prompt[0])}` : toolCall('look'),
      ),
      tools: { look },
      toolApproval: { look: 'user-approval' },
    })
    const outer = new Agent({
      model: new ScriptedModel(({ prompt }) => {
        const [part] = prompt.at(-1)?.content ?? []
        return toolCall('transfer', { prompt: (part as { text: string }).text })
      }),
      tools: { transfer: inner.asTool({ handoff: true }) },
    })
    const names = ['ada', 'bob', 'cid', 'dan']
    const waiting = await Promise.all(names.map((name) => outer.generate(`I am ${name}.`)))
    const results = await Promise.all(waiting.map(({ suspension }) => suspension?.resume({ approved: true })))
    for (const [index, result] of results.entries()) {
      const mentioned = names.filter((name) => result?.text.includes(name))
      expect(mentioned).toEqual([names[index]])
    }
  })

  test('needs the tool when it is resumed', async () => {
    const storage = new InMemoryRunStore()
    const first = process(storage, { outer: [call()], inner: [toolCall('look')] })
    const { runId } = await first.generate('Hi')
    const without = new Agent({ name: 'support', model: new ScriptedModel([]), storage })
    await expect(without.resume(runId, { approved: true })).rejects.toMatchObject({
      code: 'RUN_INCOMPATIBLE',
      message: expect.stringContaining("the tool 'transfer', which hands off to the agent"),
    })
    const second = process(storage, { outer: [], inner: [ANSWER] })
    expect(await second.resume(runId, { approved: true })).toMatchObject({ text: ANSWER })
  })
})

describe('agents that hand off to each other', () => {
  /** Each hands off to the other, whatever it is asked, until it is told that it cannot. */
  function pingPong(asTool: AgentToolOptions = {}) {
    const paths: string[][] = []
    const handsOff = () =>
      new ScriptedModel(({ prompt }) =>
        JSON.stringify(prompt.at(-1)).includes('was not called')
          ? 'I give up.'
          : toolCall('other', { prompt: 'You!' }),
      )
    const note: Processor = {
      id: 'note',
      processInput: ({ requestContext }) => void paths.push([...requestContext.agentPath]),
    }
    const tools: NonNullable<AgentOptions['tools']> = {}
    const ping = new Agent({ name: 'ping', model: handsOff(), tools, processors: [note] })
    const pong = new Agent({
      name: 'pong',
      model: handsOff(),
      tools: { other: ping.asTool({ handoff: true, ...asTool }) },
      processors: [note],
    })
    tools.other = pong.asTool({ handoff: true, ...asTool })
    return { ping, paths }
  }

  test.each(WAYS)('stop at maxDepth, and the last one gets an error: %s', async (_, run) => {
    const { ping, paths } = pingPong()
    const { result } = await run(ping)
    expect(result).toMatchObject({ status: 'completed', text: 'I give up.' })
    expect(paths).toHaveLength(6)
    expect(paths.at(-1)).toEqual(['ping', 'pong', 'ping', 'pong', 'ping', 'pong'])
    expect(result.usage.totalTokens).toBe(7 * 15)
  })

  test('stop earlier where maxDepth is lower', async () => {
    const { ping, paths } = pingPong({ maxDepth: 1 })
    expect(await ping.generate('Hi')).toMatchObject({ text: 'I give up.' })
    expect(paths).toEqual([['ping'], ['ping', 'pong']])
  })

  test('without handoff stop there too: the error names the limit', async () => {
    const tools: NonNullable<AgentOptions['tools']> = {}
    const errors: unknown[] = []
    const model = new ScriptedModel(({ prompt }) =>
      prompt.at(-1)?.role === 'tool' ? 'Well.' : toolCall('self', { prompt: 'Me again.' }),
    )
    const agent = new Agent({ name: 'self', model, tools })
    tools.self = agent.asTool({ maxDepth: 2 })
    agent.on('run-finish', ({ result }) => {
      for (const { toolResults } of result.steps)
        for (const answer of toolResults) if (answer.status === 'error') errors.push(answer.error)
    })
    await agent.generate('Hi')
    await agent.close()
    expect(errors).toEqual([
      "The agent 'self' was not called: agents already run 2 levels deep (self → self → self), which is maxDepth of its tool. Answer without it, or raise maxDepth.",
    ])
  })

  test('an invalid maxDepth is refused', () => {
    expect(() => billing().asTool({ maxDepth: 0 })).toThrow('maxDepth is 0')
  })
})
