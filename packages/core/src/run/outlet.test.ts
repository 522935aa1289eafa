import { collect } from '@millrace/testing'
import { describe, expect, test } from 'vitest'
import type { Chunk } from '../results/chunk.ts'
import { emptyUsage } from '../usage.ts'
import { Outlet } from './outlet.ts'

function chunk(text: string): Chunk {
  return { type: 'text-delta', id: '0', textDelta: text }
}

function outlet(options: { discards?: boolean } = {}): { outlet: Outlet; left: () => boolean } {
  let left = false
  const made = new Outlet({
    discards: options.discards ?? false,
    onLeave: () => {
      left = true
    },
  })
  return { outlet: made, left: () => left }
}

/** Whether a promise is settled by the time all that is ready has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  promise.then(
    () => {
      settled = true
    },
    () => {
      settled = true
    },
  )
  await new Promise((resolve) => setImmediate(resolve))
  return settled
}

/** Writes until the outlet asks to wait. */
function fill(target: Outlet): { written: number; full: Promise<void> } {
  for (let written = 1; written < 1_000; written++) {
    const full = target.write(chunk(String(written)))
    if (full) return { written, full }
  }
  throw new Error('The outlet never asked to wait.')
}

describe('an outlet', () => {
  test('passes the reader what was written, in order, and ends', async () => {
    const { outlet: made } = outlet()
    made.write(chunk('a'))
    made.write(chunk('b'))
    made.end()
    expect(await collect(made.read())).toEqual([chunk('a'), chunk('b')])
  })

  test('passes the next chunk directly to a waiting reader', async () => {
    const { outlet: made } = outlet()
    const reader = made.read()
    const next = reader.next()
    expect(made.write(chunk('a'))).toBeUndefined()
    expect(await next).toEqual({ value: chunk('a'), done: false })
  })

  test('makes the writer wait after a few chunks, until they are read', async () => {
    const { outlet: made } = outlet()
    const reader = made.read()
    const { written, full } = fill(made)
    expect(written).toBeLessThan(10)
    expect(await isSettled(full)).toBe(false)
    for (let count = 0; count < written; count++) await reader.next()
    expect(await isSettled(full)).toBe(true)
  })

  test('makes the writer wait before there is a reader, and a late reader misses nothing', async () => {
    const { outlet: made } = outlet()
    const { written, full } = fill(made)
    expect(await isSettled(full)).toBe(false)
    const reader = made.read()
    for (let count = 1; count <= written; count++)
      expect((await reader.next()).value).toEqual(chunk(String(count)))
    expect(await isSettled(full)).toBe(true)
  })

  test('does not make the writer wait if only the result is requested, until a reader comes', async () => {
    const { outlet: made } = outlet()
    const { full } = fill(made)
    made.runAhead()
    expect(await isSettled(full)).toBe(true)
    expect(made.write(chunk('more'))).toBeUndefined()
    made.read()
    expect(made.write(chunk('held up'))).toBeInstanceOf(Promise)
  })

  test('makes the writer wait for a reader', async () => {
    const { outlet: made } = outlet()
    made.read()
    made.runAhead()
    expect(fill(made).written).toBeLessThan(10)
  })

  test('queues concurrent reads', async () => {
    const { outlet: made } = outlet()
    const reader = made.read()
    const reads = [reader.next(), reader.next(), reader.next(), reader.next()]
    for (const text of ['a', 'b', 'c']) made.write(chunk(text))
    made.end()
    expect((await Promise.all(reads)).map(({ value }) => value)).toEqual([
      chunk('a'),
      chunk('b'),
      chunk('c'),
      undefined,
    ])
  })

  test('ends a waiting reader, and releases a waiting writer', async () => {
    const one = outlet().outlet
    const next = one.read().next()
    one.end()
    expect(await next).toEqual({ value: undefined, done: true })

    const other = outlet().outlet
    const { full } = fill(other)
    other.end()
    expect(await isSettled(full)).toBe(true)
  })

  test('ignores writes after its end', async () => {
    const { outlet: made } = outlet()
    made.end()
    expect(made.write(chunk('late'))).toBeUndefined()
    expect(await collect(made.read())).toEqual([])
  })

  test('reports once that the reader left early, and then does not block writers', async () => {
    const { outlet: made, left } = outlet()
    const reader = made.read()
    const { full } = fill(made)
    await reader.return?.()
    expect(left()).toBe(true)
    expect(await isSettled(full)).toBe(true)
    expect(await reader.next()).toEqual({ value: undefined, done: true })
  })

  test('does not report a reader that stops at the end', async () => {
    const { outlet: made, left } = outlet()
    made.end()
    await made.read().return?.()
    expect(left()).toBe(false)
  })

  test('refuses a second reader', () => {
    const { outlet: made } = outlet()
    made.read()
    expect(() => made.read()).toThrow(expect.objectContaining({ code: 'RUN_STREAM_CONSUMED' }))
  })

  test('keeps nothing if there will be no reader', () => {
    const { outlet: made } = outlet({ discards: true })
    for (let count = 0; count < 1_000; count++) expect(made.write(chunk('a'))).toBeUndefined()
  })
})

test.for([
  { type: 'finish', status: 'completed', finishReason: 'stop', usage: emptyUsage() },
  {
    type: 'tripwire',
    reason: 'No.',
    processorId: 'guard',
    hook: undefined,
    metadata: undefined,
    retryCount: 0,
  },
] as const)('nothing follows $type, whoever goes on writing', async (last) => {
  const { outlet: target } = outlet()
  target.write(chunk('a'))
  target.write(last)
  expect(target.write(chunk('late'))).toBeUndefined()
  target.end()
  expect(await collect({ [Symbol.asyncIterator]: () => target.read() })).toEqual([chunk('a'), last])
})
