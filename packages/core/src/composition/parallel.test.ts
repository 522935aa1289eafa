import { collect, ScriptedModel, text, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent } from '../agent/agent.ts'
import { userMessage } from '../messages/input.ts'
import type { Message } from '../messages/message.ts'
import type { ProcessInputArgs } from '../processors/input-hooks.ts'
import type { Processor } from '../processors/processor.ts'
import type { ProcessToolCallResult } from '../processors/tool-hooks.ts'
import { tool } from '../tools/tool.ts'
import { parallel } from './parallel.ts'

expect.extend(matchers)

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

const check = (id: string, processInput: NonNullable<Processor['processInput']>): Processor => ({
  id,
  processInput,
})

function agentWith(...processors: Processor[]): Agent {
  return new Agent({ model: new ScriptedModel(['Hello.'], { repeat: 'last' }), processors })
}

describe('checks in parallel', () => {
  test('all start before any of them ends', async () => {
    const order: string[] = []
    const gate = deferred()
    const waits = (id: string) =>
      check(id, async () => {
        order.push(`${id} begins`)
        if (order.length === 2) gate.resolve()
        await gate.promise
        order.push(`${id} ends`)
      })
    const result = await agentWith(parallel(waits('a'), waits('b'))).generate('Hi')
    expect(result).toBeCompleted()
    expect(order).toEqual(['a begins', 'b begins', 'a ends', 'b ends'])
  })

  test('the first abort cancels the rest and is reported with its own id', async () => {
    const cancelled = deferred()
    const slow = check(
      'slow',
      ({ abortSignal, abort }) =>
        new Promise((_, reject) => {
          abortSignal.addEventListener('abort', () => {
            cancelled.resolve()
            try {
              abort('Too late.')
            } catch (error) {
              reject(error)
            }
          })
        }),
    )
    const fast = check('fast', async ({ abort }) => {
      await Promise.resolve()
      abort('No.', { metadata: { score: 1 } })
    })
    const result = await agentWith(parallel(slow, fast)).generate('Hi')
    await cancelled.promise
    expect(result).toHaveTripped({ processorId: 'fast', hook: 'processInput', reason: 'No.' })
    expect(result.rejection?.metadata).toEqual({ score: 1 })
  })

  test('a synchronous abort prevents later members from starting', async () => {
    const called: string[] = []
    const result = await agentWith(
      parallel(
        check('first', ({ abort }) => abort('No.')),
        check('second', () => void called.push('second')),
      ),
    ).generate('Hi')
    expect(result).toHaveTripped({ processorId: 'first' })
    expect(called).toEqual([])
  })

  test('a halt answers in the model’s place', async () => {
    const result = await agentWith(
      parallel(
        check('quiet', () => {}),
        check('answers', ({ halt }) => halt('Ask me something else.')),
      ),
    ).generate('Hi')
    expect(result).toHaveStatus('halted')
    expect(result).toHaveText('Ask me something else.')
    expect(result.halt?.processorId).toBe('answers')
  })

  test('fails closed when one throws, and names it; one with onError skip is skipped', async () => {
    const throws = check('throws', async () => {
      throw new Error('broken')
    })
    await expect(
      agentWith(
        parallel(
          throws,
          check('quiet', () => {}),
        ),
      ).generate('Hi'),
    ).rejects.toMatchObject({
      code: 'PROCESSOR_FAILED',
      message: expect.stringContaining("'throws'"),
    })

    const stops = check('stops', async ({ abort }) => abort('No.'))
    const result = await agentWith(parallel({ ...throws, onError: 'skip' }, stops)).generate('Hi')
    expect(result).toHaveTripped({ processorId: 'stops' })
    expect(result.warnings).toMatchObject([{ type: 'processor-skipped', processorId: 'throws' }])
  })

  test('records what each member did', async () => {
    const redacts: Processor = {
      id: 'redacts',
      processInput: ({ messages }) =>
        messages.map((message) => ({ ...message, content: { parts: [{ type: 'text', text: '…' }] } })),
    }
    const { processors } = await agentWith(
      parallel(
        redacts,
        check('quiet', () => {}),
      ),
    ).generate('Hi')
    expect(processors).toMatchObject([
      { processorId: 'parallel(redacts, quiet)', action: 'changed' },
      { processorId: 'redacts', action: 'changed', calls: 1 },
      { processorId: 'quiet', action: 'passed', calls: 1 },
    ])
  })

  test('gives each member its own state, shared by its hooks', async () => {
    const counts: number[] = []
    const counter = (id: string): Processor => {
      const count = ({ state }: { state: Record<string, unknown> }): void => {
        state.count = ((state.count as number | undefined) ?? 0) + 1
        counts.push(state.count as number)
      }
      return { id, processInput: count, processInputStep: count, processOutputResult: count }
    }
    await agentWith(parallel(counter('a'), counter('b'))).generate('Hi')
    expect(counts).toEqual([1, 1, 2, 2, 3, 3])
  })
})

describe('changes', () => {
  const withMessages = (id: string, change: (args: ProcessInputArgs) => Message[]): Processor =>
    check(id, change)

  test('of different fields are merged', async () => {
    const model = new ScriptedModel(['Hello.'])
    const agent = new Agent({
      model,
      inputProcessors: [
        parallel(
          withMessages('adds', ({ messages }) => [...messages, userMessage('And this.')]),
          check('system', () => ({ systemMessages: [{ role: 'system', content: 'Be brief.' }] })),
        ),
      ],
    })
    await agent.generate('Hi')
    expect(model).toHaveBeenPrompted('And this.')
    expect(model).toHaveBeenPrompted('Be brief.', { role: 'system' })
  })

  test('of the same field fail the run, and both processors are named', async () => {
    const adds = (id: string) => withMessages(id, ({ messages }) => [...messages, userMessage(`From ${id}.`)])
    await expect(agentWith(parallel(adds('a'), adds('b'))).generate('Hi')).rejects.toMatchObject({
      code: 'PROCESSOR_RESULT_INVALID',
      message: expect.stringContaining("'a' and 'b'"),
    })
  })

  test('are only real changes: unchanged messages do not count', async () => {
    const returnsAll = (id: string) => withMessages(id, ({ messages }) => messages)
    const adds = withMessages('adds', ({ messages }) => [...messages, userMessage('And this.')])
    const result = await agentWith(parallel(returnsAll('a'), adds, returnsAll('b'))).generate('Hi')
    expect(result).toBeCompleted()
  })

  test('of a tool call: a denial takes precedence over other answers', async () => {
    const decides = (id: string, result: ProcessToolCallResult): Processor => ({
      id,
      processToolCall: () => result,
    })
    const agent = new Agent({
      model: new ScriptedModel([toolCall('pay', { amount: 7 }), 'Done.']),
      tools: { pay: tool({ inputSchema: z.object({ amount: z.number() }), execute: () => 'paid' }) },
      processors: [parallel(decides('fakes', { output: 'paid' }), decides('denies', { deny: 'Too much.' }))],
    })
    const { steps } = await agent.generate('Pay.')
    expect(steps[0]?.toolResults).toMatchObject([{ status: 'denied', reason: 'Too much.' }])
  })

  test('of chunks: one may change what the others pass, all may drop the same chunk', async () => {
    const stream = (
      id: string,
      processOutputStream: NonNullable<Processor['processOutputStream']>,
    ): Processor => ({
      id,
      processOutputStream,
    })
    const shouts = stream('shouts', ({ part }) =>
      part.type === 'text-delta' ? { ...part, textDelta: part.textDelta.toUpperCase() } : part,
    )
    const passes = stream('passes', async ({ part }) => part)
    const drops = (id: string) => stream(id, ({ part }) => (part.type === 'text-delta' ? null : part))
    const run = (...processors: Processor[]) =>
      new Agent({ model: new ScriptedModel([text(['ab', 'cd'])]), processors }).generate('Hi')

    expect(await run(parallel(passes, shouts))).toHaveText('ABCD')
    expect(await run(parallel(drops('a'), passes, drops('b')))).toHaveText('')
    await expect(run(parallel(shouts, drops('a')))).rejects.toMatchObject({
      code: 'PROCESSOR_RESULT_INVALID',
    })
  })

  test('stay synchronous if every member is', () => {
    const composed = parallel(
      { id: 'a', processOutputStream: ({ part }) => part },
      { id: 'b', processOutputStream: ({ part }) => part },
    )
    const part = { type: 'text-delta', id: 't', textDelta: 'x' } as const
    const args = { part, state: {}, abortSignal: new AbortController().signal }
    expect(composed.processOutputStream?.(args as never)).toBe(part)
  })
})

describe('suspension', () => {
  test('waits for the others, and the one that suspended gets the data', async () => {
    const seen: unknown[] = []
    const asks = check('asks', ({ resumeData, suspend }) => {
      seen.push(resumeData)
      if (resumeData === undefined) suspend({ question: 'Sure?' })
    })
    const other = check('other', async ({ resumeData, state }) => {
      state.calls = ((state.calls as number | undefined) ?? 0) + 1
      seen.push([resumeData, state.calls])
    })
    const agent = agentWith(parallel(asks, other))
    const result = await agent.generate('Hi')
    expect(result).toHaveStatus('suspended')
    expect(result.suspension).toMatchObject({ processorId: 'asks', payload: { question: 'Sure?' } })
    expect(await result.suspension?.resume({ sure: true })).toBeCompleted()
    expect(seen).toEqual([undefined, [undefined, 1], { sure: true }, [undefined, 2]])
  })

  test('is dropped in favor of an abort', async () => {
    const agent = agentWith(
      parallel(
        check('asks', ({ suspend }) => suspend()),
        check('stops', async ({ abort }) => abort('No.')),
      ),
    )
    expect(await agent.generate('Hi')).toHaveTripped({ processorId: 'stops' })
  })
})

test('a retry that a member requests runs the step again, with nothing left of the first attempt', async () => {
  let answers = 0
  const cancelled: boolean[] = []
  const strict: Processor = {
    id: 'strict',
    processOutputStep: async ({ abort, retryCount }) => {
      if (retryCount === 0) abort('Once more.', { retry: true })
    },
  }
  const late: Processor = {
    id: 'late',
    processOutputStep: ({ abortSignal, abort }) =>
      new Promise((resolve) => {
        if (answers++ > 0) resolve()
        abortSignal.addEventListener('abort', () => {
          cancelled.push(answers === 1)
          try {
            abort('Cancelled.')
          } catch {}
        })
      }),
  }
  const model = new ScriptedModel(['First.', 'Second.'])
  const agent = new Agent({ model, outputProcessors: [parallel(strict, late)] })
  const stream = agent.stream('Hi')
  await collect(stream.fullStream)
  expect(await stream.result).toBeCompleted()
  expect(await stream.text).toBe('Second.')
  // At once, and not with the run: that goes on.
  expect(cancelled[0]).toBe(true)
})

describe('construction', () => {
  const quiet = check('quiet', () => {})

  test.each([
    ['nothing', [], 'CONFIG_INVALID'],
    ['the same id twice', [quiet, quiet], 'CONFIG_ID_DUPLICATE'],
    ['a processor without hooks', [quiet, { id: 'idle' }], 'CONFIG_HOOK_MISSING'],
    ['wrapModelCall', [quiet, { id: 'wraps', wrapModelCall: async function* () {} }], 'CONFIG_INVALID'],
    ['no processor', [quiet, undefined], 'CONFIG_INVALID'],
  ])('refuses %s', (_, processors, code) => {
    expect(() => parallel(...(processors as Processor[]))).toThrow(expect.objectContaining({ code }))
  })

  test('has only the hooks its members have', () => {
    const composed = parallel(quiet, { id: 'b', processOutputResult: () => {} })
    expect(Object.keys(composed)).toEqual(['id', 'processInput', 'processOutputResult'])
    expect(composed.id).toBe('parallel(quiet, b)')
  })
})

test('a result that is returned unchanged does not count as a change', async () => {
  const same = (id: string): Processor => ({ id, processDelivery: ({ part, result }) => part ?? result })
  const agent = new Agent({
    model: new ScriptedModel(['Hello']),
    processors: [parallel(same('a'), same('b'))],
  })
  expect((await agent.generate('Hi')).text).toBe('Hello')
})
