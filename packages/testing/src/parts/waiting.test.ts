import { describe, expect, it } from 'vitest'
import { beforeResponse, collect, delay, gate, refuse, ScriptedModel, text, textOf, wait } from '../index.ts'
import { deltasOf, hello, open } from '../played-turn.ts'

describe('waiting', () => {
  it('stops at a gate until it is opened', async () => {
    const door = gate()
    const { stream, record } = await open([text(['a']), door, text(['b'])])
    const reading = collect(stream)
    await door.reached
    expect(record.chunksPulled).toBe(5)
    door.open()
    expect(textOf(await reading)).toBe('ab')
  })

  it('passes a gate that is already open', async () => {
    const door = gate()
    door.open()
    expect(await deltasOf([door, 'Hello'])).toEqual(['Hello'])
    await door.reached
  })

  it('waits for a promise, or for one made when the wait begins', async () => {
    let waited = 0
    const turn = [wait(Promise.resolve()), wait(async () => waited++), delay(0), 'Hello']
    const model = new ScriptedModel([turn])
    expect(waited).toBe(0)
    expect((await model.doGenerate(hello)).content).toHaveLength(1)
    expect(waited).toBe(1)
  })

  it('errors the stream when the awaited promise rejects', async () => {
    const error = new Error('broken')
    const { stream, record } = await open([wait(() => Promise.reject(error))])
    const reader = stream.getReader()
    await reader.read()
    await reader.read()
    await expect(reader.read()).rejects.toBe(error)
    expect(record.outcome).toBe('failed')
  })

  it('delays the call with beforeResponse', async () => {
    const door = gate()
    const model = new ScriptedModel([[beforeResponse(door, delay(0)), refuse('late')]])
    let settled = false
    const call = model.doStream(hello).catch((error: unknown) => {
      settled = true
      return error
    })
    await door.reached
    expect(settled).toBe(false)
    door.open()
    expect(await call).toBe('late')
    expect(() => new ScriptedModel([['Hello', beforeResponse(door)]])).toThrow('it comes first')
  })
})
