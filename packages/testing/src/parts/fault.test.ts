import { APICallError } from '@ai-sdk/provider'
import { describe, expect, it } from 'vitest'
import { apiError, collect, cut, errorPart, fail, rateLimited, refuse, ScriptedModel } from '../index.ts'
import { generate, hello, open, partsOf } from '../played-turn.ts'

describe('faults', () => {
  it('errors the stream after the previous parts', async () => {
    const error = new Error('reset')
    const { stream, record } = await open(['Hel', fail(error)])
    const seen: string[] = []
    const reading = (async () => {
      for await (const part of stream) seen.push(part.type)
    })()
    await expect(reading).rejects.toBe(error)
    expect(seen).toEqual(['stream-start', 'response-metadata', 'text-start', 'text-delta', 'text-end'])
    expect(record.outcome).toBe('failed')
    await expect(generate(['Hel', fail(error)])).rejects.toBe(error)
  })

  it('sends an error part and continues', async () => {
    const error = new Error('overloaded')
    expect(await partsOf([errorPart(error)])).toEqual([{ type: 'error', error }])
    await expect(generate(['Hel', errorPart(error), 'lo'])).rejects.toBe(error)
  })

  it('closes without finish when cut', async () => {
    const { stream } = await new ScriptedModel([['Hel', cut()]]).doStream(hello)
    expect((await collect(stream)).at(-1)).toEqual({ type: 'text-end', id: 'text-1' })
    await expect(generate(['Hel', cut()])).rejects.toThrow('The response ended before it was complete.')
  })

  it('rejects a call and answers the next', async () => {
    const model = new ScriptedModel([rateLimited({ retryAfterMs: 1_500 }), refuse('plain'), 'Hello'])
    const error = await Promise.resolve(model.doStream(hello)).catch((error: unknown) => error)
    expect(APICallError.isInstance(error)).toBe(true)
    expect(error).toMatchObject({
      statusCode: 429,
      isRetryable: true,
      responseHeaders: { 'retry-after-ms': '1500', 'retry-after': '2' },
    })
    await expect(model.doGenerate(hello)).rejects.toBe('plain')
    expect((await model.doGenerate(hello)).content).toHaveLength(1)
    expect(model.streams.map((stream) => stream.outcome)).toEqual(['refused', 'refused', 'completed'])
  })

  it('creates errors as providers do', () => {
    expect(apiError()).toMatchObject({ statusCode: 500, isRetryable: true })
    expect(apiError({ status: 401, message: 'No key.' })).toMatchObject({
      message: 'No key.',
      isRetryable: false,
    })
    expect(apiError({ status: 400, isRetryable: true })).toMatchObject({ isRetryable: true })
  })

  it('rejects a refusal after an answer', () => {
    expect(() => new ScriptedModel([['Hello', refuse('no')]])).toThrow('refuse() stands alone')
  })
})
