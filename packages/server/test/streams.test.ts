import { type Processor, tool } from '@millrace/core'
import { InMemoryStore } from '@millrace/core/storage'
import { Memory } from '@millrace/memory'
import { gate, ScriptedModel, text, toolCall } from '@millrace/testing'
import { readUIMessageStream, type UIMessage } from 'ai'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { chatRequest, chunksOf, request, scene, textIn } from './scene.ts'

const STREAM = '/agents/support/chat/thread-1/stream'
const STOP = '/agents/support/chat/thread-1/stop'

/** A store whose streams fail from the given append on. */
function failing({ after }: { after: number }): InMemoryStore {
  let appends = 0
  return Object.assign(new InMemoryStore(), {
    appendToStream(this: InMemoryStore, options: Parameters<InMemoryStore['appendToStream']>[0]) {
      if (++appends > after) return Promise.reject(new Error('The disk is full.'))
      return InMemoryStore.prototype.appendToStream.call(this, options)
    },
  })
}

describe('a store of streams that fails', () => {
  test.each([0, 1, 2, 3])(
    'after %i writes is reported, and readers of this process are served',
    async (after) => {
      const held = gate()
      const { handler, errors } = scene(
        { model: new ScriptedModel([['Hello ', held, 'Ada']]) },
        { streams: failing({ after }) },
      )
      const first = await handler(chatRequest('Hi'))
      const second = await handler(request(STREAM))
      held.open()
      expect(textIn(await chunksOf(first))).toBe('Hello Ada')
      expect(textIn(await chunksOf(second))).toBe('Hello Ada')
      await handler.close()
      expect(String(errors[0])).toContain('The disk is full.')
    },
  )

  test('a reader of another process is told that the answer was interrupted', async () => {
    const streams = new InMemoryStore()
    const held = gate()
    const here = scene({ model: new ScriptedModel([['Hello ', held, 'Ada']]) }, { streams })
    const there = scene({ model: new ScriptedModel([]) }, { streams })
    const first = await here.handler(chatRequest('Hi'))
    const elsewhere = await there.handler(request(STREAM))
    streams.readStream = () => Promise.reject(new Error('The disk is gone.'))
    held.open()
    expect((await chunksOf(elsewhere)).at(-1)).toEqual({
      type: 'error',
      errorText: 'The answer was interrupted. Send the message again.',
    })
    expect(there.errors.map(String)).toEqual(['Error: The disk is gone.'])
    await chunksOf(first)
  })
})

test('a reader that comes after a retraction gets nothing of what was retracted, and the same message', async () => {
  const streams = new InMemoryStore()
  const held = gate()
  const redactor: Processor = {
    id: 'redactor',
    processOutputStep: ({ messages, stepNumber }) => {
      if (stepNumber > 0) return undefined
      return messages.slice(-1).map((message) => ({
        ...message,
        content: { parts: JSON.parse(JSON.stringify(message.content.parts).replaceAll('SECRET', '[R]')) },
      }))
    },
  }
  const tools = { look: tool({ inputSchema: z.object({}), execute: () => 'seen' }) }
  const model = new ScriptedModel([
    [text('It is SECRET. ', { chunkSize: 4 }), toolCall('look')],
    [held, 'Done.'],
  ])
  const here = scene({ model, tools, processors: [redactor] }, { streams })
  const there = scene({ model: new ScriptedModel([]) }, { streams })
  const first = await here.handler(chatRequest('Hi'))
  const reading = chunksOf(first)
  await held.reached
  const late = chunksOf(await here.handler(request(STREAM)))
  const elsewhere = chunksOf(await there.handler(request(STREAM)))
  held.open()
  const live = await reading
  for (const chunks of [await late, await elsewhere]) {
    expect(JSON.stringify(chunks)).not.toContain('SECRET')
    // Readers count chunks.
    expect(chunks.length).toBe(live.length)
    expect(await partsOf(chunks)).toEqual(await partsOf(live))
  }
  await here.handler.close()
})

/** The message that a client of the AI SDK makes of the chunks. */
async function partsOf(chunks: unknown[]): Promise<unknown> {
  let message: UIMessage | undefined
  const stream = ReadableStream.from(chunks) as ReadableStream<never>
  for await (const state of readUIMessageStream({ stream })) message = state
  return message?.parts
}

describe('a reader of another process', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test('keeps waiting for an answer whose model is silent for minutes', async () => {
    const streams = new InMemoryStore()
    const held = gate()
    const here = scene({ model: new ScriptedModel([['Hello ', held, 'Ada']]) }, { streams })
    const there = scene({ model: new ScriptedModel([]) }, { streams })
    const first = await here.handler(chatRequest('Hi'))
    const chunks = chunksOf(await there.handler(request(STREAM)))
    await vi.advanceTimersByTimeAsync(5 * 60_000)
    held.open()
    await chunksOf(first)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(textIn(await chunks)).toBe('Hello Ada')
    // Close stops its timers.
    await here.handler.close()
    expect(vi.getTimerCount()).toBe(0)
  })

  test.each([
    ['within half a minute', {}, 30_000],
    ['within goneAfterMs', { limits: { goneAfterMs: 2_000 } }, 3_000],
  ])('gets an error %s if the generating process has died', async (_, options, time) => {
    const streams = new InMemoryStore()
    const held = gate()
    const here = scene({ model: new ScriptedModel([['Hello ', held, 'Ada']]) }, { streams, ...options })
    const there = scene({ model: new ScriptedModel([]) }, { streams, ...options })
    await here.handler(chatRequest('Hi'))
    const chunks = chunksOf(await there.handler(request(STREAM)))
    await vi.advanceTimersByTimeAsync(12_000)
    // As after a kill: the process writes nothing more to the store.
    streams.appendToStream = () => new Promise(() => {})
    await vi.advanceTimersByTimeAsync(time)
    expect((await chunks).at(-1)).toEqual({
      type: 'error',
      errorText: 'The answer was interrupted. Send the message again.',
    })
    held.open()
  })
})

test('an answer that is too long ends with an error, and its run is stopped', async () => {
  const model = new ScriptedModel([text(Array.from({ length: 1_000 }, () => 'word '))])
  const { handler, errors } = scene({ model }, { limits: { maxAnswerLength: 2_000 } })
  const chunks = await chunksOf(await handler(chatRequest('Hi')))
  expect(chunks.at(-1)).toEqual({
    type: 'error',
    errorText: 'The answer was interrupted. Send the message again.',
  })
  expect(await model.streams[0]?.settled).toMatch(/cancelled|aborted/)
  expect(errors).toMatchObject([{ code: 'STORAGE_STREAM_TOO_LARGE' }])
})

describe('the stored index of a conversation', () => {
  test('stays small for any number of answers', async () => {
    const streams = new InMemoryStore()
    const lengths: number[] = []
    const append = streams.appendToStream.bind(streams)
    streams.appendToStream = (options) => {
      if (options.runId.startsWith('answers:')) lengths.push(options.offset + options.chunks.length)
      return append(options)
    }
    const { handler } = scene({ model: new ScriptedModel(() => 'Hello') }, { streams })
    for (let turn = 0; turn < 120; turn++) await chunksOf(await handler(chatRequest('Hi')))
    expect(lengths.length).toBeGreaterThan(200)
    expect(Math.max(...lengths)).toBeLessThanOrEqual(101)
    expect((await handler(request(STREAM))).status).toBe(204)
  })

  test('is deleted minutes after the last answer', async () => {
    const streams = new InMemoryStore()
    const lives: (number | undefined)[] = []
    const append = streams.appendToStream.bind(streams)
    streams.appendToStream = (options) => {
      lives.push(options.expiresIn)
      return append(options)
    }
    const { handler } = scene({ model: new ScriptedModel(['Hello']) }, { streams })
    await chunksOf(await handler(chatRequest('Hi')))
    await handler.close()
    expect(lives.slice(-2)).toEqual([600_000, 600_000])
  })
})

describe('several processes', () => {
  test('each process finds the newest answer, and stops it in the process that generates it', async () => {
    const memory = new Memory({ storage: new InMemoryStore() })
    const held = gate()
    const model = new ScriptedModel(['One', ['Two ', held, ...Array.from({ length: 50 }, () => 'more ')]])
    const here = scene({ model }, { memory })
    const there = scene({ model: new ScriptedModel([]) }, { memory })
    await chunksOf(await here.handler(chatRequest('First')))
    expect((await there.handler(request(STREAM))).status).toBe(204)
    const second = await here.handler(chatRequest('Second'))
    expect((await there.handler(request(STREAM))).status).toBe(200)
    const stopped = await there.handler(request(STOP, { method: 'POST' }))
    expect(await stopped.json()).toEqual({ stopped: true })
    held.open()
    await chunksOf(second)
    expect(await (await there.handler(request(STOP, { method: 'POST' }))).json()).toEqual({ stopped: false })
  })
})
