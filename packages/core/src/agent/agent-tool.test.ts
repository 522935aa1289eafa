import { fail, ScriptedModel, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { generateText } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { RequestContext } from '../request-context.ts'
import { InMemoryRunStore } from '../storage/in-memory-run-store.ts'
import { tool } from '../tools/tool.ts'
import { Agent } from './agent.ts'
import type { AgentOptions } from './agent-options.ts'

expect.extend(matchers)

function researcher(options: Partial<AgentOptions> = {}): Agent {
  return new Agent({
    name: 'researcher',
    model: new ScriptedModel(['Rain, it seems.'], { repeat: 'last' }),
    ...options,
  })
}

/** An agent that asks another once, or as often as it has prompts, and then answers. */
function editor(tools: AgentOptions['tools'], ...inputs: object[]): { agent: Agent; model: ScriptedModel } {
  const calls = inputs.length > 0 ? inputs : [{ prompt: 'How is the weather?' }]
  const model = new ScriptedModel([calls.map((input) => toolCall('research', input)), 'It rains.'])
  return { agent: new Agent({ name: 'editor', model, tools: tools ?? {} }), model }
}

describe('an agent as a tool', () => {
  test('answers with its text', async () => {
    const inner = new ScriptedModel(['Rain, it seems.'])
    const { agent, model } = editor({ research: researcher({ model: inner }).asTool() })
    const result = await agent.generate('Hi')
    expect(result).toHaveText('It rains.')
    expect(inner).toHaveBeenPrompted('How is the weather?')
    expect(result.steps[0]?.toolResults).toMatchObject([{ status: 'success', output: 'Rain, it seems.' }])
    expect(model.calls[0]?.tools).toMatchObject([
      {
        name: 'research',
        description: "Asks the agent 'researcher'.",
        inputSchema: { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] },
      },
    ])
  })

  test('takes its own schema, and can answer with an object', async () => {
    const inner = new ScriptedModel(['{"rain":true}'])
    const research = researcher({ model: inner }).asTool({
      description: 'Looks the weather up',
      inputSchema: z.object({ city: z.string() }),
      toInput: ({ city }) => `How is ${city}?`,
      run: { output: z.object({ rain: z.boolean() }) },
    })
    const { agent } = editor({ research }, { city: 'Oslo' })
    const { steps } = await agent.generate('Hi')
    expect(inner).toHaveBeenPrompted('How is Oslo?')
    expect(steps[0]?.toolResults).toMatchObject([{ output: { rain: true } }])
  })

  test('takes the whole input as JSON where it has no prompt', async () => {
    const inner = new ScriptedModel(['Rain.'])
    const research = researcher({ model: inner }).asTool({ inputSchema: z.object({ city: z.string() }) })
    await editor({ research }, { city: 'Oslo' }).agent.generate('Hi')
    expect(inner).toHaveBeenPrompted('{"city":"Oslo"}')
  })

  test('refuses input without a prompt before it runs', async () => {
    const inner = new ScriptedModel([])
    const { agent } = editor({ research: researcher({ model: inner }).asTool() }, { question: 'How?' })
    const { steps } = await agent.generate('Hi')
    expect(steps[0]?.toolResults).toMatchObject([
      { status: 'error', error: expect.stringContaining('prompt') },
    ])
    expect(inner.callCount).toBe(0)
  })

  test('gets the request context, and a thread of its own beside the outer one', async () => {
    const seen: unknown[] = []
    const inner = researcher({
      processors: [
        {
          id: 'notes',
          processInput: ({ requestContext }) => {
            seen.push([requestContext.get('plan'), requestContext.threadId, requestContext.resourceId])
          },
        },
      ],
    })
    const requestContext = new RequestContext({ plan: 'free' })
    const { agent } = editor({ research: inner.asTool() })
    await agent.generate('Hi', { requestContext, threadId: 'thread-1', resourceId: 'ada' })
    expect(seen).toEqual([['free', 'thread-1:researcher', 'ada']])
  })

  test('adds its usage to the outer run, once', async () => {
    const { agent } = editor({ research: researcher().asTool() })
    const result = await agent.generate('Hi')
    expect(result.usage.totalTokens).toBe(45)
    expect(result.steps.map(({ usage }) => usage.totalTokens)).toEqual([15, 15])
  })

  test('is cancelled with the outer run', async () => {
    const controller = new AbortController()
    const inner = new ScriptedModel(() => {
      controller.abort()
      return 'Never.'
    })
    const innerAgent = researcher({ model: inner })
    const ended = new Promise((resolve) =>
      innerAgent.on('run-finish', ({ result }) => resolve(result.status)),
    )
    const { agent } = editor({ research: innerAgent.asTool() })
    expect(await agent.generate('Hi', { abortSignal: controller.signal })).toHaveStatus('aborted')
    expect(await ended).toBe('aborted')
  })
})

test('runs in the loop of the AI SDK too, where there is no outer run', async () => {
  const research = researcher().asTool()
  const { text, toolResults } = await generateText({
    model: new ScriptedModel([toolCall('research', { prompt: 'How is the weather?' }), 'It rains.']),
    tools: { research: research as never },
    prompt: 'Hi',
  })
  expect(text).toBe('')
  expect(toolResults).toMatchObject([{ output: 'Rain, it seems.' }])
})

describe('what the outer model sees', () => {
  test.each<[string, Partial<AgentOptions>, string]>([
    [
      'a tripwire',
      { processors: [{ id: 'guard', processInput: ({ abort }) => abort('Off topic.') }] },
      "The agent 'researcher' was stopped: Off topic.",
    ],
    [
      'no answer within the limit',
      {
        model: new ScriptedModel([toolCall('look')], { repeat: 'last' }),
        tools: { look: tool({ inputSchema: z.object({}), execute: () => 'nothing' }) },
        maxSteps: 1,
      },
      "The agent 'researcher' reached its maximum number of steps without an answer.",
    ],
    ['a fault', { model: new ScriptedModel([['Ra', fail(new Error('Reset.'))]]) }, 'was interrupted'],
  ])('of %s is an error', async (_, options, message) => {
    const { agent } = editor({ research: researcher(options).asTool() })
    const result = await agent.generate('Hi')
    expect(result).toHaveText('It rains.')
    expect(result.steps[0]?.toolResults).toMatchObject([
      { status: 'error', error: expect.stringContaining(message) },
    ])
  })

  test('of a halt is its answer', async () => {
    const inner = researcher({
      processors: [{ id: 'faq', processInput: ({ halt }) => halt('See the forecast.') }],
    })
    const { steps } = await editor({ research: inner.asTool() }).agent.generate('Hi')
    expect(steps[0]?.toolResults).toMatchObject([{ status: 'success', output: 'See the forecast.' }])
  })
})

describe('an agent that suspends', () => {
  function asking(options: Partial<AgentOptions> = {}): {
    inner: Agent
    looked: unknown[]
    model: ScriptedModel
  } {
    const looked: unknown[] = []
    const model = new ScriptedModel(
      ({ prompt }) =>
        prompt.at(-1)?.role === 'tool' ? 'Rain.' : [toolCall('look', { city: 'Oslo' }), toolCall('ask', {})],
      {},
    )
    const inner = researcher({
      model,
      tools: {
        look: tool({ inputSchema: z.object({ city: z.string() }), execute: ({ city }) => looked.push(city) }),
        ask: tool({ inputSchema: z.object({}), execute: () => 'asked' }),
      },
      toolApproval: { ask: 'user-approval' },
      ...options,
    })
    return { inner, looked, model }
  }

  test('suspends the outer run, and is resumed with it where it was', async () => {
    const { inner, looked, model } = asking()
    const { agent, model: outerModel } = editor({ research: inner.asTool() })
    const result = await agent.generate('Hi')
    expect(result).toHaveStatus('suspended')
    expect(result.suspension?.payload).toMatchObject({
      type: 'tool-approval',
      toolCalls: [{ toolCallId: 'call-1/call-2', toolName: 'ask', agentName: 'researcher' }],
    })
    const resumed = await result.suspension?.resume({ approved: true })
    expect(resumed).toHaveText('It rains.')
    expect(resumed?.steps[0]?.toolResults).toMatchObject([{ status: 'success', output: 'Rain.' }])
    expect(looked).toEqual(['Oslo'])
    expect([model.callCount, outerModel.callCount]).toEqual([2, 2])
    expect(resumed?.usage.totalTokens).toBe(60)
  })

  test('belongs to the resource of the outer run, and can only be resumed with it', async () => {
    const { inner, looked } = asking()
    const { agent } = editor({ research: inner.asTool() })
    const { runId } = await agent.generate('Hi', { resourceId: 'ada' })
    const waiting = await inner.suspendedRuns({ resourceId: 'ada' })
    const innerRunId = waiting.find(({ agentName }) => agentName === inner.name)?.runId ?? ''
    await expect(agent.resume(runId, { approved: true })).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' })
    await expect(inner.resume(innerRunId, { approved: true })).rejects.toMatchObject({
      code: 'RUN_NOT_FOUND',
    })
    expect(await inner.release(innerRunId)).toBe(false)
    const resumed = await agent.resume(runId, { approved: true }, { resourceId: 'ada' })
    expect(resumed).toHaveText('It rains.')
    expect(looked).toEqual(['Oslo'])
  })

  test('may suspend more than once', async () => {
    let asked = 0
    const inner = researcher({
      processors: [
        {
          id: 'asks',
          processInput: ({ suspend, resumeData }) => {
            if (resumeData !== 'enough') suspend({ question: ++asked })
          },
        },
      ],
    })
    const { agent } = editor({ research: inner.asTool() })
    const first = await agent.generate('Hi')
    const second = await first.suspension?.resume('more')
    expect(second?.suspension?.payload).toMatchObject({ payload: { question: 2 } })
    expect(await second?.suspension?.resume('enough')).toHaveText('It rains.')
  })

  test('may suspend at the same time as another of the same step: each is resumed in turn, neither runs twice', async () => {
    const asked: unknown[] = []
    const answered: unknown[] = []
    const inner = researcher({
      storage: new InMemoryRunStore(),
      processors: [
        {
          id: 'asks',
          processInput: ({ messages, suspend, resumeData }) => {
            const question = messages[0]?.content.parts
            if (resumeData !== undefined) answered.push([question, resumeData])
            else {
              asked.push(question)
              suspend({ question })
            }
          },
        },
      ],
    })
    const { agent } = editor({ research: inner.asTool() }, { prompt: 'Oslo?' }, { prompt: 'Rome?' })
    const first = await agent.generate('Hi')
    expect(first.suspension?.payload).toMatchObject({
      type: 'tool-question',
      toolCalls: [
        { toolCallId: 'call-1', payload: { payload: { question: [{ text: 'Oslo?' }] } } },
        { toolCallId: 'call-2', payload: { payload: { question: [{ text: 'Rome?' }] } } },
      ],
    })
    const second = await first.suspension?.resume({ 'call-1': 'rain' })
    expect(second?.suspension?.payload).toMatchObject({ payload: { question: [{ text: 'Rome?' }] } })
    expect(await second?.suspension?.resume('sun')).toHaveText('It rains.')
    expect(asked).toHaveLength(2)
    expect(answered).toMatchObject([
      [[{ text: 'Oslo?' }], 'rain'],
      [[{ text: 'Rome?' }], 'sun'],
    ])
    expect(await inner.suspendedRuns()).toEqual([])
  })

  test('that no longer exists when it is resumed is an error that the outer model sees', async () => {
    const { inner } = asking({ storage: new InMemoryRunStore() })
    const { agent } = editor({ research: inner.asTool() })
    const result = await agent.generate('Hi')
    const [waiting] = await inner.suspendedRuns()
    const runId = waiting?.runId ?? ''
    await inner.release(runId)
    const resumed = await result.suspension?.resume({ approved: true })
    expect(resumed?.steps[0]?.toolResults).toMatchObject([
      { status: 'error', error: expect.stringContaining(runId) },
    ])
  })
})
