import { collect, errorPart, fail, gate, raw, ScriptedModel, text, textOf, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { MillraceError } from '../errors.ts'
import type { HookName } from '../hook-name.ts'
import type { Processor } from '../processors/processor.ts'
import { tool } from '../tools/tool.ts'
import { Agent } from './agent.ts'

expect.extend(matchers)

const unhandled: unknown[] = []
process.on('unhandledRejection', (reason) => unhandled.push(reason))
afterEach(async () => {
  for (let turn = 0; turn < 2; turn++) await settleEverything()
  expect(unhandled.splice(0)).toEqual([])
})

/** All that is on its way without a timer or the network arrives within one turn of the event loop. */
function settleEverything(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

const longAnswer = (): ScriptedModel => new ScriptedModel([text('word '.repeat(1_000))])

describe('reading a run', () => {
  test('yields the chunks of the model, in order, and ends with finish', async () => {
    const stream = new Agent({ model: new ScriptedModel(['Hello there.']) }).stream('Hi')
    const chunks = await collect(stream.fullStream)
    const { runId } = await stream.result
    expect(chunks[0]).toEqual({ type: 'start', runId, messageId: expect.any(String) })
    expect(chunks).toHaveChunkTypes(
      ['start', 'step-start', 'text-start', 'text-delta', 'text-end', 'step-finish', 'finish'],
      { mergeDeltas: true },
    )
    expect(chunks.at(-1)).toMatchObject({ type: 'finish', status: 'completed', finishReason: 'stop' })
  })

  test("emits the id of the answer's message at the start", async () => {
    const stream = new Agent({ model: new ScriptedModel(['Hello.']) }).stream('Hi')
    const [start] = await collect(stream.fullStream)
    expect(start).toMatchObject({ messageId: (await stream.messages)[0]?.id })
  })

  test('textStream yields only the text', async () => {
    const model = new ScriptedModel([['One. ', toolCall('look')], 'Two.'])
    const tools = { look: tool({ inputSchema: z.object({}), execute: () => 'seen' }) }
    const pieces = await collect(new Agent({ model, tools }).stream('Hi').textStream)
    expect(pieces.join('')).toBe('One. Two.')
  })

  test('textStream waits for processOutputStep, then gives the text of the step', async () => {
    const stop = gate()
    const model = new ScriptedModel([['Hello ', stop, 'there.']])
    const processors: Processor[] = [{ id: 'reviewer', processOutputStep: () => {} }]
    const reader = new Agent({ model, processors }).stream('Hi').textStream[Symbol.asyncIterator]()
    let first: string | undefined
    const pending = reader.next().then(({ value }) => {
      first = value as string
    })
    await stop.reached
    await settleEverything()
    expect(first).toBeUndefined()
    stop.open()
    await pending
    expect(first).toBe('Hello there.')
  })

  test('generate gives the same result as stream', async () => {
    const agent = new Agent({
      model: new ScriptedModel(() => ['Hello ', toolCall('look', {}, { id: 'a' })]),
      tools: { look: tool({ inputSchema: z.object({}), execute: () => 'seen' }) },
      maxSteps: 2,
    })
    const shape = ({
      text,
      steps,
      status,
      usage,
      finishReason,
    }: Awaited<ReturnType<typeof agent.generate>>) => ({
      ...{ text, status, usage, finishReason },
      steps: steps.map(({ text, toolCalls, toolResults }) => ({ text, toolCalls, toolResults })),
    })
    const streamed = agent.stream('Hi')
    await collect(streamed.fullStream)
    expect(shape(await streamed.result)).toEqual(shape(await agent.generate('Hi')))
  })
})

describe('backpressure', () => {
  test('nothing happens before the first read', async () => {
    const model = longAnswer()
    const stream = new Agent({ model }).stream('Hi')
    const reader = stream.fullStream[Symbol.asyncIterator]()
    await settleEverything()
    expect(model.callCount).toBe(0)
    await reader.next()
    await settleEverything()
    expect(model.callCount).toBe(1)
    await reader.return?.()
  })

  test('reads a few chunks while the reader pauses, and none after it has left', async () => {
    const model = longAnswer()
    const stream = new Agent({ model }).stream('Hi')
    const reader = stream.fullStream[Symbol.asyncIterator]()
    for (let count = 0; count < 10; count++) await reader.next()
    await settleEverything()
    const pulled = model.lastStream.chunksPulled
    expect(pulled).toBeLessThan(20)
    await settleEverything()
    expect(model.lastStream.chunksPulled).toBe(pulled)

    await reader.return?.()
    expect(await stream.result).toHaveStatus('aborted')
    await settleEverything()
    expect(model.lastStream.chunksPulled).toBe(pulled)
    expect(['aborted', 'cancelled']).toContain(await model.lastStream.settled)
  })

  test('pauses the model also if processors are asynchronous or multiply chunks', async () => {
    const model = longAnswer()
    const processors: Processor[] = [
      { id: 'waits', processOutputStream: async ({ part }) => part },
      {
        id: 'doubles',
        processOutputStream: ({ part }) => (part.type === 'text-delta' ? [part, part] : part),
      },
    ]
    const reader = new Agent({ model, processors }).stream('Hi').fullStream[Symbol.asyncIterator]()
    for (let count = 0; count < 10; count++) await reader.next()
    await settleEverything()
    expect(model.lastStream.chunksPulled).toBeLessThan(20)
    await reader.return?.()
  })

  test('leaving the loop over the chunks ends the run as aborted and cancels the model call', async () => {
    const model = longAnswer()
    const stream = new Agent({ model }).stream('Hi')
    for await (const { type } of stream.fullStream) if (type === 'text-delta') break
    const result = await stream.result
    expect(result).toHaveStatus('aborted')
    expect(result.text.length).toBeLessThan(100)
    expect(['aborted', 'cancelled']).toContain(await model.lastStream.settled)
  })

  test('leaving textStream does the same', async () => {
    const model = longAnswer()
    const stream = new Agent({ model }).stream('Hi')
    for await (const _ of stream.textStream) break
    expect(await stream.result).toHaveStatus('aborted')
    expect(['aborted', 'cancelled']).toContain(await model.lastStream.settled)
  })

  test('concurrent reads come in order and lose nothing', async () => {
    const model = new ScriptedModel([text('abcdefgh', { chunkSize: 1 })])
    const stream = new Agent({ model }).stream('Hi')
    const reader = stream.fullStream[Symbol.asyncIterator]()
    const results = await Promise.all(Array.from({ length: 20 }, () => reader.next()))
    const chunks = results.filter(({ done }) => !done).map(({ value }) => value)
    expect(textOf(chunks)).toBe('abcdefgh')
    expect(chunks.at(-1)?.type).toBe('finish')
  })
})

describe('promises and readers together', () => {
  test('awaiting the result without a reader drains the run', async () => {
    const stream = new Agent({ model: longAnswer() }).stream('Hi')
    expect(await stream.result).toHaveText('word '.repeat(1_000))
  })

  test('chunks read after a promise was accessed lose nothing', async () => {
    const { text, fullStream } = new Agent({ model: longAnswer() }).stream('Hi')
    const answer = await text
    const chunks = await collect(fullStream)
    expect(textOf(chunks)).toBe(answer)
    expect(chunks[0]?.type).toBe('start')
    expect(chunks.at(-1)?.type).toBe('finish')
  })

  test('chunks read directly after a promise was accessed lose nothing', async () => {
    const { text, fullStream } = new Agent({ model: longAnswer() }).stream('Hi')
    const chunks = await collect(fullStream)
    expect(textOf(chunks)).toBe(await text)
  })

  test('promises resolve while the chunks are read and after', async () => {
    const stream = new Agent({ model: new ScriptedModel(['Hello.']) }).stream('Hi')
    const early = stream.usage
    await collect(stream.fullStream)
    expect(await early).toEqual(await stream.usage)
    expect(await stream.finishReason).toBe('stop')
    expect(await stream.warnings).toEqual([])
    expect(await stream.object).toBeUndefined()
    expect(await stream.rejection).toBeUndefined()
  })

  test('the chunks can be read while a promise waits', async () => {
    const stop = gate()
    const stream = new Agent({ model: new ScriptedModel([['Hello ', stop, 'there.']]) }).stream('Hi')
    const pending = stream.text
    await stop.reached
    const reading = collect(stream.fullStream)
    stop.open()
    expect(textOf(await reading)).toBe('Hello there.')
    expect(await pending).toBe('Hello there.')
  })

  test.each(['fullStream', 'textStream'] as const)('a second reader is refused: %s', async (second) => {
    const stream = new Agent({ model: new ScriptedModel(['Hello.']) }).stream('Hi')
    await collect(stream.fullStream)
    await expect(collect<unknown>(stream[second])).rejects.toMatchObject({ code: 'RUN_STREAM_CONSUMED' })
  })

  test('a second reader is refused while the first reads, which loses nothing by it', async () => {
    const stream = new Agent({ model: new ScriptedModel(['Hello.']) }).stream('Hi')
    const reader = stream.textStream[Symbol.asyncIterator]()
    const first = await reader.next()
    await expect(collect(stream.fullStream)).rejects.toMatchObject({ code: 'RUN_STREAM_CONSUMED' })
    const rest = await collect({ [Symbol.asyncIterator]: () => reader })
    expect([first.value, ...rest].join('')).toBe('Hello.')
  })
})

const HOOKS: readonly HookName[] = [
  'processInput',
  'processInputStep',
  'processOutputStream',
  'processOutputStep',
  'processOutputResult',
]

describe.each(HOOKS)('an error in %s', (hook) => {
  const cause = new Error('The judge is down.')
  const faults: [string, Processor][] = [
    ['thrown at once', faulty(hook, () => thrown(cause))],
    ['after a wait', faulty(hook, () => Promise.resolve().then(() => thrown(cause)))],
  ]

  test.each(faults)('fails the run and emits nothing unchecked: %s', async (_, processor) => {
    const model = new ScriptedModel([text('safe secret', { chunkSize: 1 })])
    const stream = new Agent({ model, processors: [processor] }).stream('Hi')
    const chunks = await collect(stream.fullStream)
    const error = await stream.result.catch((error: unknown) => error)

    expect(error).toMatchObject({ name: 'MillraceError', code: 'PROCESSOR_FAILED', cause })
    expect((error as Error).message).toContain("'judge'")
    expect((error as Error).message).toContain(hook)
    expect(chunks.filter(({ type }) => type === 'error')).toEqual([{ type: 'error', error }])
    expect(chunks.at(-1)?.type).toBe('error')
    if (hook === 'processOutputStream') expect(textOf(chunks)).toBe('safe ')
    if (hook === 'processInput' || hook === 'processInputStep') expect(model.callCount).toBe(0)
    else expect(await model.lastStream.settled).not.toBe('open')
    await expect(stream.text).rejects.toBe(error)
    await expect(stream.steps).rejects.toBe(error)
  })

  test.each(faults)('rejects generate with the same error: %s', async (_, processor) => {
    const agent = new Agent({ model: new ScriptedModel(['safe secret']), processors: [processor] })
    await expect(agent.generate('Hi')).rejects.toMatchObject({ code: 'PROCESSOR_FAILED', cause })
  })

  test.each(faults)("emits no character of the step with emit 'step': %s", async (_, processor) => {
    const model = new ScriptedModel(['safe secret'])
    const chunks = await collect(
      new Agent({ model, processors: [processor], emit: 'step' }).stream('Hi').fullStream,
    )
    expect(chunks).toHaveChunkTypes(['start', 'error'])
  })

  test.each(faults)("is a warning where the processor says onError 'skip': %s", async (_, processor) => {
    const agent = new Agent({
      model: new ScriptedModel(['safe secret']),
      processors: [{ ...processor, onError: 'skip' }],
    })
    const result = await agent.generate('Hi')
    expect(result).toHaveText('safe secret')
    expect(result.warnings).not.toEqual([])
    for (const warning of result.warnings)
      expect(warning).toEqual({ type: 'processor-skipped', processorId: 'judge', hook, error: cause })
    expect(result.processors).toContainEqual(
      expect.objectContaining({ processorId: 'judge', hook, action: 'failed' }),
    )
  })

  test('is not skipped if it is a mistake of the caller', async () => {
    const mistake = new MillraceError('CONFIG_INVALID', 'No thread. Give one.')
    const processor: Processor = { ...faulty(hook, () => thrown(mistake)), onError: 'skip' }
    const agent = new Agent({ model: new ScriptedModel(['safe secret']), processors: [processor] })
    await expect(agent.generate('Hi')).rejects.toBe(mistake)
  })

  test('does not cause unhandled rejections of promises that were not accessed', async () => {
    const [, processor] = faults[1] as [string, Processor]
    const agent = new Agent({ model: new ScriptedModel(['safe secret']), processors: [processor] })
    await collect(agent.stream('Hi').fullStream)
    void agent.stream('Hi').text
    // afterEach sees to it that nothing was unhandled.
  })
})

function thrown(error: Error): never {
  throw error
}

/** Throws in its hook; in the stream hook, at the first `s` of a second word. */
function faulty(hook: HookName, fault: () => unknown): Processor {
  return {
    id: 'judge',
    [hook]: (args: any) => {
      if (args.part === undefined) return fault()
      const { part, state } = args
      if (part.type !== 'text-delta') return part
      state.text = `${state.text ?? ''}${part.textDelta}`
      return state.text.length > 'safe '.length ? fault() : part
    },
  }
}

describe('an error of the model', () => {
  test.each([
    ['an error in place of content', [errorPart(new Error('Overloaded.'))], 'MODEL_CALL_FAILED', ''],
    [
      'an error in the middle',
      ['Half ', errorPart(new Error('Overloaded.'))],
      'MODEL_STREAM_FAILED',
      'Half ',
    ],
    ['a lost connection', ['Half ', fail(new Error('Lost.'))], 'MODEL_STREAM_FAILED', 'Half '],
  ] as const)('is one error chunk and a rejection: %s', async (_, turn, code, sent) => {
    const stream = new Agent({ model: new ScriptedModel([turn]) }).stream('Hi')
    const chunks = await collect(stream.fullStream)
    expect(chunks.filter(({ type }) => type === 'error')).toEqual([chunks.at(-1)])
    expect(chunks.at(-1)).toMatchObject({ error: { code } })
    expect(textOf(chunks)).toBe(sent)
    await expect(stream.result).rejects.toMatchObject({ code })
  })
})

test('1,000 runs at the same time on one agent keep their state apart', async () => {
  const counter: Processor = {
    id: 'counter',
    processInput: ({ messages, state }) => {
      const [part] = messages[0]?.content.parts ?? []
      state.name = part?.type === 'text' ? part.text : ''
    },
    processOutputStream: async ({ part, state }) => {
      if (part.type !== 'text-delta') return part
      const count = ((state.count as number | undefined) ?? 0) + 1
      state.count = count
      await Promise.resolve()
      return { ...part, textDelta: `${state.name}.${count} ` }
    },
  }
  const agent = new Agent({
    model: new ScriptedModel(() => text('abcde', { chunkSize: 1 })),
    processors: [counter],
  })
  const texts = await Promise.all(
    Array.from({ length: 1_000 }, async (_, index) => (await agent.generate(`run${index}`)).text),
  )
  expect(texts).toEqual(
    Array.from({ length: 1_000 }, (_, index) =>
      [1, 2, 3, 4, 5].map((count) => `run${index}.${count} `).join(''),
    ),
  )
})

test('a reader that leaves before it has read anything ends the run without a model call', async () => {
  const model = longAnswer()
  const stream = new Agent({ model }).stream('Hi')
  await stream.fullStream[Symbol.asyncIterator]().return?.()
  expect(await stream.result).toHaveStatus('aborted')
  expect(model.callCount).toBe(0)
})

test('a text without a start or end chunk is done when its response is', async () => {
  const model = new ScriptedModel([
    raw(
      { type: 'text-start', id: '1' },
      { type: 'text-delta', id: '1', delta: 'One. ' },
      { type: 'text-start', id: '1' },
      { type: 'text-delta', id: '1', delta: 'Two. ' },
      { type: 'text-end', id: '1' },
      { type: 'text-delta', id: '1', delta: 'Three. ' },
      { type: 'reasoning-delta', id: '2', delta: 'Hm.' },
    ),
  ])
  const { text, messages } = await new Agent({ model }).generate('Hi')
  expect(text).toBe('One. Two. Three. ')
  const parts = messages[0]?.content.parts ?? []
  expect(parts.map((part) => ('state' in part ? part.state : part.type))).toEqual([
    'step-start',
    ...['done', 'done', 'done', 'done'],
  ])
})
