import { collect, fail, ScriptedModel, toolCall } from '@millrace/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { tool } from '../tools/tool.ts'
import { Agent } from './agent.ts'
import type { RunOptions } from './agent-options.ts'

describe('an invalid option', () => {
  const agent = new Agent({ model: new ScriptedModel(['x']) })
  const options: [string, RunOptions][] = [
    ['maxSteps', { maxSteps: 0 }],
    ['maxSteps', { maxSteps: 1.5 }],
    ['modelSettings.maxRetries', { modelSettings: { maxRetries: -1 } }],
    ['emit', { emit: 'never' as never }],
    ['timeout.firstMs', { timeout: { firstMs: 5 } as never }],
  ]

  test.each(options)('rejects, and does not throw synchronously: %s', async (name, option) => {
    let outcome: Promise<unknown> | undefined
    expect(() => {
      outcome = agent.generate('x', option)
      outcome.catch(() => {})
    }).not.toThrow()
    await expect(outcome).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(name),
    })
  })

  test('of the agent is an error at construction', () => {
    const construct = () => new Agent({ model: new ScriptedModel([]), toolConcurrency: 0 })
    expect(construct).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }))
  })
})

test('a provider of processors without a hook is refused at construction', () => {
  const memory = { getInputProcessors: () => [{ id: 'idle' }] }
  expect(() => new Agent({ model: new ScriptedModel([]), memory })).toThrow(
    expect.objectContaining({ code: 'CONFIG_HOOK_MISSING' }),
  )
})

test('a run that is aborted before it begins calls neither model nor hooks', async () => {
  const asked: string[] = []
  const agent = new Agent({
    model: new ScriptedModel(['x']),
    instructions: () => void asked.push('instructions') as never,
    processors: () => void asked.push('processors') as never,
  })
  const reason = new Error('Never mind.')
  const options = { abortSignal: AbortSignal.abort(reason) }
  expect(await agent.generate('Hi', options)).toMatchObject({ status: 'aborted', abortReason: reason })
  const chunks = await collect(agent.stream('Hi', options).fullStream)
  expect(chunks.map(({ type }) => type)).toEqual(['start', 'abort'])
  expect(asked).toEqual([])
})

test('instructions are a string, a system message or several', async () => {
  const cached = { role: 'system', content: 'Be brief.', providerOptions: { test: { cache: true } } } as const
  for (const instructions of ['Be brief.', cached, [cached], () => cached] as const) {
    const model = new ScriptedModel(['x'])
    await new Agent({ model, instructions }).generate('Hi')
    const expected = instructions === 'Be brief.' ? { role: 'system', content: 'Be brief.' } : cached
    expect(model.lastPrompt.slice(0, -1)).toEqual([expected])
  }
})

test.for([
  ['the instructions', { instructions: fails }],
  ['a list of processors', { processors: fails }],
  ['the description of a tool', { tools: { look: tool({ inputSchema: z.object({}), description: fails }) } }],
] as const)('an error of %s fails the run with a code', async ([, options]) => {
  const agent = new Agent({ model: new ScriptedModel(['x']), ...options })
  const failure = { code: 'RUN_FAILED', cause: expect.objectContaining({ message: 'There is no tenant.' }) }
  await expect(agent.generate('Hi')).rejects.toMatchObject(failure)
  const chunks = await collect(agent.stream('Hi').fullStream)
  expect(chunks.at(-1)).toEqual({ type: 'error', error: expect.objectContaining(failure) })
})

function fails(): never {
  throw new Error('There is no tenant.')
}

describe('getLastMessages()', () => {
  const look = tool({ inputSchema: z.object({ at: z.string() }), execute: ({ at }) => `a view of ${at}` })

  test('returns the prompt of the last step, as the processors left it', async () => {
    const agent = new Agent({
      instructions: 'Be brief.',
      model: new ScriptedModel([['Let me see.', toolCall('look', { at: 'Oslo' })], 'It rains.', 'Yes.']),
      tools: { look },
      processors: [
        {
          id: 'knows',
          processInputStep: ({ systemMessages }) => ({
            systemMessages: [...systemMessages, { role: 'system', content: 'Here is the API guide.' }],
          }),
        },
        {
          id: 'last',
          wrapModelCall: ({ request, next }) => {
            const content = [{ type: 'text' as const, text: 'Please.' }]
            return next({ ...request, prompt: [...request.prompt, { role: 'user', content }] })
          },
        },
      ],
    })
    expect(agent.getLastMessages()).toEqual([])
    await agent.generate('Does it rain?')
    const messages = agent.getLastMessages()
    expect(messages.map(({ role }) => role)).toEqual([
      'system',
      'system',
      'user',
      'assistant',
      'tool',
      'user',
    ])
    expect(
      messages.find(({ role, content }) => role === 'system' && content.includes('API guide')),
    ).toBeDefined()
    expect(messages[2]).toEqual({ role: 'user', content: 'Does it rain?' })
    expect(messages[3]?.content).toMatch(/^Let me see\.\n\{.*"toolName":"look","input":\{"at":"Oslo"\}/)
    expect(messages[4]?.content).toContain('a view of Oslo')
    expect(messages.at(-1)).toEqual({ role: 'user', content: 'Please.' })
    await agent.stream('And now?').result
    expect(agent.getLastMessages().map(({ content }) => content)).toContain('And now?')
  })

  test('does not contain files, and contains the prompt before a failure', async () => {
    const agent = new Agent({ model: new ScriptedModel([[fail(new Error('No.'))]]) })
    const data = new Uint8Array(1_000)
    const content = [
      { type: 'text' as const, text: 'What is it?' },
      { type: 'file' as const, mediaType: 'image/png', data },
    ]
    await expect(
      agent.generate([{ role: 'user', content }], { modelSettings: { maxRetries: 0 } }),
    ).rejects.toMatchObject({ code: 'MODEL_CALL_FAILED' })
    expect(agent.getLastMessages()).toEqual([{ role: 'user', content: 'What is it?\n[image/png]' }])
  })
})
