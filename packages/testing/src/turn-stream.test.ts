import { describe, expect, it } from 'vitest'
import { beforeResponse, delay, gate, hang, ScriptedModel, text } from './index.ts'
import { hello, open } from './played-turn.ts'

describe('back-pressure, cancellation and abort', () => {
  it('creates no part before it is read', async () => {
    const { stream, record } = await open(text('x'.repeat(1_000), { chunkSize: 1 }))
    const reader = stream.getReader()
    expect(record.chunksPulled).toBe(0)
    for (let read = 0; read < 3; read++) await reader.read()
    expect(record).toMatchObject({ chunksPulled: 3, outcome: 'open' })
  })

  it('is completed once the last part is read', async () => {
    const { stream, record } = await open([])
    const reader = stream.getReader()
    for (let read = 0; read < 3; read++) await reader.read()
    expect(await record.settled).toBe('completed')
    await reader.cancel()
    expect(record.cancelled).toBe(false)
  })

  it('notices a reader that cancels', async () => {
    const { stream, record } = await open('Hello')
    const reader = stream.getReader()
    await reader.read()
    expect(record.cancelled).toBe(false)
    await reader.cancel()
    expect(await record.settled).toBe('cancelled')
    expect(record).toMatchObject({ chunksPulled: 1, cancelled: true, aborted: false })
  })

  it('notices a reader that cancels while the model waits', async () => {
    const door = gate()
    const { stream, record } = await open([door, 'Hello'])
    const reader = stream.getReader()
    await reader.read()
    await reader.read()
    const pending = reader.read()
    await door.reached
    await reader.cancel()
    expect(await pending).toEqual({ done: true, value: undefined })
    door.open()
    expect(record).toMatchObject({ chunksPulled: 2, cancelled: true })
  })

  it('rejects at once if the signal has fired before the call', async () => {
    const reason = new Error('too late')
    const model = new ScriptedModel(['Hello'])
    await expect(model.doStream({ ...hello, abortSignal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    expect(model.lastStream).toMatchObject({ aborted: true, outcome: 'aborted', chunksPulled: 0 })
  })

  it('rejects if the signal fires before the response', async () => {
    const door = gate()
    const controller = new AbortController()
    const model = new ScriptedModel([[beforeResponse(door), 'Hello']])
    const call = model.doStream({ ...hello, abortSignal: controller.signal })
    await door.reached
    controller.abort()
    await expect(call).rejects.toMatchObject({ name: 'AbortError' })
    expect(model.lastStream).toMatchObject({ aborted: true, outcome: 'aborted' })
  })

  it.each([
    ['between two parts', []],
    ['during a delay', [delay(1_000_000)]],
    ['while it hangs', [hang()]],
  ])('errors the stream with the reason of the signal, %s', async (_, turn) => {
    const controller = new AbortController()
    const reason = new Error('enough')
    const { stream, record } = await open(turn, { abortSignal: controller.signal })
    const reader = stream.getReader()
    await reader.read()
    await reader.read()
    const pending = turn.length > 0 ? reader.read() : undefined
    controller.abort(reason)
    await expect(pending ?? reader.read()).rejects.toBe(reason)
    expect(record).toMatchObject({ aborted: true, cancelled: false, outcome: 'aborted', chunksPulled: 2 })
  })

  it('ignores a signal that fires after the end', async () => {
    const controller = new AbortController()
    const { stream, record } = await open([], { abortSignal: controller.signal })
    const reader = stream.getReader()
    for (let read = 0; read < 4; read++) await reader.read()
    controller.abort()
    expect(record).toMatchObject({ aborted: false, outcome: 'completed' })
  })

  it('can ignore the abort signal, but not a reader that cancels', async () => {
    const controller = new AbortController()
    const { stream, record } = await open(hang({ ignoreAbort: true }), { abortSignal: controller.signal })
    const reader = stream.getReader()
    await reader.read()
    await reader.read()
    const pending = reader.read()
    controller.abort()
    const first = await Promise.race([
      pending.catch(() => 'aborted'),
      new Promise((resolve) => setImmediate(resolve)),
    ])
    expect(first).toBeUndefined()
    expect(record).toMatchObject({ aborted: true, outcome: 'open' })
    await reader.cancel()
    expect(record.outcome).toBe('cancelled')
  })
})
