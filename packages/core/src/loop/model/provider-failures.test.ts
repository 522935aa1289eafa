import { createOpenAI } from '@ai-sdk/openai'
import { APICallError } from '@ai-sdk/provider'
import { collect } from '@millrace/testing'
import { describe, expect } from 'vitest'
import { cuts, fails, holds, streams } from '../../../test/providers/loopback-server.ts'
import { providers, test } from '../../../test/providers/providers.ts'
import { Agent } from '../../agent/agent.ts'
import { MillraceError, type MillraceErrorCode } from '../../errors.ts'
import type { Chunk } from '../../results/chunk.ts'

const now = { 'retry-after-ms': '0' }

describe.each(providers)('a call that $name refuses', ({ wire, model }) => {
  const reply = streams(wire.reply({ responseId: 'reply-1', text: ['Snow'] }))
  const rateLimited = fails(429, wire.error('Slow down'), now)

  test.for([
    { what: '429 with retry-after-ms', refusal: rateLimited },
    { what: '429 with retry-after', refusal: fails(429, wire.error('Slow down'), { 'retry-after': '0' }) },
    { what: '500', refusal: fails(500, wire.error('Out of order'), now) },
    { what: '529', refusal: fails(529, wire.error('Overloaded'), now) },
  ])('with $what is made again', async ({ refusal }, { server }) => {
    server.answer(refusal, reply)
    const result = await new Agent({ model: model(server.url) }).generate('Hello')
    expect(result).toMatchObject({ status: 'completed', text: 'Snow', usage: { totalTokens: 120 } })
    expect(server.exchanges).toHaveLength(2)
    expect(server.bodies[1]).toEqual(server.bodies[0])
  })

  test.for([
    { maxRetries: 0, attempts: '1 attempt' },
    { maxRetries: 1, attempts: '2 attempts' },
    { maxRetries: 2, attempts: '3 attempts' },
  ])('is made again $maxRetries times, and by nobody else', async ({ maxRetries, attempts }, { server }) => {
    server.answer(...Array.from({ length: 10 }, () => rateLimited))
    const agent = new Agent({ model: model(server.url), modelSettings: { maxRetries } })
    const error = await failure(agent.generate('Hello'), 'MODEL_CALL_FAILED')
    expect(error.message).toContain(`failed after ${attempts} with status 429`)
    expect(error.cause).toMatchObject({ statusCode: 429, message: 'Slow down' })
    expect(server.exchanges).toHaveLength(maxRetries + 1)
  })

  test('is retried twice by default', async ({ server }) => {
    server.answer(...Array.from({ length: 10 }, () => rateLimited))
    await failure(new Agent({ model: model(server.url) }).generate('Hello'), 'MODEL_CALL_FAILED')
    expect(server.exchanges).toHaveLength(3)
  })

  test.for([
    { status: 400, headers: {} },
    { status: 401, headers: {} },
    { status: 404, headers: {} },
    // A wait this long is a refusal.
    { status: 429, headers: { 'retry-after': '61' } },
    { status: 503, headers: { 'retry-after-ms': '60001' } },
  ])('with $status $headers fails at once', async ({ status, headers }, { server }) => {
    server.answer(fails(status, wire.error('No'), headers), reply)
    const error = await failure(
      new Agent({ model: model(server.url) }).generate('Hello'),
      'MODEL_CALL_FAILED',
    )
    expect(error.message).toContain(`1 attempt with status ${status}`)
    expect(error.message).not.toContain('Hello')
    expect(APICallError.isInstance(error.cause)).toBe(true)
    expect(error.cause).toMatchObject({ statusCode: status, message: 'No', responseHeaders: headers })
    expect(server.exchanges).toHaveLength(1)
  })
})

describe.each(providers)('a connection to $name that is lost', ({ wire, model }) => {
  const reply = streams(wire.reply({ responseId: 'reply-1', text: ['Snow'] }))
  const opening = wire.opening({ responseId: 'reply-1', text: ['Snow'] })

  test('in the middle of the answer ends the stream with one error', async ({ server }) => {
    server.answer(holds(opening), reply)
    const stream = new Agent({ model: model(server.url) }).stream('Hello')
    const chunks: Chunk[] = []
    for await (const chunk of stream.fullStream) {
      chunks.push(chunk)
      if (chunk.type === 'text-delta') server.exchanges[0]?.cut()
    }
    const error = await failure(stream.result, 'MODEL_STREAM_FAILED')
    expect(APICallError.isInstance(error.cause)).toBe(true)
    expect(chunks.filter(({ type }) => type === 'error')).toEqual([{ type: 'error', error }])
    expect(chunks.at(-1)?.type).toBe('error')
    await expect(stream.text).rejects.toBe(error)
    expect(server.exchanges).toHaveLength(1)
  })

  test('in the middle of the answer makes generate reject', async ({ server }) => {
    server.answer(holds(opening), reply)
    const agent = new Agent({
      model: model(server.url),
      processors: [
        {
          id: 'cut',
          processOutputStream({ part }) {
            if (part.type === 'text-delta') server.exchanges[0]?.cut()
            return part
          },
        },
      ],
    })
    await failure(agent.generate('Hello'), 'MODEL_STREAM_FAILED')
    expect(server.exchanges).toHaveLength(1)
  })

  test('before the first content is retried', async ({ server }) => {
    server.answer(cuts(now), reply)
    const result = await new Agent({ model: model(server.url) }).generate('Hello')
    expect(result).toMatchObject({ status: 'completed', text: 'Snow' })
    expect(server.exchanges).toHaveLength(2)
  })
})

// Without a response there is no header that would shorten the wait.
test.concurrent.for(providers)(
  'a connection to $name that is lost before any response is retried',
  async ({ wire, model }, { server }) => {
    server.answer(cuts(), streams(wire.reply({ responseId: 'reply-1', text: ['Snow'] })))
    const result = await new Agent({ model: model(server.url) }).generate('Hello')
    expect(result).toMatchObject({ status: 'completed', text: 'Snow' })
    expect(server.exchanges).toHaveLength(2)
  },
)

test('an unreachable server fails the call', async ({ server }) => {
  const { url } = server
  await server.close()
  const model = createOpenAI({ baseURL: url, apiKey: 'test' })('gpt-5-mini')
  const agent = new Agent({ model, modelSettings: { maxRetries: 0 } })
  const error = await failure(agent.generate('Hello'), 'MODEL_CALL_FAILED')
  expect(error.cause).toMatchObject({ message: expect.stringContaining('Cannot connect to API') })
})

describe.each(providers)('an error in the stream of $name', ({ name, wire, model }) => {
  const reply = streams(wire.reply({ responseId: 'reply-1', text: ['Snow'] }))
  const overloaded = wire.overloaded('Too busy')

  test('after text ends the run and is not retried', async ({ server }) => {
    const opening = wire.opening({ responseId: 'reply-1', text: ['Sn'] })
    server.answer(streams([...opening, overloaded]), reply)
    const stream = new Agent({ model: model(server.url) }).stream('Hello')
    const chunks = await collect(stream.fullStream)
    const error = await failure(stream.result, 'MODEL_STREAM_FAILED')
    expect(error.cause).toMatchObject({ message: 'Too busy' })
    expect(error.message).not.toContain('Too busy')
    expect(chunks.at(-1)).toEqual({ type: 'error', error })
    expect(server.exchanges).toHaveLength(1)
  })

  test.for([
    { place: 'in place of the response', before: [] },
    { place: 'in place of the content', before: wire.opening({ responseId: 'reply-1', text: [] }) },
  ])('$place is retried if the provider says so', async ({ before }, { server }) => {
    server.answer(streams([...before, overloaded], now), reply)
    const result = new Agent({ model: model(server.url) }).generate('Hello')
    if (name === 'openai-compatible') {
      // This one does not know which errors pass.
      const error = await failure(result, 'MODEL_CALL_FAILED')
      expect(error.cause).toMatchObject({ message: 'Too busy' })
      expect(server.exchanges).toHaveLength(1)
      return
    }
    expect(await result).toMatchObject({ status: 'completed', text: 'Snow' })
    expect(server.exchanges).toHaveLength(2)
  })

  test('that is not JSON fails the run', async ({ server }) => {
    const opening = wire.opening({ responseId: 'reply-1', text: ['Sn'] })
    server.answer(streams([...opening, 'data: <html>\n\n']), reply)
    const agent = new Agent({ model: model(server.url) })
    await failure(agent.generate('Hello'), 'MODEL_STREAM_FAILED')
  })
})

test.for(providers)(
  'a response of $name without its end is not accepted as an answer',
  async (provider, { server }) => {
    const { name, wire, model } = provider
    server.answer(streams(wire.opening({ responseId: 'reply-1', text: ['Sn'] })))
    const result = new Agent({ model: model(server.url) }).generate('Hello')
    if (name === 'openai-compatible') await failure(result, 'MODEL_STREAM_FAILED')
    else expect(await result).toMatchObject({ text: 'Sn', finishReason: 'interrupted' })
  },
)

async function failure(result: Promise<unknown>, code: MillraceErrorCode): Promise<MillraceError> {
  const error = await result.then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(MillraceError)
  expect(error).toMatchObject({ code })
  return error as MillraceError
}
