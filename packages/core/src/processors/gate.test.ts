import { setImmediate as turn } from 'node:timers/promises'
import { ScriptedModel } from '@millrace/testing'
import { describe, expect, test } from 'vitest'
import { Agent } from '../agent/agent.ts'
import { MillraceError } from '../errors.ts'
import type { ProcessorRecord, RunResult } from '../results/result.ts'
import { TripWire } from '../signals.ts'
import { InMemoryRunStore } from '../storage/in-memory-run-store.ts'
import type { Processor } from './processor.ts'

function agentWith(...processors: Processor[]): Agent {
  const model = new ScriptedModel(['First.', 'Second.'])
  return new Agent({ model, processors, storage: new InMemoryRunStore() })
}

function recordOf({ processors }: RunResult, processorId: string): ProcessorRecord | undefined {
  return processors.find((record) => record.processorId === processorId)
}

describe('the record of a hook contains how it ended the run:', () => {
  test.each<[string, Processor]>([
    ['aborted', { id: 'guard', processInput: ({ abort }) => abort('No.') }],
    ['halted', { id: 'guard', processInput: ({ halt }) => halt('No.') }],
    ['suspended', { id: 'guard', processInput: ({ suspend }) => suspend('Really?') }],
    [
      'retried',
      {
        id: 'guard',
        processOutputStep({ retryCount, abort, messages }) {
          if (retryCount === 0) abort('Again.', { retry: true })
          return messages
        },
      },
    ],
  ])('%s', async (action, guard) => {
    const result = await agentWith(guard).generate('Hi')
    expect(recordOf(result, 'guard')).toMatchObject({ action })
  })
})

describe('the record of a hook contains its duration', () => {
  test('to let something pass', async () => {
    const result = await agentWith({
      id: 'slow',
      async processInput({ messages }) {
        await turn()
        return messages
      },
    }).generate('Hi')
    expect(recordOf(result, 'slow')?.durationMs).toBeGreaterThan(0)
  })

  test('to fail', async () => {
    const result = await agentWith({
      id: 'slow',
      onError: 'skip',
      async processInput() {
        await turn()
        throw new Error('no connection')
      },
    }).generate('Hi')
    expect(recordOf(result, 'slow')).toMatchObject({ action: 'failed' })
    expect(recordOf(result, 'slow')?.durationMs).toBeGreaterThan(0)
  })

  test('for every chunk, of which not all are timed', async () => {
    const letters = Array.from({ length: 200 }, () => 'a')
    const model = new ScriptedModel([letters])
    const agent = new Agent({ model, processors: [{ id: 'each', processOutputStream: ({ part }) => part }] })
    const record = recordOf(await agent.generate('Hi'), 'each')
    expect(record?.calls).toBeGreaterThan(200)
    expect(record?.durationMs).toBeGreaterThan(0)
  })
})

test('what a hook writes can be awaited without a reader of the stream', async () => {
  const written: unknown[] = []
  const agent = agentWith({
    id: 'writer',
    processInput({ writer, messages }) {
      written.push(writer.write({ type: 'data-note', data: 1 }))
      return messages
    },
  })
  await agent.generate('Hi')
  expect(written).toEqual([expect.any(Promise)])
})

describe('an error of a hook', () => {
  const tooLong = new MillraceError('RUN_PROMPT_TOO_LONG', 'The prompt has 9 tokens, of at most 8.')
  const misuse = new MillraceError('CONFIG_INVALID', 'The id is empty.')
  const throws = (error: unknown, onError?: 'skip'): Processor => ({
    id: 'guard',
    ...(onError && { onError }),
    processInput() {
      throw error
    },
  })

  test('that means the run cannot continue is the error of the run itself', async () => {
    await expect(agentWith(throws(tooLong)).generate('Hi')).rejects.toBe(tooLong)
  })

  test('that means a wrong call fails the run, even with onError skip', async () => {
    await expect(agentWith(throws(misuse, 'skip')).generate('Hi')).rejects.toBe(misuse)
  })

  test.each([
    ['another code', new MillraceError('STORAGE_UNAVAILABLE', 'No connection.')],
    ['no code', new Error('no connection')],
    ['a code of something else', Object.assign(new Error('no'), { code: 'CONFIG_INVALID' })],
    ['no error at all', null],
    ['a text', 'no connection'],
  ])('with %s, it is the cause, or a warning where failures are skipped', async (_, error) => {
    await expect(agentWith(throws(error)).generate('Hi')).rejects.toMatchObject({
      code: 'PROCESSOR_FAILED',
      message: expect.stringMatching(/'guard' threw in processInput/),
      cause: error,
    })
    const result = await agentWith(throws(error, 'skip')).generate('Hi')
    expect(result).toMatchObject({
      status: 'completed',
      warnings: [{ type: 'processor-skipped', processorId: 'guard', hook: 'processInput', error }],
    })
  })
})

test("a signal that is thrown more than once has the current processor's id each time", async () => {
  const shared = new TripWire('No.')
  const named = (id: string): Processor => ({
    id,
    processInput() {
      throw shared
    },
  })
  for (const id of ['first', 'second']) {
    const { rejection } = await agentWith(named(id)).generate('Hi')
    expect(rejection).toMatchObject({ processorId: id, hook: 'processInput' })
  }
  expect(shared.processorId).toBeUndefined()
})

test('a signal in a hook that does not support it is an error that says so', async () => {
  const agent = agentWith({
    id: 'guard',
    processOutputStream({ part, suspend }: any) {
      if (part.type === 'text-delta') suspend('Really?')
      return part
    },
  })
  await expect(agent.generate('Hi')).rejects.toMatchObject({
    code: 'PROCESSOR_FAILED',
    message: expect.stringContaining(`'guard' threw Suspend in processOutputStream`),
  })
})
