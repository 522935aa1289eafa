import { wrapLanguageModel } from 'ai'
import { describe, expect } from 'vitest'
import { z } from 'zod'
import { fails, holds, streams } from '../../../test/providers/loopback-server.ts'
import { providers, test } from '../../../test/providers/providers.ts'
import { Agent } from '../../agent/agent.ts'

describe.each(providers)('a call of $name', ({ wire, model }) => {
  const opening = wire.opening({ responseId: 'reply-1', text: ['Snow', ' in'] })
  const reason = new Error('The user left.')

  test('aborted while it streams keeps the text so far and closes the connection', async ({ server }) => {
    server.answer(holds(opening))
    const controller = new AbortController()
    const agent = new Agent({ model: model(server.url) })
    const stream = agent.stream('Hello', { abortSignal: controller.signal })
    const types: string[] = []
    for await (const chunk of stream.fullStream) {
      types.push(chunk.type)
      if (chunk.type === 'text-delta' && chunk.textDelta === ' in') controller.abort(reason)
    }
    expect(await stream.result).toMatchObject({ status: 'aborted', text: 'Snow in', abortReason: reason })
    expect(types.at(-1)).toBe('abort')
    await server.exchanges[0]?.closed
    expect(server.exchanges).toHaveLength(1)
  })

  test('aborted while it streams to generate closes the connection', async ({ server }) => {
    server.answer(holds(opening))
    const controller = new AbortController()
    const agent = new Agent({
      model: model(server.url),
      processors: [
        {
          id: 'abort',
          processOutputStream({ part }) {
            if (part.type === 'text-delta' && part.textDelta === ' in') controller.abort(reason)
            return part
          },
        },
      ],
    })
    const result = await agent.generate('Hello', { abortSignal: controller.signal })
    expect(result).toMatchObject({ status: 'aborted', abortReason: reason })
    expect(result.text).toContain('Snow')
    await server.exchanges[0]?.closed
  })

  test('aborted before the server has responded closes the connection', async ({ server }) => {
    server.answer(holds())
    const controller = new AbortController()
    const agent = new Agent({ model: model(server.url) })
    const result = agent.generate('Hello', { abortSignal: controller.signal })
    const exchange = await server.nextExchange()
    controller.abort(reason)
    expect(await result).toMatchObject({ status: 'aborted', text: '', abortReason: reason })
    await exchange.closed
    expect(server.exchanges).toHaveLength(1)
  })

  test('aborted while it waits for a retry is not repeated', async ({ server }) => {
    server.answer(fails(429, wire.error('Slow down'), { 'retry-after': '30' }))
    const controller = new AbortController()
    const refused = wrapLanguageModel({
      model: model(server.url),
      middleware: {
        async wrapStream({ doStream }) {
          try {
            return await doStream()
          } catch (error) {
            // By the next turn of the event loop, the wait has begun.
            setImmediate(() => controller.abort(reason))
            throw error
          }
        },
      },
    })
    const result = await new Agent({ model: refused }).generate('Hello', { abortSignal: controller.signal })
    expect(result).toMatchObject({ status: 'aborted', text: '', abortReason: reason })
    expect(server.exchanges).toHaveLength(1)
  })

  test('aborted before it begins is not made', async ({ server }) => {
    const agent = new Agent({ model: model(server.url) })
    const result = await agent.generate('Hello', { abortSignal: AbortSignal.abort(reason) })
    expect(result).toMatchObject({ status: 'aborted', abortReason: reason })
    expect(server.exchanges).toHaveLength(0)
  })

  test('ends with its reader', async ({ server }) => {
    server.answer(holds(opening))
    const stream = new Agent({ model: model(server.url) }).stream('Hello')
    for await (const chunk of stream.fullStream) if (chunk.type === 'text-delta') break
    await server.exchanges[0]?.closed
    expect(await stream.status).toBe('aborted')
  })

  test('ends with the reader of its text', async ({ server }) => {
    server.answer(holds(opening))
    const stream = new Agent({ model: model(server.url) }).stream('Hello')
    for await (const text of stream.textStream) if (text === 'Snow') break
    await server.exchanges[0]?.closed
    expect(await stream.status).toBe('aborted')
  })

  test.for([
    { limit: 'run', timeout: 20, events: [] },
    { limit: 'step', timeout: { stepMs: 20 }, events: [] },
    { limit: 'wait for a chunk', timeout: { chunkMs: 20 }, events: opening },
  ])('that outlasts the time of the $limit is aborted', async ({ timeout, events }, { server }) => {
    server.answer(holds(events))
    const agent = new Agent({ model: model(server.url) })
    const result = await agent.generate('Hello', { timeout })
    expect(result).toMatchObject({ status: 'aborted', abortReason: { code: 'RUN_TIMEOUT' } })
    // On a busy machine the time may pass before the request is out.
    await server.exchanges[0]?.closed
    expect(server.exchanges.length).toBeLessThanOrEqual(1)
  })

  test('aborted while a tool runs is not followed by another', async ({ server }) => {
    const call = { id: 'call_1', name: 'wait', input: {} }
    server.answer(streams(wire.reply({ responseId: 'reply-1', calls: [call] })))
    const controller = new AbortController()
    let toolSignal: AbortSignal | undefined
    const wait = {
      inputSchema: z.object({}),
      execute: (_: unknown, { abortSignal }: { abortSignal: AbortSignal }) => {
        toolSignal = abortSignal
        controller.abort(reason)
        return new Promise(() => {})
      },
    }
    const agent = new Agent({ model: model(server.url), tools: { wait } })
    const result = await agent.generate('Hello', { abortSignal: controller.signal })
    expect(result).toMatchObject({ status: 'aborted', usage: { totalTokens: 120 } })
    expect(toolSignal?.aborted).toBe(true)
    expect(server.exchanges).toHaveLength(1)
  })
})
